import CSQLite
import Glibc

/// A connection to an SQLite file. Owns the handle; one thread at a time.
@safe
final class Database {
  /// How it is opened.
  enum Access {
    /// Read and write; the file is made if it is not there.
    case create
    /// Read only, beside a writer.
    case read
    /// Read only, of a file that nobody writes: without a lock and without the files beside it.
    case readImmutable
  }

  /// The file.
  let path: String
  /// What is being done, for the sentence of an error.
  var action = "opening"
  private let handle: OpaquePointer

  /// Opens a file. SQLite reads nothing of it yet.
  init(path: String, access: Access) throws(StoreError) {
    self.path = path
    var opened: OpaquePointer?
    // One thread uses the connection, so SQLite's own mutexes would only cost.
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code =
      switch access {
      case .create:
        unsafe sqlite3_open_v2(path, &opened, common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
      case .read:
        unsafe sqlite3_open_v2(path, &opened, common | SQLITE_OPEN_READONLY, nil)
      case .readImmutable:
        unsafe sqlite3_open_v2(
          "file:\(Database.uriPath(path))?immutable=1", &opened,
          common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
      }
    // "Whether or not an error occurs when it is opened, resources associated with the database connection
    // handle should be released by passing it to sqlite3_close()". Without memory there is no handle.
    guard let opened = unsafe opened else {
      throw .sqlite(
        StoreFault(path: path, action: action, code: code, systemCode: 0, message: Database.sentence(code)))
    }
    unsafe handle = opened
    if code != SQLITE_OK { throw fault() }
  }

  deinit {
    // The second form waits for statements that are still alive.
    unsafe sqlite3_close_v2(handle)
  }

  /// Prepares a statement that will be used again and again.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw fault() }
    return unsafe Statement(owning: statement, of: self)
  }

  /// Runs one or more statements without results.
  func execute(_ sql: String) throws(StoreError) {
    guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw fault() }
  }

  /// The first column of the first row of a query, or 0.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Runs `body` in one transaction: all of it is kept, or nothing.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Ends a transaction without a trace, if one is open.
  ///
  /// A failed COMMIT leaves it open or ends it, by the cause; SQLite asks to look. ROLLBACK itself can report
  /// an error only when there is nothing to roll back.
  func rollBack() {
    guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
    _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  /// How long a statement waits for a lock of another process.
  func waitForLocks(milliseconds: Int32) {
    _ = unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// True if the file could only be opened for reading.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

  /// Rows that the last statement changed.
  var changes: Int64 { unsafe sqlite3_changes64(handle) }

  /// The error of the call that just failed on this connection.
  func fault() -> StoreError {
    let code = unsafe sqlite3_extended_errcode(handle)
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    // The number is kept from the last failed system call, so it means something for these two codes only.
    let ofSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xff)
    let systemCode = ofSystem ? unsafe sqlite3_system_errno(handle) : 0
    return .sqlite(
      StoreFault(path: path, action: action, code: code, systemCode: systemCode, message: message))
  }

  /// Copies all of this database, as it is now, into another, page by page, in one read transaction.
  func copy(to target: Database) throws(StoreError) {
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.fault()
    }
    // In smaller steps a writer in another process makes it start over, for ever on a busy store.
    _ = unsafe sqlite3_backup_step(backup, -1)
    // "If an error occurred … then sqlite3_backup_finish() returns the corresponding error code", and the
    // target's connection keeps it.
    guard unsafe sqlite3_backup_finish(backup) == SQLITE_OK else { throw target.fault() }
  }

  /// SQLite's sentence for a code.
  static func sentence(_ code: Int32) -> String {
    unsafe String(cString: sqlite3_errstr(code))
  }

  /// A path as a URI wants it: what has a meaning there is written in hexadecimal.
  private static func uriPath(_ path: String) -> String {
    var text = ""
    for character in path.unicodeScalars {
      switch character {
      case "?": text += "%3f"
      case "#": text += "%23"
      case "%": text += "%25"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
