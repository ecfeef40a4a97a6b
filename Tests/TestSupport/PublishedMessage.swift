public import Base
public import Wire

/// A message that was published, as a test reads it.
public struct PublishedMessage: Equatable {
  /// When it was due, or when it arrived.
  public var at: Instant
  /// Where.
  public var topic: String
  /// What; bytes that are no UTF-8 are U+FFFD.
  public var payload: String
  /// True if it was published to be kept, or had been kept.
  public var isRetained: Bool

  /// A message.
  public init(at: Instant, topic: String, payload: String, isRetained: Bool = false) {
    self.at = at
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }

  /// The payload as a tree; null if it is no JSON.
  public var json: JSONValue {
    let bytes = Array(payload.utf8)
    do {
      return try JSONValue(bytes.span)
    } catch {
      return .null
    }
  }

  /// A member of the payload.
  public subscript(_ name: String) -> JSONValue? { json[name] }
}

extension OutgoingMessages {
  /// The messages, in order.
  public var published: [PublishedMessage] {
    messages.map { message in
      PublishedMessage(
        at: message.at, topic: String(decoding: bytes[message.topic], as: UTF8.self),
        payload: String(decoding: bytes[message.payload], as: UTF8.self), isRetained: message.isRetained)
    }
  }
}
