import Base
import CSQLite

/// A prepared statement. Owns the handle, and keeps its connection alive.
///
/// What is bound stays with its owner: SQLite reads the bytes when the statement is stepped, so they must not
/// move until then. All our bytes lie in arenas that nothing changes meanwhile.
@safe
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  /// Takes over a handle that the connection has prepared.
  init(owning handle: OpaquePointer, of database: Database) {
    unsafe self.handle = unsafe handle
    self.database = database
  }

  deinit {
    // It repeats the error of the last step, which was thrown then.
    unsafe sqlite3_finalize(handle)
  }

  /// Sets a parameter, from 1, to a number.
  func bind(_ parameter: Int32, _ value: Int64) throws(StoreError) {
    try check(unsafe sqlite3_bind_int64(handle, parameter, value))
  }

  /// Sets a parameter to a text.
  func bind(_ parameter: Int32, text: Span<UInt8>) throws(StoreError) {
    let code = unsafe text.withUnsafeBufferPointer { buffer in
      // A null pointer would be NULL, not an empty text.
      guard let base = buffer.baseAddress, !buffer.isEmpty else {
        return unsafe sqlite3_bind_text(handle, parameter, Statement.emptyText, 0, nil)
      }
      let count = UInt64(buffer.count)
      return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { characters in
        unsafe sqlite3_bind_text64(handle, parameter, characters, count, nil, UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Sets a parameter to bytes.
  func bind(_ parameter: Int32, bytes: Span<UInt8>) throws(StoreError) {
    let code = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, !buffer.isEmpty else {
        return unsafe sqlite3_bind_zeroblob(handle, parameter, 0)
      }
      return unsafe sqlite3_bind_blob64(handle, parameter, base, UInt64(buffer.count), nil)
    }
    try check(code)
  }

  /// Sets a parameter to a text that SQLite copies; not for the data path.
  func bind(_ parameter: Int32, copying text: [UInt8]) throws(StoreError) {
    // SQLITE_TRANSIENT, which the importer cannot read: "the object is to be copied prior to the return".
    let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code = unsafe text.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, !buffer.isEmpty else {
        return unsafe sqlite3_bind_text(handle, parameter, Statement.emptyText, 0, nil)
      }
      let count = UInt64(buffer.count)
      return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { characters in
        unsafe sqlite3_bind_text64(handle, parameter, characters, count, transient, UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Goes to the next row; false, and ready for new parameters, after the last.
  func step() throws(StoreError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      unsafe sqlite3_reset(handle)
      return false
    }
    let error = database.fault()
    unsafe sqlite3_reset(handle)
    throw error
  }

  /// Runs a statement that has no rows.
  func run() throws(StoreError) {
    let hasRow = try step()
    precondition(!hasRow, "a statement without results gave a row")
  }

  /// Makes it ready again before its last row, and ends what it reads.
  func reset() {
    // It repeats the error of the last step, which was thrown then.
    unsafe sqlite3_reset(handle)
  }

  /// A number of the row, columns from 0.
  func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  /// A text of the row as a `String`; not for the data path.
  func text(_ column: Int32) -> String {
    withBytes(column) { (bytes) in
      unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Lends the bytes of a column until `body` returns.
  func withBytes<Result>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
    // "The safest policy is to invoke sqlite3_column_blob() followed by sqlite3_column_bytes()"; the pointer
    // lives until the next step, reset or conversion.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    let buffer = unsafe UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
    return body(unsafe buffer.span)
  }

  /// Appends the bytes of a column to an arena.
  func append(_ column: Int32, to arena: inout [UInt8]) -> TextSlice {
    let start = arena.count
    withBytes(column) { arena.append(span: $0) }
    return TextSlice(start: start, count: arena.count - start)
  }

  /// What an empty text points to: constant memory.
  private static var emptyText: UnsafePointer<CChar> {
    let empty: StaticString = ""
    return unsafe UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private func check(_ code: Int32) throws(StoreError) {
    if code != SQLITE_OK { throw database.fault() }
  }
}

extension [UInt8] {
  /// Appends the bytes of a span in one copy.
  mutating func append(span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
