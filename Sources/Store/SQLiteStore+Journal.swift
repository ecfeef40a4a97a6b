extension SQLiteStore {
  /// Rows that are read in one piece. A read that goes on keeps the log from being started over.
  private static let rowsAtOnce: Int64 = 2000

  private static let rowColumns = """
    id, at, kind, message_id, digest_low, digest_high, engine_version, poison, topic, payload, properties
    """

  /// See `Store`.
  public func forEachRow(
    after: Int64, includingPoison: Bool,
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Bool
  ) throws(StoreError) {
    database.action = "reading the journal"
    let statement = try database.prepare(
      """
      SELECT \(SQLiteStore.rowColumns) FROM journal
      WHERE id > ?1 ORDER BY id LIMIT \(SQLiteStore.rowsAtOnce)
      """)
    isReading = true
    defer { isReading = false }
    var last = after
    var goesOn = true
    var count = SQLiteStore.rowsAtOnce
    while goesOn, count == SQLiteStore.rowsAtOnce {
      count = 0
      try statement.bind(1, last)
      defer { statement.reset() }
      while goesOn, try statement.step() {
        let row = try journalRow(statement)
        guard row.id == last + 1 else { throw .journalCut(after: last, first: row.id) }
        last = row.id
        count += 1
        if row.isPoison && !includingPoison { continue }
        goesOn = try lend(row, statement, body)
      }
    }
    // That nothing is left is no proof: a daemon may have cut what was left since the last piece.
    guard goesOn else { return }
    let state = try SQLiteStore.readState(database)
    if state.firstRow > last + 1 { throw .journalCut(after: last, first: state.firstRow) }
  }

  /// See `Store`.
  public func digest(ofRow row: Int64) throws(StoreError) -> Digest? {
    database.action = "reading the journal"
    let statement = try database.prepare("SELECT digest_low, digest_high FROM journal WHERE id = ?1")
    try statement.bind(1, row)
    guard try statement.step() else { return nil }
    return Digest(
      low: UInt64(bitPattern: statement.integer(0)), high: UInt64(bitPattern: statement.integer(1)))
  }

  /// See `Store`.
  @discardableResult
  public func flagPoison(row: Int64) throws(StoreError) -> Bool {
    let statements = writer("flagging a row as poison")
    precondition(!isReading, "the store is being read")
    let flag = try database.prepare("UPDATE journal SET poison = 1 WHERE id = ?1 AND poison = 0")
    let columns = SQLiteStore.rowColumns
    let keep = try database.prepare(
      "INSERT OR IGNORE INTO poison (\(columns)) SELECT \(columns) FROM journal WHERE id = ?1")
    let trim = try database.prepare(
      "DELETE FROM poison WHERE id <= (SELECT id FROM poison ORDER BY id DESC LIMIT 1 OFFSET ?1)")
    return try transaction(statements) { () throws(StoreError) in
      try flag.bind(1, row)
      try flag.run()
      guard database.changes > 0 else { return false }
      try keep.bind(1, row)
      try keep.run()
      try trim.bind(1, Int64(SQLiteStore.maxPoisonRows))
      try trim.run()
      return true
    }
  }

  /// See `Store`.
  public func forEachPoisonRow(
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Bool
  ) throws(StoreError) {
    database.action = "reading the poison rows"
    let statement = try database.prepare("SELECT \(SQLiteStore.rowColumns) FROM poison ORDER BY id")
    isReading = true
    defer { isReading = false }
    while try statement.step() {
      let row = try journalRow(statement)
      guard try lend(row, statement, body) else { break }
    }
  }

  /// See `Store`.
  public func forEachRedeliveryPair(
    limit: Int, _ body: (_ messageID: UInt16, _ digest: Digest) -> Void
  ) throws(StoreError) {
    database.action = "reading the redelivery pairs"
    let statement = try database.prepare("SELECT first, pairs FROM redelivery ORDER BY first")
    let start = state.pairCount - Int64(min(limit, SQLiteStore.maxRedeliveryPairs))
    while try statement.step() {
      let first = statement.integer(0)
      statement.withBytes(1) { blob in
        let count = blob.count / RedeliveryPairs.byteCount
        for place in 0..<count where first + Int64(place) >= start {
          let pair = RedeliveryPairs.pair(place, of: blob)
          body(pair.messageID, pair.digest)
        }
      }
    }
  }

  /// See `Store`.
  public func forgetRedelivery() throws(StoreError) {
    let statements = writing("forgetting the redelivery pairs")
    try statements.forgetPairs.run()
    oldestPair = state.pairCount
  }

  /// Number of the oldest pair in the file.
  static func oldestPair(_ database: Database, _ state: StoreState) throws(StoreError) -> Int64 {
    try database.integer("SELECT coalesce(min(first), \(state.pairCount)) FROM redelivery")
  }

  private func journalRow(_ statement: Statement) throws(StoreError) -> JournalRow {
    let id = statement.integer(0)
    guard let kind = RowKind(rawValue: UInt8(truncatingIfNeeded: statement.integer(2))) else {
      throw .damage(
        "row \(id) is of no known kind", path: database.path, action: database.action)
    }
    return JournalRow(
      id: id, at: statement.integer(1), kind: kind,
      messageID: UInt16(truncatingIfNeeded: statement.integer(3)),
      digest: Digest(
        low: UInt64(bitPattern: statement.integer(4)), high: UInt64(bitPattern: statement.integer(5))),
      engineVersion: statement.integer(6), isPoison: statement.integer(7) != 0)
  }

  /// SQLite does not check what it reads from the file; a replay of damaged bytes would give other commands.
  private func lend(
    _ row: JournalRow, _ statement: Statement,
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Bool
  ) throws(StoreError) -> Bool {
    let goesOn: Bool? = statement.withBytes(8) { topic in
      statement.withBytes(9) { payload in
        guard Digest(topic: topic, payload: payload) == row.digest else { return nil }
        return statement.withBytes(10) { body(row, topic, payload, $0) }
      }
    }
    guard let goesOn else {
      throw .damage(
        "the digest of row \(row.id) does not match", path: database.path, action: database.action)
    }
    return goesOn
  }
}
