/// The statements of the data path, prepared once for a run.
final class WriteStatements {
  let begin: Statement
  let end: Statement
  let addRow: Statement
  let addPairs: Statement
  let trimPairs: Statement
  let forgetPairs: Statement
  let addLedger: Statement
  let addPosition: Statement
  let addChunk: Statement
  let saveState: Statement

  /// Prepares them all.
  init(_ database: Database) throws(StoreError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    end = try database.prepare("COMMIT")
    addRow = try database.prepare(
      """
      INSERT INTO journal
        (id, at, kind, message_id, digest_low, digest_high, engine_version, topic, properties, payload)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    addPairs = try database.prepare("INSERT INTO redelivery (first, pairs) VALUES (?1, ?2)")
    trimPairs = try database.prepare(
      "DELETE FROM redelivery WHERE first < (SELECT max(first) FROM redelivery WHERE first <= ?1)")
    forgetPairs = try database.prepare("DELETE FROM redelivery")
    // SQLite would turn a sum that does not fit into a floating-point number.
    addLedger = try database.prepare(
      """
      INSERT INTO ledger (day, room, sender, gift, receiver, count, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT DO UPDATE SET
        count = iif(count > \(Int64.max) - excluded.count, \(Int64.max), count + excluded.count),
        value = iif(value > \(Int64.max) - excluded.value, \(Int64.max), value + excluded.value)
      """)
    addPosition = try database.prepare(
      """
      INSERT INTO outbox (topic, epoch, sequence, row) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET epoch = excluded.epoch, sequence = excluded.sequence, row = excluded.row
      """)
    addChunk = try database.prepare(
      """
      INSERT OR REPLACE INTO chunk (room, generation, gone, at_row, checksum, content)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    saveState = try database.prepare(
      """
      UPDATE state SET lease = ?1, last_row = ?2, completed_row = ?3, journal_rows = ?4, journal_bytes = ?5,
        pair_count = ?6, snapshot_generation = ?7, snapshot_row = ?8, output_digest = ?9
      """)
  }

  /// Writes the numbers that change from turn to turn.
  func save(_ state: StoreState) throws(StoreError) {
    try saveState.bind(1, state.lease)
    try saveState.bind(2, state.lastRow)
    try saveState.bind(3, state.completedRow)
    try saveState.bind(4, state.journalRows)
    try saveState.bind(5, state.journalBytes)
    try saveState.bind(6, state.pairCount)
    try saveState.bind(7, state.snapshotGeneration)
    try saveState.bind(8, state.snapshotRow ?? 0)
    try saveState.bind(9, Int64(bitPattern: state.outputDigest))
    try saveState.run()
  }
}
