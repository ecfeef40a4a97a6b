import Base
import EventLoop
import MQTT
import Telemetry
import Wire

/// The connection OUT: publishes what the outbox holds, within the window, and says whether we are there.
final class Publisher: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let log: Log
  private var outbox = Outbox()
  /// Called when the connection opens or ends, with true if it is open.
  var connectionChanged: ((Bool) -> Void)?
  /// Called after the broker has answered for a message: there is more room than before.
  var answered: (() -> Void)?
  /// Called with each command that the broker has taken, in order.
  var confirmed: ((_ position: OutputPosition, _ topic: ArraySlice<UInt8>) -> Void)? {
    get { outbox.confirmed }
    set { outbox.confirmed = newValue }
  }
  /// What is said first on each connection: that we are online.
  var greeting: (() -> OutgoingMessages)?

  init(
    _ settings: MQTTSettings, loop: EventLoop, log: Log, generator: any RandomNumberGenerator
  ) throws(MQTTFault) {
    connection = try MQTTConnection(settings, loop: loop, generator: generator)
    self.loop = loop
    self.log = log
    connection.delegate = self
  }

  /// Messages taken over so far.
  var acceptedCount: Int { outbox.acceptedCount }

  /// Messages of these, from the first on without a gap, that the broker has taken.
  var doneCount: Int { outbox.acceptedCount - outbox.count }

  /// Bytes that wait for the broker.
  var queuedBytes: Int { outbox.byteCount }

  /// True if every message is acknowledged.
  var isEmpty: Bool { outbox.isEmpty }

  /// True if messages go out.
  var isOnline: Bool { connection.isOnline }

  /// Messages that wait for the broker.
  var queuedCount: Int { outbox.count }

  /// What the connection counts.
  var counters: MQTTCounters { connection.counters }

  /// True since the broker accepted us, until the end is told.
  private var wasOnline = false

  /// Why the last connection ended, or was not made.
  private(set) var lastEnding: DisconnectReason?

  /// Messages that the broker says it dropped since it was started; nil if it does not tell.
  private(set) var brokerDrops: Int?

  /// True if it neither is connected nor tries to.
  var isIdle: Bool { connection.isIdle }

  /// Asks the broker, on each connection, how many messages it dropped (mosquitto(8), "Broker status").
  func readBrokerDrops() { connection.setFilters(["$SYS/broker/publish/messages/dropped"]) }

  /// Connects, and from then on comes back after every loss.
  func start() { connection.start() }

  /// Leaves cleanly; the broker forgets the will.
  func disconnect() { connection.disconnect() }

  /// Leaves at once; the broker publishes the will.
  func drop() { connection.dropConnection() }

  /// Takes messages over and publishes what it may.
  func publish(_ outgoing: borrowing OutgoingMessages) {
    guard !outgoing.messages.isEmpty else { return }
    outbox.append(outgoing)
    pump()
  }

  private func pump() {
    guard connection.isOnline else { return }
    outbox.publish { topic, payload, isRetained in
      do throws(PublishFault) {
        let id = try connection.publish(topic: topic, payload: payload, retain: isRetained)
        Trial.pass(.publish)
        return .underWay(id)
      } catch {
        switch error {
        case .notConnected, .windowFull: return .noRoom
        case .tooLarge, .invalidTopic, .library:
          log.write(
            .error, "a message cannot be published and is dropped", LogField("fault", "\(error)"),
            LogField("bytes", LogValue(payload.count)), at: loop.clock.now)
          return .refused
        }
      }
    }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    wasOnline = true
    log.write(
      .notice, "publishing", LogField("client", .text(connection.settings.clientID)), at: loop.clock.now)
    if let greeting { outbox.append(greeting()) }
    pump()
    connectionChanged?(true)
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    guard case .refused(let reason) = answer else { return }
    log.write(
      .notice, "the broker does not tell how many messages it drops", LogField("filter", .text(filter)),
      LogField("reason", "\(reason)"), at: loop.clock.now)
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    for message in arena.messages {
      brokerDrops = Int(String(decoding: arena.bytes[message.payload.range], as: UTF8.self)) ?? brokerDrops
    }
    connection.flush()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    Trial.pass(.confirmation)
    if reason.isFailure {
      log.write(
        .error, "the broker refused a message of ours", LogField("reason", "\(reason)"), at: loop.clock.now)
    }
    outbox.acknowledge(id)
    pump()
    answered?()
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    lastEnding = reason
    outbox.connectionLost()
    log.ending(of: connection, wasOnline: wasOnline, reason, at: loop.clock.now)
    wasOnline = false
    connectionChanged?(false)
  }
}

extension Log {
  /// Says why a connection ended and when it comes back.
  func ending(
    of connection: MQTTConnection, wasOnline: Bool, _ reason: DisconnectReason, at now: Instant
  ) {
    let client = LogField("client", .text(connection.settings.clientID))
    guard reason != .requested else {
      // Who was not there does not leave.
      return wasOnline ? write(.notice, "left the broker", client, at: now) : ()
    }
    write(
      .warning, "no connection to the broker", client,
      LogField("host", .text(connection.settings.host)), LogField("port", LogValue(connection.settings.port)),
      LogField("reason", "\(reason)"), at: now)
  }
}
