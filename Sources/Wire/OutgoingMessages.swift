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
  /// Its epoch and number on its topic: a command's own, or of what is reported of a row the row's; nil: it
  /// has none.
  public var position: OutputPosition?

  /// A message.
  public init(
    topic: Range<Int>, payload: Range<Int>, at: Instant, isRetained: Bool, position: OutputPosition? = nil
  ) {
    self.topic = topic
    self.payload = payload
    self.at = at
    self.isRetained = isRetained
    self.position = position
  }
}

/// Where a command stands on its topic.
public struct OutputPosition: Equatable, Sendable {
  /// The instant at which the room's engine was born.
  public var epoch: Instant
  /// From 1, in an epoch.
  public var sequence: Int

  /// A place on a topic.
  public init(epoch: Instant, sequence: Int) {
    self.epoch = epoch
    self.sequence = sequence
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

  /// Removes the messages for which `isUnwanted` says so; their bytes stay until all is emptied.
  public mutating func removeMessages(where isUnwanted: (OutgoingMessage, [UInt8]) -> Bool) {
    let arena = bytes
    messages.removeAll { isUnwanted($0, arena) }
  }

  /// Empties it, and keeps its memory.
  public mutating func removeAll() {
    messages.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds a message of which one closure appends the topic and the other the payload.
  @inline(__always)
  public mutating func append(
    at: Instant, isRetained: Bool = false, position: OutputPosition? = nil,
    topic writeTopic: (inout [UInt8]) -> Void,
    payload writePayload: (inout [UInt8]) -> Void
  ) {
    let topicStart = bytes.count
    writeTopic(&bytes)
    let topicEnd = bytes.count
    bytes.append(0)
    writePayload(&bytes)
    messages.append(
      OutgoingMessage(
        topic: topicStart..<topicEnd, payload: topicEnd + 1..<bytes.count, at: at, isRetained: isRetained,
        position: position))
  }
}
