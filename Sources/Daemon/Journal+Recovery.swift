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

extension Journal {
  /// Goes on from what an earlier run left: its saved state, and the rows since then handled again; then the engine
  /// lives up to its lease. Commands that the broker had not confirmed are handed to `publish`, the same bytes.
  func recover(at now: Instant, publish: (inout OutgoingMessages) -> Void) throws {
    guard let store else { return }
    if let poisonGuard { _ = try store.quarantine(suspectsOf: poisonGuard) }
    let before = store.state
    lease = before.lease
    lastRow = before.lastRow
    livedUntil = before.lastRow > 0 ? before.lease : .min
    try store.forEachRedeliveryPair(limit: SQLiteStore.maxRedeliveryPairs) { id, digest in
      pairs.append(id: id, digest: digest)
    }
    var replay = Replay(completedRow: before.completedRow)
    try store.forEachPosition { topic, epoch, sequence in
      replay.confirmed[Array(copying: topic)] = OutputPosition(epoch: epoch, sequence: Int(sequence))
      return true
    }
    try restoreSnapshot(from: store, &replay)
    try store.forEachRow(after: handledRow, includingPoison: true) { row, topic, payload, _ in
      handleAgain(row, topic: topic, payload: payload, &replay)
      replay.handOver(publish)
      return replay.fault == nil
    }
    if let fault = replay.fault { throw fault }
    handledRow = lastRow
    replay.completedRow = 0
    if livedUntil > .min { bridge.advance(to: livedUntil, into: &replay.outgoing) }
    replay.handOver(publish)
    try takeOverConfiguration(replay.configurationText, at: now, &replay)
    replay.handOver(publish)
    saving.began(row: handledRow, at: now)
  }

  /// The configuration is a row like every input: so a replay handles each row under the one that was in force.
  private func takeOverConfiguration(_ inForce: String?, at now: Instant, _ replay: inout Replay) throws {
    let text = configuration.canonicalText
    guard inForce != text else { return }
    let at = instant(now)
    record.addConfiguration(at: at, canonical: Array(text.utf8).span)
    try commit(at: now)
    try bridge.adopt(configuration, at: at, into: &replay.outgoing)
    handledRow = lastRow
  }

  private func restoreSnapshot(from store: any Store, _ replay: inout Replay) throws {
    var header: [UInt8] = []
    var rooms: [[UInt8]] = []
    let row = try store.readSnapshot(
      header: { header = Array(copying: $0) },
      room: { _, _, content in
        rooms.append(Array(copying: content))
        return true
      })
    guard let row else { return }
    let (text, engineHeader) = try SnapshotSaving.split(header)
    try use(Array(text.utf8))
    replay.configurationText = text
    do {
      try bridge.restore(header: engineHeader)
      for room in rooms { try bridge.restoreRoom(room) }
      try bridge.finishRestoring()
    } catch {
      throw RecoveryFault.badState("\(error)")
    }
    handledRow = row
  }

  /// Begins with a bridge of the configuration that was in force.
  private func use(_ text: [UInt8]) throws {
    bridge = try Bridge(configuration: try Configuration.read(bytes: text, file: "journal"))
    keepLedger()
  }

  private func handleAgain(
    _ row: JournalRow, topic: Span<UInt8>, payload: Span<UInt8>, _ replay: inout Replay
  ) {
    counters.rowsReplayed += 1
    replay.row = row.id
    poisonGuard?.begin(row: row.id, digest: row.digest)
    do throws(RowFault) {
      try bridge.apply(row, topic: topic, payload: payload, into: &replay.outgoing)
    } catch {
      replay.fault = error
    }
    poisonGuard?.end()
    if row.kind == .configuration {
      replay.configurationText = String(decoding: Array(copying: payload), as: UTF8.self)
    }
    if row.id <= replay.completedRow { bridge.ledger?.removeAll() }
    handledRow = row.id
  }
}

/// What a replay keeps in mind.
private struct Replay {
  /// The row up to which the ledger and the reports were complete.
  var completedRow: Int64
  /// The row in hand.
  var row: Int64 = 0
  /// Where the broker's confirmations were.
  var confirmed: [[UInt8]: OutputPosition] = [:]
  /// The configuration in force; nil before the first.
  var configurationText: String?
  var outgoing = OutgoingMessages()
  /// Why the replay cannot go on.
  var fault: (any Error)?

  init(completedRow: Int64) { self.completedRow = completedRow }

  /// Hands over what the broker has not confirmed. Reports of a row that was complete were published then.
  mutating func handOver(_ publish: (inout OutgoingMessages) -> Void) {
    guard !outgoing.messages.isEmpty else { return }
    let confirmed = confirmed
    let isComplete = row <= completedRow
    outgoing.removeMessages { message, bytes in
      guard let position = message.position else { return isComplete }
      guard let before = confirmed[Array(bytes[message.topic])] else { return false }
      return before.epoch == position.epoch && position.sequence <= before.sequence
    }
    if !outgoing.messages.isEmpty { publish(&outgoing) }
    outgoing.removeAll()
  }
}
