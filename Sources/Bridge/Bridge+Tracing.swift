public import Base
public import Wire

/// Watches what a bridge makes of messages, for who asks why. A bridge without one pays nothing for it.
public protocol BridgeTracer: AnyObject {
  /// Commands were made, and with them what became of events and groups (`CommandBuffer.trace`). `batch` is the message
  /// whose events they are of, or was handled last.
  func bridgeMade(_ output: borrowing CommandBuffer, batch: borrowing EventBatch)

  /// Something of the message in hand was refused.
  func bridgeRefused(_ rejections: [Rejection])
}

extension Bridge {
  /// Which element of a message is whose, valid or not. Nil if no input takes its topic, or it cannot be read at all.
  public mutating func identities(topic: Span<UInt8>, payload: Span<UInt8>) -> [ElementIdentity]? {
    guard case .input(let input, _) = door.topics.route(topic) else { return nil }
    return decoder.identities(in: payload, input: door.inputs[input])
  }

  /// The room of a message's topic; nil if no input takes it or the name is none.
  public func room(ofTopic topic: Span<UInt8>) -> [UInt8]? {
    guard case .input(_, let room) = door.topics.route(topic) else { return nil }
    return Array(copying: topic.extracting(room))
  }
}
