public import Base
import Bridge
public import Configuration
public import EventLoop
import MQTT
import Systemd
public import Telemetry
import Wire

/// The service: batches in through one connection, commands out through another, in one loop.
///
/// A turn: read until the socket is dry, record, acknowledge, handle, publish. While the outbox is full it
/// only records, so memory stays bounded however long the broker is away.
public final class Daemon {
  /// What the operator wants now.
  public internal(set) var configuration: Configuration
  let loop: EventLoop
  let log: Log
  private let version: String
  let notifier = SystemdNotifier()
  private let watchdog: Watchdog?
  let intake: Intake
  let publisher: Publisher
  private let since: Instant
  let journal: Journal
  let state: StateDirectory?
  let metrics: Metrics
  /// What is handed to the publisher at the end of a step.
  var outgoing = OutgoingMessages()
  private var timer: (id: TimerID, deadline: Instant)?
  private var phase = Phase.running
  /// How full what waits for the broker is.
  var outboxMark: HighWaterMark
  /// How full the journal is.
  var journalMark: HighWaterMark
  /// True while we have left IN since there is no room.
  var isHeldBack = false
  private var wasServing = false
  /// Which time it is that all snapshots are said again.
  var snapshotRound = 0
  /// Called each time that batches begin to come in and commands to go out.
  public var servingBegan: (() -> Void)?
  /// Sees what comes in. It is kept.
  public var observer: (any InputObserver)? {
    get { journal.observer }
    set { journal.observer = newValue }
  }
  /// Called once when the daemon has stopped.
  public var stopped: (() -> Void)?

  private enum Phase { case running, stopping, stopped }

  /// How long stopping may take until the connections are dropped.
  private static let stopMilliseconds: Int64 = 1500
  /// How long the last saving may take after that.
  private static let closingMilliseconds: Int64 = 400
  /// When what could not be committed is tried again.
  private static let retryMilliseconds: Int64 = 1000

  /// A daemon that does nothing before `start`. Throws if the settings cannot work.
  ///
  /// - Parameters:
  ///   - state: Where it records. Nil: in memory, and what was acknowledged and not shown dies with the
  ///     process.
  ///   - loop: Its clock must not start before the lease of `state`.
  ///   - makeGenerator: Makes the sources of the jitter between attempts to connect.
  public init(
    configuration: Configuration, state: StateDirectory?, password: [UInt8]?, version: String,
    loop: EventLoop, log: Log, makeGenerator: () -> any RandomNumberGenerator
  ) throws {
    self.configuration = configuration
    self.state = state
    self.loop = loop
    self.log = log
    self.version = version
    since = loop.clock.now
    outboxMark = HighWaterMark(limit: configuration.outboxMaxBytes)
    journalMark = HighWaterMark(limit: configuration.journalMaxBytes)
    watchdog = notifier.watchdogMilliseconds.map { [notifier] limit in
      Watchdog(limitMilliseconds: limit, loop: loop) { notifier.watchdog() }
    }
    journal = try Journal(
      configuration: configuration, store: state?.store, poisonGuard: state?.poisonGuard)
    var out = try MQTTSettings(configuration.broker, password: password, connection: "out")
    // What we published and was not acknowledged is in the outbox: a session would only send it twice.
    out.sessionExpirySeconds = 0
    out.will = Daemon.will(of: journal.bridge, version: version, since: since)
    publisher = try Publisher(out, loop: loop, log: log, generator: makeGenerator())
    intake = try Intake(
      try MQTTSettings(configuration.broker, password: password, connection: "in"),
      filters: configuration.filters, loop: loop, log: log, generator: makeGenerator())
    metrics = Metrics(
      configuration, version: version, since: since, journal: journal, intake: intake, publisher: publisher,
      state: state, loop: loop, log: log)
    intake.readProperties(for: configuration)
    wire()
  }

  /// Recovers what an earlier run left, connects and serves.
  public func start() throws {
    log.write(
      .notice, "livecue starts", LogField("version", .text(version)),
      LogField("instance", .text(configuration.instance)), at: loop.clock.now)
    if let trial = try Trial.check() {
      log.write(
        .warning, "a trial is on: this daemon is not for use", LogField("trial", .text(trial)),
        at: loop.clock.now
      )
    }
    if let state {
      try metrics.recovering { try recover(from: state) }
    } else {
      log.write(
        .notice, "no state directory: recording in memory, what is not shown dies with the process",
        at: loop.clock.now)
    }
    metrics.start()
    publisher.start()
    intake.start()
    notifier.ready()
    watchdog?.start()
    tellStatus()
  }

  /// Stops within two seconds: takes nothing more in, publishes what is due and `offline`, and leaves
  /// cleanly. A second call stops at once.
  public func stop() {
    switch phase {
    case .stopped: return
    case .stopping: return finish()
    case .running: break
    }
    phase = .stopping
    metrics.isStopping = true
    notifier.stopping()
    log.write(.notice, "livecue stops", at: loop.clock.now)
    intake.disconnect()
    cancelTimer()
    attempt("let time pass") { try journal.advance(to: loop.clock.now, into: &outgoing) }
    journal.bridge.announce(.offline, version: version, since: since, into: &outgoing)
    handOut()
    loop.schedule(at: loop.clock.now + Daemon.stopMilliseconds) { [weak self] in self?.finish() }
    if publisher.isOnline { leaveWhenPublished() } else { publisher.disconnect() }
    finishWhenLeft()
  }

  /// True until it is told to stop.
  var isRunning: Bool { phase == .running }

  /// True if batches come in and commands go out.
  public var isServing: Bool { intake.isSubscribed && publisher.isOnline }

  /// Where its figures are, with the port that the system chose; nil: nowhere, or the address is taken.
  public var metricsAddress: ListenAddress? { metrics.address }

  private func wire() {
    intake.opened = { [unowned self] sessionPresent in
      if try journal.connectionOpened(sessionPresent: sessionPresent, at: loop.clock.now) {
        log.write(
          .error, "the broker lost our session: what it had queued for us is gone", at: loop.clock.now)
      }
      // What was queued for us comes next: the time away must be on record before it.
      try journal.thaw(at: loop.clock.now, into: &outgoing)
      handOut()
    }
    intake.record = { [unowned self] received in
      let before = journal.counters.redeliveries
      try journal.take(received, at: loop.clock.now)
      tellRedeliveries(journal.counters.redeliveries - before)
    }
    intake.handle = { [unowned self] received in
      journal.handleTaken(in: received, into: &outgoing)
      handOver()
      attempt("save the state") { try saveStep() }
      armTimer()
      noteLevels()
    }
    intake.connectionChanged = { [unowned self] in
      // Time stands still for the rooms while nothing can come in, so that nobody's combo ends behind our
      // back.
      if !intake.isOnline { journal.freeze(at: loop.clock.now) }
      tellStatus()
      noteLevels()
      finishWhenLeft()
    }
    publisher.greeting = { [unowned self] in
      var greeting = OutgoingMessages()
      journal.bridge.announce(.online, version: version, since: since, into: &greeting)
      return greeting
    }
    publisher.connectionChanged = { [unowned self] isOpen in
      tellStatus()
      if isOpen { sayAllSnapshots() }
      // Who stops does not come back after a loss.
      if phase == .stopping && !isOpen { publisher.disconnect() }
      finishWhenLeft()
    }
    publisher.confirmed = { [unowned self] position, topic in
      journal.confirm(position, topic: topic)
    }
    publisher.answered = { [unowned self] in
      noteLevels()
      guard publisher.isEmpty else { return }
      leaveWhenPublished()
      armTimer()
    }
  }

  func handOut() {
    handOver()
    armTimer()
  }

  func handOver() {
    publisher.publish(outgoing)
    outgoing.removeAll()
  }

  /// After a reconnect the broker sends again what it believes unacknowledged.
  private func tellRedeliveries(_ count: Int) {
    guard count > 0 else { return }
    log.write(
      .notice, "the broker sent again what was recorded before: dropped",
      LogField("messages", LogValue(count)),
      at: loop.clock.now)
  }

  private func saveStep() throws {
    try journal.saveStep(
      published: publisher.acceptedCount, confirmed: publisher.doneCount, at: loop.clock.now)
  }

  func armTimer() {
    guard phase == .running,
      let deadline = [journal.nextDeadline, log.deadline].compactMap({ $0 }).min()
    else { return }
    if let timer {
      if timer.deadline == deadline { return }
      loop.cancel(timer.id)
    }
    let id = loop.schedule(at: deadline) { [unowned self] in
      timer = nil
      log.tick(at: loop.clock.now)
      let isDone = attempt("let time pass") {
        _ = try catchUp()
        try journal.advance(to: loop.clock.now, into: &outgoing)
        handOver()
        try journal.flush(at: loop.clock.now)
        try saveStep()
        noteLevels()
      }
      if isDone { handOut() } else { retryLater() }
    }
    timer = (id, deadline)
  }

  private func cancelTimer() {
    if let timer { loop.cancel(timer.id) }
    timer = nil
  }

  /// The store cannot be written: the rooms stand still until it can.
  private func retryLater() {
    handOver()
    let id = loop.schedule(at: loop.clock.now + Daemon.retryMilliseconds) { [unowned self] in
      timer = nil
      handOut()
    }
    timer = (id, loop.clock.now + Daemon.retryMilliseconds)
  }

  /// Does what needs the store; false, with a line in the log, if that failed.
  @discardableResult
  func attempt(_ what: StaticString, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      log.write(.error, "cannot \(what)", LogField("fault", "\(error)"), at: loop.clock.now)
      return false
    }
  }

  private func tellStatus() {
    guard phase == .running else { return }
    let input = intake.isSubscribed ? "subscribed" : "not subscribed"
    let output = publisher.isOnline ? "publishing" : "not publishing"
    notifier.status("\(input), \(output), \(journal.bridge.roomCount) rooms")
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
    metrics.stop()
    publisher.drop()
    intake.drop()
    let latest = loop.clock.now + Daemon.closingMilliseconds
    attempt("close the store") {
      try journal.close(at: loop.clock.now, allIsConfirmed: publisher.isEmpty) { loop.clock.now > latest }
    }
    log.flush()
    tellSums()
    stopped?()
  }

  /// What this run came to, and what it takes with it.
  private func tellSums() {
    let door = journal.bridge.counters
    let refused = RejectionReason.allCases.reduce(0) { $0 + door.rejections(for: $1) }
    log.write(
      .notice, "livecue has stopped", LogField("batches", LogValue(door.batches)),
      LogField("refused", LogValue(refused)),
      LogField("duplicates", LogValue(journal.bridge.engineCounters.duplicateIDs)),
      LogField("redelivered", LogValue(journal.counters.redeliveries)),
      LogField("sessions_lost", LogValue(journal.counters.sessionsLost)),
      LogField("unpublished_bytes", LogValue(publisher.queuedBytes)), at: loop.clock.now)
    if state == nil, journal.bridge.giftsPending > 0 {
      log.write(
        .warning, "gifts that were acknowledged and not shown are lost: there is no state directory",
        LogField("gifts", LogValue(journal.bridge.giftsPending)), at: loop.clock.now)
    }
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
