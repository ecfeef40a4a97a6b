import Base
import Bridge
import Configuration
import Simulation
import Store
import Wire

/// A store as a daemon leaves it that was killed: so many batches recorded since the last saved state, and
/// what they led to confirmed by the broker. What a start on it takes is the replay.
enum PreparedJournal {
  /// Batches that arrive at one instant, as in a busy turn.
  private static let batchesPerTurn = 20
  private static let rooms = 1000

  /// Writes a store with `rows` batches of 20 events into a folder that must be there.
  static func write(rows: Int, to directory: String) throws {
    let store = try SQLiteStore(directory: directory, instance: "bench", durability: .power, now: 1)
    try store.start(instance: "bench", bootID: "", engineVersion: 1)
    var bridge = try Bridge(configuration: .defaults)
    var outgoing = OutgoingMessages()
    var workload = Workload(seed: 1, rooms: rooms)
    var positions: [[UInt8]: OutputPosition] = [:]
    var turn = TurnRecord()
    turn.addConfiguration(at: 1, canonical: Array(Configuration.defaults.canonicalText.utf8).span)
    var topic: [UInt8] = []
    var payload: [UInt8] = []
    for row in 0..<rows {
      workload.next(topic: &topic, payload: &payload)
      let instant = Instant(1000 + row / batchesPerTurn * batchesPerTurn)
      turn.addMessage(
        at: instant, topic: topic.span, payload: payload.span, messageID: 0,
        digest: Digest(topic: topic.span, payload: payload.span), properties: [UInt8]().span)
      bridge.receive(topic: topic.span, payload: payload.span, at: instant, into: &outgoing)
      for message in outgoing.messages {
        if let position = message.position { positions[Array(outgoing.bytes[message.topic])] = position }
      }
      outgoing.removeAll()
      guard row % 1000 == 999 || row == rows - 1 else { continue }
      turn.lease = instant + 1000
      try store.commit(turn)
      turn.removeAll()
    }
    for (topic, position) in positions {
      turn.addPosition(topic: topic.span, epoch: position.epoch, sequence: Int64(position.sequence))
    }
    try store.commit(turn)
  }
}
