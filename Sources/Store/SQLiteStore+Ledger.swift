public import Base

extension SQLiteStore {
  /// See `Store`.
  public func forEachLedgerLine(
    by columns: LedgerColumns, _ filter: LedgerFilter, _ body: (LedgerLine) -> Bool
  ) throws(StoreError) {
    database.action = "reading the ledger"
    let statement = try database.prepare(SQLiteStore.query(columns, hasRoom: filter.room != nil))
    try statement.bind(1, Int64(filter.firstDay))
    try statement.bind(2, Int64(filter.lastDay))
    if let room = filter.room { try statement.bind(3, copying: room) }
    isReading = true
    defer { isReading = false }
    var line = LedgerLine()
    while try statement.step() {
      line.bytes.removeAll(keepingCapacity: true)
      line.day = Int32(truncatingIfNeeded: statement.integer(0))
      line.room = statement.append(1, to: &line.bytes)
      line.sender = statement.append(2, to: &line.bytes)
      line.gift = statement.append(3, to: &line.bytes)
      line.receiver = statement.append(4, to: &line.bytes)
      line.count = SQLiteStore.sum(high: statement.integer(5), low: statement.integer(6))
      line.value = SQLiteStore.sum(high: statement.integer(7), low: statement.integer(8))
      guard body(line) else { break }
    }
    statement.reset()
  }

  /// See `Store`.
  public func forEachPosition(
    _ body: (_ topic: Span<UInt8>, _ epoch: Instant, _ sequence: Int64) -> Bool
  ) throws(StoreError) {
    database.action = "reading the positions"
    let statement = try database.prepare("SELECT topic, epoch, sequence FROM outbox ORDER BY topic")
    isReading = true
    defer { isReading = false }
    while try statement.step() {
      let goesOn = statement.withBytes(0) { body($0, statement.integer(1), statement.integer(2)) }
      if !goesOn { break }
    }
    statement.reset()
  }

  /// SQLite's `sum` ends a query with an error where the result does not fit, so both halves of the numbers
  /// are added up for themselves.
  private static func query(_ columns: LedgerColumns, hasRoom: Bool) -> String {
    let names: [(LedgerColumns, String)] = [
      (.day, "day"), (.room, "room"), (.sender, "sender"), (.gift, "gift"), (.receiver, "receiver"),
    ]
    let selected = names.map { columns.contains($0.0) ? $0.1 : $0.0 == .day ? "0" : "''" }
    let grouped = names.filter { columns.contains($0.0) }.map(\.1).joined(separator: ", ")
    var query = """
      SELECT \(selected.joined(separator: ", ")),
        sum(count >> 32), sum(count & 4294967295), sum(value >> 32), sum(value & 4294967295)
      FROM ledger WHERE day BETWEEN ?1 AND ?2
      """
    if hasRoom { query += " AND room = ?3" }
    // Without a column to group by there is one line, and none where nothing was given.
    query += grouped.isEmpty ? " HAVING count(*) > 0" : " GROUP BY \(grouped) ORDER BY \(grouped)"
    return query
  }

  private static func sum(high: Int64, low: Int64) -> Int64 {
    let carried = high + low >> 32
    guard carried < 1 << 31 else { return .max }
    return carried << 32 | low & 0xffff_ffff
  }
}
