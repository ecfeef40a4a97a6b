import Base
import Wire

/// The messages that the broker has not acknowledged, in order. It, not the MQTT library, is the queue.
///
/// A message stays until its PUBACK. When the connection is lost, all that are left are published again in
/// the same order; renderers drop a sequence number that they have seen.
struct Outbox {
  private struct Entry {
    let topic: Range<Int>
    let payload: Range<Int>
    let isRetained: Bool
    let position: OutputPosition?
    /// The packet id while it is under way.
    var packetID: UInt16?
    var isAcknowledged = false
  }

  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// The first entry that is not done.
  private var first = 0
  /// The first entry that is not under way.
  private var next = 0
  /// Called with each command that is done, in order: it and all before it on its topic need not be sent
  /// again.
  var confirmed: ((_ position: OutputPosition, _ topic: ArraySlice<UInt8>) -> Void)?

  /// Messages added so far.
  private(set) var acceptedCount = 0

  /// Messages that are not acknowledged.
  var count: Int { entries.count - first }

  /// True if every message is acknowledged.
  var isEmpty: Bool { count == 0 }

  /// Bytes of topics and payloads that it holds on to.
  var byteCount: Int { bytes.count - (first < entries.count ? entries[first].topic.lowerBound : bytes.count) }

  /// Adds messages at the end.
  mutating func append(_ outgoing: borrowing OutgoingMessages) {
    let offset = bytes.count
    bytes.append(contentsOf: outgoing.bytes)
    acceptedCount += outgoing.messages.count
    for message in outgoing.messages {
      entries.append(
        Entry(
          topic: message.topic.lowerBound + offset..<message.topic.upperBound + offset,
          payload: message.payload.lowerBound + offset..<message.payload.upperBound + offset,
          isRetained: message.isRetained, position: message.position))
    }
  }

  /// Offers the messages that are not under way, in order, until `publish` has no room or there are no more.
  mutating func publish(
    _ publish: (_ topic: Span<UInt8>, _ payload: Span<UInt8>, _ isRetained: Bool) -> Outcome
  ) {
    while next < entries.count {
      // It was answered before the connection was lost, though one before it was not.
      if entries[next].isAcknowledged {
        next += 1
        continue
      }
      switch offer(entries[next], publish) {
      case .noRoom: return
      case .underWay(let id):
        entries[next].packetID = id
      case .refused:
        entries[next].isAcknowledged = true
      }
      next += 1
    }
    dropDone()
  }

  /// The broker has taken, or refused for good, the message of a packet id.
  mutating func acknowledge(_ id: UInt16) {
    // Brokers answer in order, so it is nearly always the first.
    guard let place = (first..<next).first(where: { entries[$0].packetID == id }) else { return }
    entries[place].packetID = nil
    entries[place].isAcknowledged = true
    dropDone()
  }

  /// The connection is gone: what was under way is published again.
  mutating func connectionLost() {
    for place in first..<next { entries[place].packetID = nil }
    next = first
  }

  private func offer(
    _ entry: Entry, _ publish: (_ topic: Span<UInt8>, _ payload: Span<UInt8>, _ isRetained: Bool) -> Outcome
  ) -> Outcome {
    let arena = bytes.span
    // The topic's range is followed by a zero byte in the arena, for C.
    let topic = arena.extracting(entry.topic.lowerBound..<entry.topic.upperBound + 1)
    return publish(topic, arena.extracting(entry.payload), entry.isRetained)
  }

  private mutating func dropDone() {
    while first < next, entries[first].isAcknowledged {
      if let position = entries[first].position { confirmed?(position, bytes[entries[first].topic]) }
      first += 1
    }
    if first == entries.count {
      entries.removeAll(keepingCapacity: bytes.count <= Outbox.keptBytes)
      bytes.removeAll(keepingCapacity: bytes.count <= Outbox.keptBytes)
      first = 0
      next = 0
    } else if first >= Outbox.compactedEntries, first > entries.count / 2 {
      compact()
    }
  }

  /// Moves what is left to the front. It is at most as much as was done before, so the cost is shared.
  private mutating func compact() {
    let done = entries[first].topic.lowerBound
    bytes.removeFirst(done)
    entries.removeFirst(first)
    for place in entries.indices {
      let entry = entries[place]
      entries[place] = Entry(
        topic: entry.topic.lowerBound - done..<entry.topic.upperBound - done,
        payload: entry.payload.lowerBound - done..<entry.payload.upperBound - done,
        isRetained: entry.isRetained, position: entry.position, packetID: entry.packetID,
        isAcknowledged: entry.isAcknowledged)
    }
    next -= first
    first = 0
  }

  private static let keptBytes = 4 << 20
  private static let compactedEntries = 256
}

extension Outbox {
  /// What became of a message that was offered.
  enum Outcome {
    /// It is under way with this packet id.
    case underWay(UInt16)
    /// Nothing can be published now.
    case noRoom
    /// It can never be published.
    case refused
  }
}
