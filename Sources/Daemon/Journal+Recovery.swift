import Base
import Bridge
import Configuration
import Store
import Wire

/// What a start finds that it cannot go on from.
enum RecoveryFault: Error, CustomStringConvertible {
  /// The saved state does not fit the store: damaged, or of another program.
  case badState(String)

  /// The fault in a sentence.
  var description: String {
    switch self {
    case .badState(let reason): "the saved state cannot be read: \(reason)"
    }
  }
}

/// What an earlier run had done of the rows that are handled again.
struct Replay {
  /// Its last row.
  let lastRow: Int64
  /// The row up to which its ledger and its reports were complete.
  let completedRow: Int64
  /// What it had said by then; 0: nobody knows.
  let outputDigest: UInt64
  /// It may have lived up to here.
  let lease: Instant
  /// What the broker had confirmed, by topic.
  var confirmed: [[UInt8]: OutputPosition] = [:]

  /// Takes out what the broker has confirmed. What has no number is a snapshot of a room, which is said anew
  /// anyway.
  func removeKnown(from outgoing: inout OutgoingMessages, row: Int64) {
    let isComplete = row <= completedRow
    outgoing.removeMessages { message, bytes in
      guard let position = message.position else { return isComplete }
      guard let before = confirmed[Array(bytes[message.topic])] else { return false }
      // A topic's commands are confirmed in order: with one of a later epoch all of the earlier ones.
      guard before.epoch == position.epoch else { return position.epoch < before.epoch }
      return position.sequence <= before.sequence
    }
  }
}

extension Journal {
  /// Goes back to the state that an earlier run saved last. What it recorded since waits then to be handled
  /// again by `catchUp`, and the time since it ended does not count for the rooms. Gives the rows that are
  /// kept out from now on.
  ///
  /// - Parameter before: What the store said of itself before this run began.
  func recover(from before: StoreState, at now: Instant) throws -> [Int64] {
    guard let store else { return [] }
    var quarantined: [Int64] = []
    if let poisonGuard { quarantined = try store.quarantine(suspectsOf: poisonGuard) }
    counters.rowsQuarantined = quarantined.count
    lease = before.lease
    lastRow = store.state.lastRow
    stillSince = before.lastRow > 0 ? before.lease : .min
    try store.forEachRedeliveryPair(limit: SQLiteStore.maxRedeliveryPairs) { id, digest in
      pairs.append(id: id, digest: digest)
    }
    var replay = Replay(
      lastRow: before.lastRow, completedRow: before.completedRow, outputDigest: before.outputDigest,
      lease: before.lease)
    try store.forEachPosition { topic, epoch, sequence in
      replay.confirmed[Array(copying: topic)] = OutputPosition(epoch: epoch, sequence: Int(sequence))
      return true
    }
    if before.lastRow > 0 { self.replay = replay }
    try restoreSnapshot(from: store)
    saving.began(row: handledRow, at: now)
    return quarantined
  }

  /// Handles some of the rows that wait, in order, until `publish` says that nothing more may come.
  ///
  /// - Returns: True if more wait and may be handled.
  func catchUp(publish: (inout OutgoingMessages) -> Bool) throws -> Bool {
    guard let store, mayHandle, isBehind else { return false }
    var outgoing = OutgoingMessages()
    var fault: RowFault?
    var count = 0
    try store.forEachRow(after: handledRow, includingPoison: true) { row, topic, payload, _ in
      do throws(RowFault) {
        try handle(row, topic: topic, payload: payload, into: &outgoing)
      } catch {
        fault = error
        return false
      }
      count += 1
      let goesOn = outgoing.messages.isEmpty || publish(&outgoing)
      outgoing.removeAll()
      return goesOn && count < Journal.rowsAtOnce
    }
    if let fault { throw fault }
    return isBehind && count == Journal.rowsAtOnce
  }

  /// Rows handled in one step of catching up: some milliseconds of work.
  private static let rowsAtOnce = 200

  private func handle(
    _ row: JournalRow, topic: Span<UInt8>, payload: Span<UInt8>, into outgoing: inout OutgoingMessages
  ) throws(RowFault) {
    let isAgain = replay.map { row.id <= $0.lastRow } ?? false
    if isAgain { counters.rowsReplayed += 1 } else { counters.rowsHandledLate += 1 }
    let isMessage = row.kind == .message && !row.isPoison
    if isMessage {
      poisonGuard?.begin(row: row.id, digest: row.digest)
      Trial.handle(payload)
    }
    try bridge.apply(row, topic: topic, payload: payload, into: &outgoing)
    if isMessage { poisonGuard?.end() }
    handledRow = row.id
    if row.kind == .configuration { configurationInForce = bridge.configuration }
    let replayed = replay
    note(&outgoing, from: 0, passing: row.id)
    guard let replayed else { return }
    if row.id <= replayed.completedRow { bridge.ledger?.removeAll() }
    if row.id == replayed.completedRow, replayed.outputDigest != 0 {
      proof = output.atRow == replayed.outputDigest ? .same : .other
    }
  }

  /// Numbers the commands anew, after all rows that there are.
  func beginEpoch(at now: Instant) throws(StoreError) {
    let epoch = instant(now)
    record.addEpoch(epoch, at: stillInstant(now))
    try commitAndHandle(at: now) { $0.beginEpoch(epoch) }
  }

  private func restoreSnapshot(from store: any Store) throws {
    var header: [UInt8] = []
    var rooms: [[UInt8]] = []
    let row = try store.readSnapshot(
      header: { header = Array(copying: $0) },
      room: { _, _, content in
        rooms.append(Array(copying: content))
        return true
      })
    guard let row else { return }
    guard let saved = SnapshotHeader(header) else { throw RecoveryFault.badState("its header is cut off") }
    let inForce = try Configuration.read(bytes: Array(saved.configuration.utf8), file: "journal")
    bridge = try Bridge(configuration: inForce)
    keepLedger()
    configurationInForce = inForce
    output = OutputDigest(saved.outputDigest)
    do {
      try bridge.restore(header: saved.engine)
      for room in rooms { try bridge.restoreRoom(room) }
      try bridge.finishRestoring()
    } catch {
      throw RecoveryFault.badState("\(error)")
    }
    handledRow = row
  }
}
