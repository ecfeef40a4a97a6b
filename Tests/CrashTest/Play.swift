import Base
import EventLoop
import Glibc
import MQTT
import PrivateBroker
import Simulation
import TestSupport

/// A run: gifts come in all the time, and the daemon is killed, its broker restarted, its connections cut.
final class Play {
  /// What is done to the daemon.
  struct Plan {
    var kills = 50
    var seed: UInt64 = 1
    /// The points at which it is armed to end itself.
    var points = Play.points
    /// How it breaks its promise, for the proof that we would see it.
    var fault: String?
    /// True if other things happen too: restarts, cuts, an outage, a lost session.
    var hasUpsets = true
    /// True if no row of the journal is cut.
    var keepsJournal = true
  }

  /// What happened.
  struct Tally {
    /// Kills by where they hit: a point, or `random`.
    var kills: [String: Int] = [:]
    var brokerRestarts = 0
    var cuts = 0
    var outageMilliseconds: Int64 = 0
    /// Gifts that were at the broker when its session was thrown away.
    var giftsThrownAway: Int64 = 0
    var sessionsThrownAway = 0
    /// The same as the daemon counted them.
    var sessionsLostByDaemon = 0
  }

  /// The points of the daemon (Sources/Daemon/Trial.swift) and up to which passing it is let live.
  static let points: [(name: String, most: Int)] = [
    ("read", 60), ("commit", 60), ("acknowledgement", 60), ("publish", 800), ("confirmation", 800),
    ("snapshot", 12), ("recovery", 40),
  ]
  private static let streakGapMilliseconds: Int64 = 8000
  private static let gift = """
    gift: {showMs: 10, stepMs: 10, catchUpMs: 50, holdMs: 200, holdBusyMs: 50, hideMs: 10, foldAfterMs: 1000, \
    streakGapMs: \(streakGapMilliseconds), rules: [{priority: 1, gifts: [g4], asset: g4.webm, durationMs: 300}]}
    stage: {leader: leader}

    """

  /// Something did not come for half a minute.
  struct WaitFault: Error, CustomStringConvertible {
    let what: String

    var description: String { "waited in vain for \(what)" }
  }

  let plan: Plan
  /// What was waited for in vain.
  private(set) var faults: [String] = []
  private(set) var tally = Tally()
  let folder: TemporaryFolder
  let source: Source
  let viewer: Viewer
  let victim: Victim
  private let loop: EventLoop
  private let broker: PrivateBroker
  private let relay: Relay
  private var generator: SplitMix

  /// A broker, a source, a viewer, and a daemon that is not started yet. `program` is livecue.
  init(_ plan: Plan, program: String) throws {
    self.plan = plan
    loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    broker = try PrivateBroker()
    relay = try Relay(loop: loop, to: broker.port)
    folder = try TemporaryFolder()
    let keep = plan.keepsJournal ? ", journalKeepHours: 8760, journalMaxBytes: \(Int64(1) << 40)" : ""
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(relay.port), reconnectMinMs: 20, reconnectMaxMs: 100}\n"
        + "metrics: {listen: '', statsSeconds: 0}\n"
        + "state: {directory: state, snapshotRows: 700, snapshotSeconds: 1\(keep)}\n" + Play.gift,
      to: "livecue.yaml")
    generator = SplitMix(seed: plan.seed)
    let maker = GiftMaker(seed: generator.next(), gap: Play.streakGapMilliseconds)
    let studio = plan.hasUpsets ? StudioMaker(seed: generator.next()) : nil
    source = try Source(maker, studio, port: broker.port, loop: loop)
    viewer = try Viewer(port: broker.port, loop: loop)
    victim = try Victim(program, in: folder, loop: loop)
    viewer.playBegan = { [unowned source] room, group in
      guard let answer = source.studio?.answer(toPlay: group, in: room) else { return }
      source.publish(answer)
    }
  }

  /// True if all that must be seen was.
  private var isAllShown: Bool {
    viewer.countOfUnmuted >= source.maker.giftCount + (source.studio?.testedCount ?? 0)
  }

  /// Does it all, and waits until what was published is shown or nothing comes any more.
  func run() throws {
    do {
      try play()
    } catch let fault as WaitFault {
      // What is different then says why.
      faults.append("\(fault)")
      source.pause()
    }
    try drain()
  }

  private func play() throws {
    try wait(for: "the clients") { [unowned self] in source.isReady && viewer.isReady }
    // Only from its first subscription on does the broker keep anything for the daemon.
    try start()
    try awaitSubscribed()
    source.resume()
    loop.turn(for: 300)
    for round in 0..<plan.kills {
      if plan.hasUpsets {
        if round == plan.kills / 3 { try outlastTheGap() }
        if round == plan.kills * 2 / 3 { try throwAwayTheSession() }
        if round % 7 == 3 { try restartBroker() }
        if chance(3, in: 10) { cutSoon() }
      }
      try killOnce()
      loop.turn(for: pick(100))
      try start(armed: chance(3, in: 5) ? plan.points.randomElement(using: &generator) : nil)
    }
    source.pause()
  }

  // MARK: Kills

  private var armed: String?

  private func start(armed point: (name: String, most: Int)? = nil) throws {
    var trial = plan.fault.map { [$0] } ?? []
    armed = point?.name
    if let point { trial.append("\(point.name):\(pick(Int64(point.most)) + 1)") }
    try victim.start(trial: trial)
  }

  /// Lets the daemon, which may be armed, live until it kills itself, or for a moment. Most lives begin to
  /// serve, so that a run goes on however slow the machine is.
  private func killOnce() throws {
    if armed == nil && chance(1, in: 4) {
      _ = loop.turn(within: pick(300)) { [unowned self] in victim.hasEnded }
    } else {
      try wait(for: "the daemon") { [unowned self] in victim.isSubscribed || victim.hasEnded }
      _ = loop.turn(within: armed == nil ? pick(700) : 2500) { [unowned self] in victim.hasEnded }
    }
    try kill()
  }

  /// Ends it, if it has not ended itself.
  private func kill() throws {
    let place = victim.hasEnded ? armed ?? "unknown" : "random"
    try victim.end(SIGKILL)
    tally.kills[place, default: 0] += 1
  }

  private func startAgain() throws {
    try kill()
    try start()
  }

  /// Lets it live, unharmed: what it was armed for may happen at once.
  private func startUnharmed() throws {
    try startAgain()
    try awaitSubscribed()
  }

  // MARK: Upsets

  private func restartBroker() throws {
    // What the broker has not acknowledged to the source, a restart would make doubtful.
    source.pause()
    try wait(for: "the source's acknowledgements") { [unowned self] in source.isDone }
    let (before, seen) = (source.connectionCount, viewer.connectionCount)
    try broker.restart()
    tally.brokerRestarts += 1
    // That the old connections are gone is only found out in the next turn.
    try wait(for: "the clients after a restart") { [unowned self] in
      source.connectionCount > before && source.isReady && viewer.connectionCount > seen && viewer.isReady
    }
    source.resume()
  }

  private func cutSoon() {
    let client = chance(1, in: 2) ? "livecue-main-in" : "livecue-main-out"
    loop.schedule(at: loop.clock.now + pick(500)) { [weak self] in
      guard let self, !victim.hasEnded else { return }
      relay.cut(client)
      tally.cuts += 1
    }
  }

  /// Until `resume` nothing is published; all that was is shown, by a daemon that lives.
  private func quiesce() throws {
    try startUnharmed()
    source.pause()
    try wait(for: "the source's acknowledgements") { [unowned self] in source.isDone }
    try wait(for: "what was published before") { [unowned self] in isAllShown }
  }

  /// The daemon is away for longer than a streak's gap. Streaks without times that were open before go on:
  /// the time away is nobody's silence.
  private func outlastTheGap() throws {
    // So that nothing delays a frame.
    try quiesce()
    for name in ["f1", "f2"] { publishCrown(name, total: 5, adds: 5) }
    try wait(for: "the streaks before the outage") { [unowned self] in crowns("f1") + crowns("f2") == 10 }
    let start = loop.clock.now
    try kill()
    // First in the queue: how long the daemon takes to work off what comes after them is no time away.
    publishCrown("f1", total: 8, adds: 3)
    publishCrown("f2", total: 6, adds: 1)
    source.resume()
    loop.turn(for: Play.streakGapMilliseconds + 1000)
    try self.start()
    try awaitSubscribed()
    tally.outageMilliseconds = loop.clock.now - start
  }

  private func publishCrown(_ sender: String, total: Int64, adds: Int64) {
    source.publish(source.maker.single(room: "outage", sender: sender, total: total, adds: adds))
  }

  private func crowns(_ sender: String) -> Int64 {
    viewer.count(.init(room: "outage", sender: sender, gift: "crown", receiver: nil))
  }

  /// Somebody throws the daemon's session away while it is dead, and with it gifts that it never saw.
  private func throwAwayTheSession() throws {
    // All but the gifts that are to be lost must be with the daemon.
    try quiesce()
    try kill()
    for _ in 0..<50 {
      source.publish(
        GiftMaker.Message(topic: "im/r0/gift", payload: #"[{"sender":"nobody","gift":"rose"}]"#))
      tally.giftsThrownAway += 1
    }
    try wait(for: "the source's acknowledgements") { [unowned self] in source.isDone }
    try stealSession()
    tally.sessionsThrownAway += 1
    try start()
    try awaitSubscribed()
    source.resume()
    loop.turn(for: 500)
    try victim.end(SIGTERM)
    tally.sessionsLostByDaemon += Victim.number("sessions_lost", in: victim.lastLine) ?? 0
    try start()
  }

  private func stealSession() throws {
    var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "livecue-main-in")
    settings.sessionExpirySeconds = 0
    let thief = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    thief.start()
    try wait(for: "the thief") { thief.isOnline }
    thief.disconnect()
    try wait(for: "the thief's end") { thief.isIdle }
  }

  // MARK: Waiting

  /// Waits until all is shown, or nothing comes for a while; and then whether still more comes.
  private func drain() throws {
    try wait(for: "the source's acknowledgements") { [unowned self] in source.isDone }
    var before = -1
    while !isAllShown, viewer.commandCount > before {
      before = viewer.commandCount
      // What it was armed for may happen even now.
      if victim.hasEnded { try startAgain() }
      _ = loop.turn(within: 5000) { [unowned self] in isAllShown || victim.hasEnded }
    }
    if victim.hasEnded || armed != nil { try startUnharmed() }
    // What is due by time still comes: a shower of likes ends two seconds after its last burst.
    loop.turn(for: 3000)
    let code = try victim.end(SIGTERM)
    if code != 0 { faults.append("the daemon ended with \(code)") }
  }

  private func awaitSubscribed() throws {
    try wait(for: "the daemon") { [unowned self] in victim.isSubscribed }
  }

  private func wait(for what: String, until holds: @escaping () -> Bool) throws {
    // A slow machine gets on slowly; nothing at all is a fault.
    var before = -1
    while !loop.turn(within: 30_000, until: holds) {
      guard viewer.commandCount > before else { throw WaitFault(what: what) }
      before = viewer.commandCount
    }
  }

  private func pick(_ count: Int64) -> Int64 { Int64.random(in: 0..<count, using: &generator) }

  private func chance(_ wanted: Int64, in all: Int64) -> Bool { pick(all) < wanted }
}
