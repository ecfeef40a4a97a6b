public import Base

/// One MQTT message to publish, as ranges of the arena of its `OutgoingMessages`.
public struct OutgoingMessage: Equatable, Sendable {
  /// The topic. The byte after it is a NUL, for C.
  public var topic: Range<Int>
  /// The payload.
  public var payload: Range<Int>
  /// The instant at which it is due.
  public var at: Instant
  /// True if the broker keeps it for who subscribes later.
  public var isRetained: Bool

  /// A message.
  public init(topic: Range<Int>, payload: Range<Int>, at: Instant, isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.at = at
    self.isRetained = isRetained
  }
}

/// Messages to publish, in order, with the arena of their bytes. Reused from turn to turn.
public struct OutgoingMessages: Sendable {
  /// The messages, in order.
  public private(set) var messages: [OutgoingMessage] = []
  /// The arena of all topics and payloads.
  public private(set) var bytes: [UInt8] = []

  /// No messages.
  public init() {}

  /// Empties it, and keeps its memory.
  public mutating func removeAll() {
    messages.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds a message of which one closure appends the topic and the other the payload.
  @inline(__always)
  public mutating func append(
    at: Instant, isRetained: Bool = false, topic writeTopic: (inout [UInt8]) -> Void,
    payload writePayload: (inout [UInt8]) -> Void
  ) {
    let topicStart = bytes.count
    writeTopic(&bytes)
    let topicEnd = bytes.count
    bytes.append(0)
    writePayload(&bytes)
    messages.append(
      OutgoingMessage(
        topic: topicStart..<topicEnd, payload: topicEnd + 1..<bytes.count, at: at, isRetained: isRetained))
  }
}
