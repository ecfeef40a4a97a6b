import Base
import EventLoop
import MQTT
import Telemetry

/// The connection IN: reads, records, acknowledges, and hands the messages on, in this order.
final class Intake: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let log: Log
  private let recorder: any Recorder
  private var hadSession = false
  private var unansweredFilters: Set<String> = []
  /// Called with each message once it is recorded and its acknowledgement is on its way.
  var received: ((_ topic: Span<UInt8>, _ payload: Span<UInt8>, _ isRetained: Bool) -> Void)?
  /// Called after the messages of a turn.
  var turnEnded: (() -> Void)?
  /// Called when the connection opens or ends, and when all filters are subscribed.
  var connectionChanged: (() -> Void)?

  init(
    _ settings: MQTTSettings, filters: [String], recorder: any Recorder, loop: EventLoop, log: Log,
    generator: any RandomNumberGenerator
  ) throws(MQTTFault) {
    connection = try MQTTConnection(settings, loop: loop, generator: generator)
    self.recorder = recorder
    self.loop = loop
    self.log = log
    unansweredFilters = Set(filters)
    connection.setFilters(filters)
    connection.delegate = self
  }

  /// True if the broker granted every filter.
  var isSubscribed: Bool { connection.isOnline && unansweredFilters.isEmpty }

  /// True if it neither is connected nor tries to.
  var isIdle: Bool { connection.isIdle }

  /// Connects, and from then on comes back after every loss.
  func start() { connection.start() }

  /// Leaves cleanly; the broker keeps the session and what comes meanwhile.
  func disconnect() { connection.disconnect() }

  /// Leaves at once.
  func drop() { connection.dropConnection() }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    if hadSession && !sessionPresent {
      log.write(
        .error, "the broker lost our session: what it had queued for us is gone",
        LogField("client", .text(connection.settings.clientID)), at: loop.clock.now)
    }
    hadSession = true
    unansweredFilters = Set(connection.filters)
    connectionChanged?()
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    let field = LogField("filter", .text(filter))
    switch answer {
    case .granted:
      unansweredFilters.remove(filter)
      if unansweredFilters.isEmpty {
        log.write(
          .notice, "subscribed", LogField("client", .text(connection.settings.clientID)), at: loop.clock.now)
      }
    case .grantedWithoutAcknowledgement:
      unansweredFilters.remove(filter)
      log.write(.error, "granted with QoS 0 only: messages can be lost", field, at: loop.clock.now)
    case .refused(let reason):
      log.write(
        .error, "the broker refused a filter: nothing will come for it", field,
        LogField("reason", "\(reason)"), at: loop.clock.now)
    }
    connectionChanged?()
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    do {
      try recorder.record(arena.messages[...], in: arena, at: loop.clock.now)
    } catch {
      log.write(
        .error, "cannot record: nothing is acknowledged", LogField("fault", "\(error)"), at: loop.clock.now)
      return connection.dropConnection()
    }
    connection.flush()
    for message in arena.messages {
      let bytes = arena.bytes.span
      received?(
        bytes.extracting(message.topic.range), bytes.extracting(message.payload.range), message.isRetained)
    }
    turnEnded?()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {}

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    log.ending(of: connection, reason, retryAt: retryAt, at: loop.clock.now)
    connectionChanged?()
  }
}
