import Base
import Configuration
import EventLoop
import MQTT
import Telemetry

/// The connection IN: reads, records, acknowledges, and hands the messages on, in this order.
final class Intake: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let log: Log
  private var unansweredFilters: Set<String> = []
  private var refusedFilters: Set<String> = []
  /// Filters that an earlier run subscribed, and we do not want.
  var obsoleteFilters: [String] = []
  /// Called with the messages of a turn: records them, or throws, and then the connection is dropped.
  var record: ((MessageArena) throws -> Void)?
  /// Called with them once their acknowledgements are on their way.
  var handle: ((MessageArena) -> Void)?
  /// Called when the broker has accepted us, before anything is read.
  var opened: ((_ sessionPresent: Bool) throws -> Void)?
  /// Called when the connection opens or ends, and when all filters are subscribed.
  var connectionChanged: (() -> Void)?

  init(
    _ settings: MQTTSettings, filters: [String], loop: EventLoop, log: Log,
    generator: any RandomNumberGenerator
  ) throws(MQTTFault) {
    connection = try MQTTConnection(settings, loop: loop, generator: generator)
    self.loop = loop
    self.log = log
    unansweredFilters = Set(filters)
    connection.setFilters(filters)
    connection.delegate = self
  }

  /// True if the broker accepted us.
  var isOnline: Bool { connection.isOnline }

  /// True if the broker granted every filter.
  var isSubscribed: Bool { isOnline && unansweredFilters.isEmpty && refusedFilters.isEmpty }

  /// What the connection counts.
  var counters: MQTTCounters { connection.counters }

  /// True since the broker accepted us, until the end is told.
  private var wasOnline = false

  /// Why the last connection ended, or was not made.
  private(set) var lastEnding: DisconnectReason?

  /// A filter that the broker refused.
  var refusedFilter: String? { refusedFilters.min() }

  /// True if it neither is connected nor tries to.
  var isIdle: Bool { connection.isIdle }

  /// Subscribes these instead of those before, at once or when the connection opens.
  func setFilters(_ filters: [String]) {
    unansweredFilters = unansweredFilters.union(filters).subtracting(connection.filters)
    if !isOnline { unansweredFilters = Set(filters) }
    refusedFilters.formIntersection(filters)
    connection.setFilters(filters)
  }

  /// Reads user properties as the inputs of a configuration say.
  func readProperties(for configuration: Configuration) {
    do throws(TopicFilterFault) {
      connection.rewriter = try PropertyEnvelope.rewriter(of: configuration)
    } catch {
      preconditionFailure("the filters were checked when the configuration was read: \(error)")
    }
  }

  /// Connects, and from then on comes back after every loss.
  func start() { connection.start() }

  /// Leaves cleanly; the broker keeps the session and what comes meanwhile.
  func disconnect() { connection.disconnect() }

  /// Leaves at once.
  func drop() { connection.dropConnection() }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    wasOnline = true
    do {
      try opened?(sessionPresent)
    } catch {
      return drop(after: error)
    }
    for filter in obsoleteFilters { connection.unsubscribe(filter) }
    obsoleteFilters.removeAll()
    unansweredFilters = Set(connection.filters)
    refusedFilters.removeAll()
    connectionChanged?()
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    let field = LogField("filter", .text(filter))
    switch answer {
    case .granted:
      unansweredFilters.remove(filter)
      if isSubscribed {
        log.write(
          .notice, "subscribed", LogField("client", .text(connection.settings.clientID)), at: loop.clock.now)
      }
    case .grantedWithoutAcknowledgement:
      unansweredFilters.remove(filter)
      log.write(.error, "granted with QoS 0 only: messages can be lost", field, at: loop.clock.now)
    case .refused(let reason):
      unansweredFilters.remove(filter)
      refusedFilters.insert(filter)
      log.write(
        .error, "the broker refused a filter: nothing will come for it", field,
        LogField("reason", "\(reason)"), at: loop.clock.now)
    }
    connectionChanged?()
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    if Trial.has(.acknowledgeEarly) { connection.flush() }
    Trial.pass(.read)
    do {
      try record?(arena)
    } catch {
      return drop(after: error)
    }
    Trial.pass(.commit)
    connection.flush()
    Trial.pass(.acknowledgement)
    handle?(arena)
  }

  /// What is not recorded is not acknowledged: the connection goes, and the broker sends it again.
  private func drop(after fault: any Error) {
    log.write(
      .error, "cannot record: nothing is acknowledged", LogField("fault", "\(fault)"), at: loop.clock.now)
    connection.dropConnection()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {}

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    lastEnding = reason
    log.ending(of: connection, wasOnline: wasOnline, reason, at: loop.clock.now)
    wasOnline = false
    connectionChanged?()
  }
}
