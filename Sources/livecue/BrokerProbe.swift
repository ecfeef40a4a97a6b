import Base
import EventLoop
import MQTT

/// A client of `livecue check --broker`: notes what it is told.
final class BrokerProbe: MQTTConnectionDelegate {
  let connection: MQTTConnection
  private let loop: EventLoop
  /// The broker's answers by filter.
  private(set) var answers: [String: SubscriptionAnswer] = [:]
  /// Its answers by message id, on this connection.
  private(set) var acknowledgements: [UInt16: MQTTReason] = [:]
  /// The payloads that came.
  private(set) var payloads: [[UInt8]] = []
  /// When the last of them came.
  private(set) var lastArrival: Instant = .min
  /// Why the last connection or attempt ended.
  private(set) var ending: DisconnectReason?

  init(_ settings: MQTTSettings, filters: [String] = [], loop: EventLoop) throws(MQTTFault) {
    self.loop = loop
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.setFilters(filters)
    connection.delegate = self
  }

  /// Connects, and waits for the answers to its filters; false if it does not come in, and `ending` says why.
  func open(within milliseconds: Int64) -> Bool {
    ending = nil
    connection.start()
    let isOver = loop.turn(within: milliseconds) { [unowned self] in
      ending != nil || connection.isOnline && connection.filters.allSatisfy { answers[$0] != nil }
    }
    return isOver && ending == nil
  }

  /// Leaves.
  func close() {
    connection.disconnect()
    _ = loop.turn(within: 3000) { [unowned self] in connection.isIdle }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) { acknowledgements.removeAll() }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    answers[filter] = answer
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    lastArrival = loop.clock.now
    for message in arena.messages { payloads.append(Array(arena.bytes[message.payload.range])) }
    connection.flush()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    acknowledgements[id] = reason
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    if reason != .requested { ending = reason }
  }
}

extension EventLoop {
  /// Turns until the condition holds; looks once a turn. False if it does not hold in time.
  func turn(within milliseconds: Int64, until condition: @escaping () -> Bool) -> Bool {
    var holds = false
    let hook = addHook(.output) { [unowned self] in
      holds = condition()
      if holds { stop() }
    }
    let timer = schedule(at: clock.now + milliseconds) { [unowned self] in stop() }
    run()
    removeHook(hook)
    cancel(timer)
    return holds
  }
}
