public import Base

/// One message that the broker sent. Its texts lie in `MessageArena.bytes`.
public struct ReceivedMessage: Equatable, Sendable {
  /// The topic; at least one byte.
  public let topic: TextSlice
  /// The payload; may be empty.
  public let payload: TextSlice
  /// The broker's packet id; 0 with QoS 0. A redelivery has the id of the first delivery.
  public let id: UInt16
  /// 0 or 1.
  public let qos: UInt8
  /// True if the broker had kept it from before we subscribed.
  public let isRetained: Bool
}

/// The messages that were read and not yet recorded, in order. Reused, so that the steady path allocates
/// nothing.
public struct MessageArena: Sendable {
  /// Bytes that may be read after each payload, for a parser that wants padding.
  public static let padding = 64

  /// The messages.
  public private(set) var messages: [ReceivedMessage] = []
  /// Topics and payloads, each payload followed by `padding` zero bytes.
  public private(set) var bytes: [UInt8] = []
  private static let zeros = [UInt8](repeating: 0, count: padding)
  private static let largestCapacityKept = 32 << 20

  /// An empty arena.
  public init() {}

  /// Appends a message.
  mutating func append(
    topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, id: UInt16, qos: UInt8, isRetained: Bool
  ) {
    let topicSlice = unsafe bytes.append(text: topic)
    let payloadSlice = unsafe bytes.append(text: payload)
    bytes.append(contentsOf: Self.zeros)
    messages.append(
      ReceivedMessage(topic: topicSlice, payload: payloadSlice, id: id, qos: qos, isRetained: isRetained))
  }

  /// Empties it and keeps its memory, unless that is more than ordinary traffic needs.
  mutating func removeAll() {
    messages.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.largestCapacityKept)
  }
}
