import Base
import EventLoop
import MQTT
import TestSupport

/// A message as a test sees it.
struct Message: Equatable {
  var topic: String
  var payload: String
  var id: UInt16 = 0
  var isRetained = false
}

/// Notes what a connection's owner is told, and acknowledges like one.
final class Recorder: MQTTConnectionDelegate {
  enum Event: Equatable {
    case opened(sessionPresent: Bool)
    case answered(String, SubscriptionAnswer)
    case acknowledged(UInt16, MQTTReason)
    case ended(DisconnectReason, retries: Bool)
  }

  let connection: MQTTConnection
  var events: [Event] = []
  var messages: [Message] = []
  var retryAt: Instant?
  /// True: each message is recorded and acknowledged as it comes.
  var recordsAtOnce = true
  var onReceive: () -> Void = {}
  private var seenCount = 0

  init(_ connection: MQTTConnection) {
    self.connection = connection
    connection.delegate = self
  }

  var opened: [Bool] {
    events.compactMap { if case .opened(let sessionPresent) = $0 { sessionPresent } else { nil } }
  }
  var endings: [DisconnectReason] {
    events.compactMap { if case .ended(let reason, _) = $0 { reason } else { nil } }
  }
  var acknowledgements: [MQTTReason] {
    events.compactMap { if case .acknowledged(_, let reason) = $0 { reason } else { nil } }
  }
  var payloads: [String] { messages.map(\.payload) }

  func isSubscribed(_ filter: String) -> Bool { events.contains(.answered(filter, .granted)) }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    seenCount = 0
    events.append(.opened(sessionPresent: sessionPresent))
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    events.append(.answered(filter, answer))
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    // Without flush the arena grows, and the news is at its end.
    if arena.messages.count <= seenCount { seenCount = 0 }
    for message in arena.messages[seenCount...] {
      messages.append(
        Message(
          topic: arena.bytes.string(message.topic), payload: arena.bytes.string(message.payload),
          id: message.id, isRetained: message.isRetained))
    }
    seenCount = arena.messages.count
    onReceive()
    if recordsAtOnce {
      connection.flush()
      seenCount = 0
    }
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    events.append(.acknowledged(id, reason))
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    self.retryAt = retryAt
    events.append(.ended(reason, retries: retryAt != nil))
  }
}

/// A loop with connections to one broker.
struct Studio {
  let loop: EventLoop
  let port: UInt16

  init(port: UInt16, loop: EventLoop? = nil) throws {
    self.loop = try loop ?? EventLoop.forTest()
    self.port = port
  }

  /// A connection that has not been started, with short waits.
  func client(
    _ id: String, _ version: MQTTVersion = .v5, filters: [String] = [],
    _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> Recorder {
    var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: id)
    settings.version = version
    settings.minBackOffMilliseconds = 20
    settings.maxBackOffMilliseconds = 200
    change(&settings)
    let connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.setFilters(filters)
    return Recorder(connection)
  }

  /// Starts a client and waits until it is online and its filters are answered.
  func start(_ recorder: Recorder, filters: [String] = []) -> Bool {
    recorder.connection.start()
    return loop.turn { recorder.connection.isOnline && filters.allSatisfy(recorder.isSubscribed) }
  }
}
