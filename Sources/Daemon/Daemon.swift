import Base
import Bridge
public import Configuration
public import EventLoop
import MQTT
import Systemd
public import Telemetry
import Wire

/// The service: batches in through one connection, commands out through another, in one loop.
///
/// A turn: read until the socket is dry, record, acknowledge, handle, publish. It takes nothing more in while the
/// outbox is full, so memory stays bounded however long the broker is away.
public final class Daemon {
  private let configuration: Configuration
  private let loop: EventLoop
  private let log: Log
  private let version: String
  private let notifier = SystemdNotifier()
  private let intake: Intake
  private let publisher: Publisher
  private let since: Instant
  private var bridge: Bridge
  private var outgoing = OutgoingMessages()
  private var timer: (id: TimerID, deadline: Instant)?
  private var phase = Phase.running
  private var isHeldBack = false
  private var wasServing = false
  /// Called each time that batches begin to come in and commands to go out.
  public var servingBegan: (() -> Void)?
  /// Called once when the daemon has stopped.
  public var stopped: (() -> Void)?

  private enum Phase { case running, stopping, stopped }

  /// How long stopping may take until the connections are dropped.
  private static let stopMilliseconds: Int64 = 1500

  /// A daemon that does nothing before `start`. Throws if the settings cannot work.
  ///
  /// - Parameter makeGenerator: Makes the sources of the jitter between attempts to connect.
  public init(
    configuration: Configuration, password: [UInt8]?, version: String, loop: EventLoop, log: Log,
    makeGenerator: () -> any RandomNumberGenerator
  ) throws {
    self.configuration = configuration
    self.loop = loop
    self.log = log
    self.version = version
    since = loop.clock.now
    bridge = try Bridge(configuration: configuration)
    var out = MQTTSettings(configuration.broker, password: password, connection: "out")
    // What we published and was not acknowledged is in the outbox: a session would only send it twice.
    out.sessionExpirySeconds = 0
    out.will = Daemon.will(of: bridge, version: version, since: since)
    publisher = try Publisher(out, loop: loop, log: log, generator: makeGenerator())
    intake = try Intake(
      MQTTSettings(configuration.broker, password: password, connection: "in"),
      filters: configuration.inputs.map(\.filter), recorder: MemoryRecorder(), loop: loop, log: log,
      generator: makeGenerator())
    wire()
  }

  /// Connects and serves.
  public func start() {
    log.write(
      .notice, "livecue starts", LogField("version", .text(version)),
      LogField("instance", .text(configuration.instance)), at: loop.clock.now)
    publisher.start()
    intake.start()
    notifier.ready()
    tellStatus()
  }

  /// Stops within two seconds: takes nothing more in, publishes what is due and `offline`, and leaves cleanly.
  /// A second call stops at once.
  public func stop() {
    switch phase {
    case .stopped: return
    case .stopping: return finish()
    case .running: break
    }
    phase = .stopping
    notifier.stopping()
    log.write(.notice, "livecue stops", at: loop.clock.now)
    intake.disconnect()
    cancelTimer()
    bridge.advance(to: loop.clock.now, into: &outgoing)
    bridge.announce(.offline, version: version, since: since, into: &outgoing)
    handOut()
    loop.schedule(at: loop.clock.now + Daemon.stopMilliseconds) { [weak self] in self?.finish() }
    if publisher.isOnline { leaveWhenPublished() } else { publisher.disconnect() }
    finishWhenLeft()
  }

  /// True if batches come in and commands go out.
  public var isServing: Bool { intake.isSubscribed && publisher.isOnline }

  private func wire() {
    intake.received = { [unowned self] topic, payload, isRetained in
      bridge.receive(
        topic: topic, payload: payload, isRetained: isRetained, at: loop.clock.now, into: &outgoing)
    }
    intake.turnEnded = { [unowned self] in
      handOut()
      holdBackOrGoOn()
    }
    intake.connectionChanged = { [unowned self] in
      tellStatus()
      holdBackOrGoOn()
      finishWhenLeft()
    }
    publisher.greeting = { [unowned self] in
      var greeting = OutgoingMessages()
      bridge.announce(.online, version: version, since: since, into: &greeting)
      return greeting
    }
    publisher.connectionChanged = { [unowned self] isOpen in
      tellStatus()
      // Who stops does not come back after a loss.
      if phase == .stopping && !isOpen { publisher.disconnect() }
      finishWhenLeft()
    }
    publisher.emptied = { [unowned self] in
      holdBackOrGoOn()
      leaveWhenPublished()
    }
  }

  private func handOut() {
    publisher.publish(outgoing)
    outgoing.removeAll()
    armTimer()
  }

  private func armTimer() {
    guard phase == .running, let deadline = bridge.nextDeadline else { return }
    if let timer {
      if timer.deadline == deadline { return }
      loop.cancel(timer.id)
    }
    let id = loop.schedule(at: deadline) { [unowned self] in
      timer = nil
      bridge.advance(to: loop.clock.now, into: &outgoing)
      handOut()
    }
    timer = (id, deadline)
  }

  private func cancelTimer() {
    if let timer { loop.cancel(timer.id) }
    timer = nil
  }

  /// Takes nothing more in while the outbox is full: the broker keeps it for us.
  private func holdBackOrGoOn() {
    guard phase == .running else { return }
    if !isHeldBack, publisher.queuedBytes > configuration.outboxMaxBytes {
      isHeldBack = true
      log.write(
        .warning, "the outbox is full: nothing more is taken in until the broker takes what waits",
        LogField("bytes", LogValue(publisher.queuedBytes)), at: loop.clock.now)
      intake.disconnect()
    } else if isHeldBack, intake.isIdle, publisher.queuedBytes <= configuration.outboxMaxBytes / 2 {
      isHeldBack = false
      log.write(.notice, "the outbox has room: batches are taken in again", at: loop.clock.now)
      intake.start()
    }
  }

  private func tellStatus() {
    guard phase == .running else { return }
    let input = intake.isSubscribed ? "subscribed" : "not subscribed"
    let output = publisher.isOnline ? "publishing" : "not publishing"
    notifier.status("\(input), \(output), \(bridge.roomCount) rooms")
    if isServing && !wasServing { servingBegan?() }
    wasServing = isServing
  }

  private func leaveWhenPublished() {
    if phase == .stopping, publisher.isEmpty { publisher.disconnect() }
  }

  private func finishWhenLeft() {
    if phase == .stopping, publisher.isIdle, intake.isIdle { finish() }
  }

  private func finish() {
    guard phase != .stopped else { return }
    phase = .stopped
    cancelTimer()
    publisher.drop()
    intake.drop()
    log.flush()
    stopped?()
  }

  /// What the broker says when it loses us.
  private static func will(of bridge: Bridge, version: String, since: Instant) -> Will {
    var farewell = OutgoingMessages()
    bridge.announce(.offline, version: version, since: since, into: &farewell)
    let message = farewell.messages[0]
    return Will(
      topic: String(decoding: farewell.bytes[message.topic], as: UTF8.self),
      payload: Array(farewell.bytes[message.payload]))
  }
}
