public import Base
public import Wire

/// Watches what a bridge makes of messages, for who asks why. A bridge without one pays nothing for it.
public protocol BridgeTracer: AnyObject {
  /// Commands were made, and with them what became of events and groups (`CommandBuffer.trace`). `batch` is
  /// the message whose events they are of, or was handled last.
  func bridgeMade(_ output: borrowing CommandBuffer, batch: borrowing EventBatch)

  /// Something of the message in hand was refused.
  func bridgeRefused(_ rejections: [Rejection])
}

extension Bridge {
  /// Which element of a message is whose, valid or not. Nil if no input takes its topic, or it cannot be read
  /// at all.
  public mutating func identities(topic: Span<UInt8>, payload: Span<UInt8>) -> [ElementIdentity]? {
    switch door.topics.route(topic) {
    case .input(let input, _), .inputOfAnyRoom(let input):
      return decoder.identities(in: payload, input: door.inputs[input])
    case .badRoom, .control, .feedback, .unknown: return nil
    }
  }

  /// The room that a message's topic or its input says; nil if neither does, or the name is none.
  public func room(ofTopic topic: Span<UInt8>) -> [UInt8]? {
    switch door.topics.route(topic) {
    case .input(_, let room): return Array(copying: topic.extracting(room))
    case .inputOfAnyRoom(let input): return door.fixedRooms[input]
    case .control(let room), .feedback(let room):
      return TopicLayout.isRoomName(topic, room) ? Array(copying: topic.extracting(room)) : nil
    case .badRoom, .unknown: return nil
    }
  }

  /// True if events of a room may be in a message: its topic says that room, or the payload says the rooms.
  public func mayConcern(room: [UInt8], topic: Span<UInt8>) -> Bool {
    switch door.topics.route(topic) {
    case .input, .inputOfAnyRoom: self.room(ofTopic: topic).map { $0 == room } ?? true
    case .badRoom, .control, .feedback, .unknown: false
    }
  }
}
