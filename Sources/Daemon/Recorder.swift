import Base
import MQTT

/// Where a turn's messages are recorded before they are acknowledged.
protocol Recorder: AnyObject {
  /// Records the messages of a turn. Only when it returns may they be acknowledged; when it throws, the connection
  /// is dropped, and the broker sends them again.
  func record(_ messages: ArraySlice<ReceivedMessage>, in arena: MessageArena, at instant: Instant) throws
}

/// Records nothing beyond this life: what was acknowledged and not shown dies with the process.
final class MemoryRecorder: Recorder {
  /// Messages recorded so far.
  private(set) var messageCount = 0

  func record(_ messages: ArraySlice<ReceivedMessage>, in arena: MessageArena, at instant: Instant) {
    messageCount += messages.count
  }
}
