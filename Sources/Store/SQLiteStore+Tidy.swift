import Base

extension SQLiteStore {
  /// Bytes of rows that are cut at once: the pages of a long payload are each read to be freed.
  private static let bytesCutAtOnce: Int64 = 4 << 20

  /// See `Store`.
  public func tidy(_ plan: TidyPlan) throws(StoreError) -> Bool {
    let statements = writing("tidying")
    guard try hasWork(plan) else { return false }
    var next = state
    var nextSweep = sweep
    let hasMore = try transaction(statements) { () throws(StoreError) in
      let journal = try cutJournal(plan, &next)
      let swept = try sweepStep(plan, &nextSweep)
      let ledger = try cutLedger(plan)
      try statements.save(next)
      return journal || swept || ledger
    }
    state = next
    sweep = nextSweep
    return hasMore
  }

  /// Looks at the oldest of each, so that a call with nothing to do writes nothing and waits for no disk.
  private func hasWork(_ plan: TidyPlan) throws(StoreError) -> Bool {
    if sweep != nil { return true }
    if let from = plan.journalFrom, let snapshotRow = state.snapshotRow, state.journalRows > 0,
      state.firstRow <= snapshotRow
    {
      let oldest = try database.integer("SELECT at FROM journal WHERE id = \(state.firstRow)")
      if oldest < from { return true }
    }
    guard let day = plan.ledgerFromDay else { return false }
    return try database.integer("SELECT EXISTS (SELECT 1 FROM ledger WHERE day < \(day))") != 0
  }

  private func cutJournal(_ plan: TidyPlan, _ next: inout StoreState) throws(StoreError) -> Bool {
    guard let from = plan.journalFrom, let snapshotRow = state.snapshotRow else { return false }
    // The lengths of blobs come from the head of a row; their pages are not read.
    let look = try database.prepare(
      """
      SELECT id, at, length(CAST(topic AS BLOB)) + length(payload) + length(properties)
      FROM journal WHERE id <= ?1 ORDER BY id LIMIT ?2
      """)
    try look.bind(1, snapshotRow)
    try look.bind(2, Int64(plan.limit) + 1)
    var rows: Int64 = 0
    var bytes: Int64 = 0
    var last = state.firstRow - 1
    var hasMore = false
    while try look.step() {
      guard look.integer(1) < from else { break }
      guard rows < plan.limit, bytes < SQLiteStore.bytesCutAtOnce else {
        hasMore = true
        break
      }
      last = look.integer(0)
      rows += 1
      bytes += look.integer(2) + StoreState.bytesPerRow
    }
    look.reset()
    try database.execute("DELETE FROM journal WHERE id <= \(last)")
    next.journalRows -= rows
    next.journalBytes -= bytes
    return hasMore
  }

  private func sweepStep(_ plan: TidyPlan, _ place: inout SweepPlace?) throws(StoreError) -> Bool {
    guard var next = place else { return false }
    if next.topic == nil { next = try sweepChunks(plan, next) }
    place = next
    if let topic = next.topic { place = try sweepPositions(plan, next, after: topic) }
    return place != nil
  }

  /// What was confirmed before the snapshot's row is never said again. What was confirmed since it may be, by
  /// timers.
  private func sweepPositions(
    _ plan: TidyPlan, _ from: SweepPlace, after topic: [UInt8]
  ) throws(StoreError) -> SweepPlace? {
    let look = try database.prepare("SELECT topic, row FROM outbox WHERE topic > ?1 ORDER BY topic LIMIT ?2")
    let remove = try database.prepare("DELETE FROM outbox WHERE topic = ?1")
    try look.bind(1, copying: topic)
    try look.bind(2, Int64(plan.limit))
    var next = from
    var count = 0
    var last: [UInt8] = []
    while try look.step() {
      count += 1
      last.removeAll(keepingCapacity: true)
      _ = look.append(0, to: &last)
      guard look.integer(1) < state.snapshotRow ?? 0 else { continue }
      try remove.bind(1, copying: last)
      try remove.run()
    }
    guard count == plan.limit else { return nil }
    next.topic = last
    return next
  }

  private func sweepChunks(_ plan: TidyPlan, _ from: SweepPlace) throws(StoreError) -> SweepPlace {
    let look = try database.prepare(
      """
      SELECT c.id, c.room, c.generation,
        (SELECT max(n.generation) FROM chunk n WHERE n.room = c.room AND n.generation <= ?1)
      FROM chunk c WHERE (c.room, c.generation) > (?2, ?3) ORDER BY c.room, c.generation LIMIT ?4
      """)
    // Of the valid generation of a room that has left, the mark itself goes too; older ones went before it.
    let remove = try database.prepare("DELETE FROM chunk WHERE id = ?1 AND (gone OR generation < ?2)")
    try look.bind(1, state.snapshotGeneration)
    try look.bind(2, copying: from.room)
    try look.bind(3, from.generation)
    try look.bind(4, Int64(plan.limit))
    var next = from
    var count = 0
    while try look.step() {
      count += 1
      next.generation = look.integer(2)
      next.room.removeAll(keepingCapacity: true)
      _ = look.append(1, to: &next.room)
      guard next.generation <= state.snapshotGeneration else { continue }
      try remove.bind(1, look.integer(0))
      try remove.bind(2, look.integer(3))
      try remove.run()
    }
    if count < plan.limit { next.topic = [] }
    return next
  }

  private func cutLedger(_ plan: TidyPlan) throws(StoreError) -> Bool {
    guard let day = plan.ledgerFromDay else { return false }
    try database.execute(
      """
      DELETE FROM ledger WHERE (day, room, sender, gift, receiver) IN (
        SELECT day, room, sender, gift, receiver FROM ledger WHERE day < \(day) LIMIT \(plan.limit))
      """)
    return database.changes == plan.limit
  }
}
