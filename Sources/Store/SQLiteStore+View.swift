public import Base

extension SQLiteStore {
  /// Does several reads of one moment: what the daemon writes meanwhile is not seen. Only for what takes
  /// little time: until it returns the write-ahead log is not started over. Not to be nested.
  public func readInOneView(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    database.action = "reading"
    try database.execute("BEGIN")
    do throws(StoreError) {
      try body()
    } catch {
      database.rollBack()
      throw error
    }
    try database.execute("COMMIT")
  }

  /// Lends the payload of the last row of a kind; false if there is none. Costs a look at each row after it.
  public func withLastRow(
    of kind: RowKind, _ body: (Span<UInt8>) -> Void
  ) throws(StoreError) -> Bool {
    database.action = "reading the journal"
    let statement = try database.prepare(
      "SELECT payload FROM journal WHERE kind = ?1 ORDER BY id DESC LIMIT 1")
    try statement.bind(1, Int64(kind.rawValue))
    guard try statement.step() else { return false }
    statement.withBytes(0, body)
    return true
  }

  /// When a row happened; nil if it is not there.
  public func instant(ofRow row: Int64) throws(StoreError) -> Instant? {
    database.action = "reading the journal"
    let statement = try database.prepare("SELECT at FROM journal WHERE id = ?1")
    try statement.bind(1, row)
    return try statement.step() ? statement.integer(0) : nil
  }
}
