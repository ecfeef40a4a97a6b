import Base

extension SQLiteStore {
  /// See `Store`.
  @discardableResult
  public func commit(_ turn: TurnRecord) throws(StoreError) -> Range<Int64> {
    let first = state.lastRow + 1
    guard !turn.isEmpty else { return first..<first }
    let statements = writing("committing a turn")
    // Written to only when the commit has succeeded, so that a failed turn leaves no trace in memory either.
    var next = state
    var nextOldestPair = oldestPair
    try transaction(statements) { () throws(StoreError) in
      try addRows(of: turn, &next, &nextOldestPair, statements)
      try addLedger(of: turn, statements)
      try addPositions(of: turn, lastRow: next.lastRow, statements)
      try addChunks(of: turn, &next, statements)
      advance(&next, by: turn)
      try statements.save(next)
    }
    if next.snapshotGeneration != state.snapshotGeneration { sweep = SweepPlace() }
    state = next
    oldestPair = nextOldestPair
    return first..<next.lastRow + 1
  }

  /// Runs `body` in a transaction of the run's prepared statements.
  func transaction<Result>(
    _ statements: WriteStatements, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try statements.begin.run()
    do {
      let result = try body()
      try statements.end.run()
      return result
    } catch {
      database.rollBack()
      throw error
    }
  }

  private func advance(_ next: inout StoreState, by turn: TurnRecord) {
    if let lease = turn.lease { next.lease = max(next.lease, lease) }
    if let completed = turn.completedRow {
      precondition(
        completed >= next.completedRow && completed <= next.lastRow,
        "what is complete grows with the journal, and stays behind it")
      next.completedRow = completed
      next.outputDigest = turn.outputDigest
    }
    precondition(
      turn.ledgerDeltas.isEmpty || turn.completedRow != nil,
      "a ledger without its stamp would be counted twice after a crash")
  }

  func addRows(
    of turn: TurnRecord, _ next: inout StoreState, _ nextOldestPair: inout Int64,
    _ statements: WriteStatements
  ) throws(StoreError) {
    let bytes = turn.rowBytes.span
    packedPairs.removeAll(keepingCapacity: true)
    for row in turn.rows {
      next.lastRow += 1
      next.journalRows += 1
      next.journalBytes +=
        StoreState.bytesPerRow + Int64(row.topic.count + row.payload.count + row.properties.count)
      let statement = statements.addRow
      try statement.bind(1, next.lastRow)
      try statement.bind(2, row.at)
      try statement.bind(3, Int64(row.kind.rawValue))
      try statement.bind(4, Int64(row.messageID))
      try statement.bind(5, Int64(bitPattern: row.digest.low))
      try statement.bind(6, Int64(bitPattern: row.digest.high))
      try statement.bind(7, state.engineVersion)
      try statement.bind(8, text: bytes.extracting(row.topic.range))
      try statement.bind(9, bytes: bytes.extracting(row.properties.range))
      try statement.bind(10, bytes: bytes.extracting(row.payload.range))
      try statement.run()
      if row.kind == .sessionLost {
        packedPairs.removeAll(keepingCapacity: true)
        try statements.forgetPairs.run()
        nextOldestPair = next.pairCount
      } else if row.kind == .message, row.messageID != 0 {
        RedeliveryPairs.append(row.messageID, row.digest, to: &packedPairs)
      }
    }
    try addPairs(&next, &nextOldestPair, statements)
  }

  private func addPairs(
    _ next: inout StoreState, _ nextOldestPair: inout Int64, _ statements: WriteStatements
  ) throws(StoreError) {
    guard !packedPairs.isEmpty else { return }
    // A second reference, not a copy: a property of a class lends no span.
    let pairs = packedPairs
    try statements.addPairs.bind(1, next.pairCount)
    try statements.addPairs.bind(2, bytes: pairs.span)
    try statements.addPairs.run()
    next.pairCount += Int64(packedPairs.count / RedeliveryPairs.byteCount)
    // Trimmed now and then, so that an ordinary turn touches the end of the table only.
    let wanted = next.pairCount - Int64(SQLiteStore.maxRedeliveryPairs)
    guard wanted - nextOldestPair >= RedeliveryPairs.slack else { return }
    try statements.trimPairs.bind(1, wanted)
    try statements.trimPairs.run()
    nextOldestPair = wanted
  }

  private func addLedger(of turn: TurnRecord, _ statements: WriteStatements) throws(StoreError) {
    let bytes = turn.bytes.span
    for delta in turn.ledgerDeltas {
      let statement = statements.addLedger
      try statement.bind(1, Int64(delta.day))
      try statement.bind(2, text: bytes.extracting(delta.room.range))
      try statement.bind(3, text: bytes.extracting(delta.sender.range))
      try statement.bind(4, text: bytes.extracting(delta.gift.range))
      try statement.bind(5, text: bytes.extracting(delta.receiver.range))
      try statement.bind(6, delta.count)
      try statement.bind(7, delta.value)
      try statement.run()
    }
  }

  private func addPositions(
    of turn: TurnRecord, lastRow: Int64, _ statements: WriteStatements
  ) throws(StoreError) {
    let bytes = turn.bytes.span
    for position in turn.positions {
      try statements.addPosition.bind(1, text: bytes.extracting(position.topic.range))
      try statements.addPosition.bind(2, position.epoch)
      try statements.addPosition.bind(3, position.sequence)
      try statements.addPosition.bind(4, lastRow)
      try statements.addPosition.run()
    }
  }

  private func addChunks(
    of turn: TurnRecord, _ next: inout StoreState, _ statements: WriteStatements
  ) throws(StoreError) {
    let bytes = turn.bytes.span
    for chunk in turn.chunks {
      let room = bytes.extracting(chunk.room.range)
      let content = bytes.extracting(chunk.content.range)
      let statement = statements.addChunk
      try statement.bind(1, text: room)
      try statement.bind(2, state.snapshotGeneration + 1)
      try statement.bind(3, chunk.isGone ? 1 : 0)
      try statement.bind(4, chunk.row)
      try statement.bind(5, SnapshotChunk.checksum(room: room, row: chunk.row, content: content))
      try statement.bind(6, bytes: content)
      try statement.run()
    }
    guard let row = turn.finishedSnapshotRow else { return }
    precondition(row <= state.lastRow, "a snapshot holds what rows of earlier turns led to")
    precondition(row >= state.snapshotRow ?? 0, "a snapshot is not older than the one before")
    next.snapshotGeneration += 1
    next.snapshotRow = row
  }
}

/// How redelivery pairs lie in their blobs: message id, then both lanes of the digest.
enum RedeliveryPairs {
  /// Bytes of a pair.
  static let byteCount = 18
  /// Pairs that may be there beyond those that are kept, before they are trimmed.
  static let slack: Int64 = 4096

  /// Appends a pair to a blob.
  static func append(_ messageID: UInt16, _ digest: Digest, to blob: inout [UInt8]) {
    LittleEndian.append(UInt64(messageID), count: 2, to: &blob)
    LittleEndian.append(digest.low, to: &blob)
    LittleEndian.append(digest.high, to: &blob)
  }

  /// Reads pair `place` of a blob.
  static func pair(_ place: Int, of blob: Span<UInt8>) -> (messageID: UInt16, digest: Digest) {
    let start = place * byteCount
    let messageID = UInt16(blob[start]) | UInt16(blob[start + 1]) << 8
    let low = LittleEndian.word(at: start + 2, of: blob)
    let high = LittleEndian.word(at: start + 10, of: blob)
    return (messageID, Digest(low: low, high: high))
  }
}
