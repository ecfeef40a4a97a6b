import Base
import Testing

@testable import MQTT

/// Always draws the same number. (With 0 the standard library would draw again for ever.)
private struct FixedGenerator: RandomNumberGenerator {
  let value: UInt64
  mutating func next() -> UInt64 { value }

  static var high: FixedGenerator { FixedGenerator(value: .max) }
  static var low: FixedGenerator { FixedGenerator(value: 1 << 32) }
}

@Suite struct ConnectionMachineTests {
  private static func settings() -> MQTTSettings {
    var settings = MQTTSettings(host: "broker", clientID: "in")
    settings.connectTimeoutMilliseconds = 1000
    settings.minBackOffMilliseconds = 100
    settings.maxBackOffMilliseconds = 1000
    return settings
  }

  private static func online() -> ConnectionMachine {
    var machine = ConnectionMachine(settings())
    _ = machine.start(at: 0)
    _ = machine.opened()
    _ = machine.answered(.success, at: 0)
    return machine
  }

  @Test func waitsDoubleUpToTheLongestAndHalfOfThemIsChance() {
    var high = BackOff(shortest: 100, longest: 1000)
    var low = high
    var highest = FixedGenerator.high
    var lowest = FixedGenerator.low
    #expect(
      (0..<6).map { _ in high.wait(isAway: false, using: &highest) } == [100, 200, 400, 800, 1000, 1000])
    #expect((0..<6).map { _ in low.wait(isAway: false, using: &lowest) } == [50, 100, 200, 400, 500, 500])
    high.reset()
    #expect(high.wait(isAway: false, using: &highest) == 100)
  }

  @Test func aBrokerThatIsStartedAnewIsAskedOften() {
    var machine = Self.online()
    var generator = FixedGenerator.high
    var now: Instant = 20_000
    var waits: [Int64] = []
    for _ in 0..<34 {
      guard let retryAt = machine.ended(.lost(code: 0), at: now, using: &generator).retryAt else { break }
      waits.append(retryAt - now)
      now = retryAt
      _ = machine.deadlinePassed(at: now)
    }
    // The loss itself, thirty attempts in vain, and then it is away for longer.
    #expect(waits == [100] + Array(repeating: 100, count: 30) + [200, 400, 800])
  }

  @Test func aBrokerThatRefusesIsNotAskedOften() {
    var machine = ConnectionMachine(Self.settings())
    _ = machine.start(at: 0)
    var generator = FixedGenerator.high
    var now: Instant = 0
    let waits = (0..<3).map { _ in
      let retryAt = machine.ended(.refused(.notAuthorized), at: now, using: &generator).retryAt ?? now
      defer { now = retryAt }
      _ = machine.deadlinePassed(at: retryAt)
      return retryAt - now
    }
    #expect(waits == [100, 200, 400])
  }

  @Test func anAttemptGoesFromStartToOnline() {
    var machine = ConnectionMachine(Self.settings())
    #expect(machine.state == .idle)
    #expect(machine.start(at: 50) == .connect)
    #expect(machine.start(at: 60) == .nothing)
    #expect(machine.state == .connecting(deadline: 1050))
    #expect(machine.opened() == .nothing)
    // One deadline for the whole attempt.
    #expect(machine.state == .handshaking(deadline: 1050))
    #expect(machine.answered(.success, at: 300) == .announce)
    #expect(machine.state == .online(since: 300))
    #expect(machine.deadline == nil)
  }

  @Test func anAttemptIsGivenUpAtItsDeadlineAndNotBefore() {
    var machine = ConnectionMachine(Self.settings())
    _ = machine.start(at: 0)
    #expect(machine.deadlinePassed(at: 999) == .nothing)
    #expect(machine.deadlinePassed(at: 1000) == .giveUp(.connectTimedOut))
    _ = machine.opened()
    #expect(machine.deadlinePassed(at: 1000) == .giveUp(.handshakeTimedOut))
  }

  @Test func aFailureBacksOffThenConnectsAgain() {
    var machine = ConnectionMachine(Self.settings())
    var generator = FixedGenerator.high
    _ = machine.start(at: 0)
    #expect(machine.ended(.connectTimedOut, at: 1000, using: &generator) == (.connectTimedOut, 1100))
    #expect(machine.deadlinePassed(at: 1099) == .nothing)
    #expect(machine.deadlinePassed(at: 1100) == .connect)
    #expect(machine.state == .connecting(deadline: 2100))
    #expect(machine.ended(.connectTimedOut, at: 2100, using: &generator) == (.connectTimedOut, 2200))
  }

  @Test func aRefusalIsGivenUpWithItsReason() {
    var machine = ConnectionMachine(Self.settings())
    _ = machine.start(at: 0)
    _ = machine.opened()
    #expect(machine.answered(.badCredentials, at: 5) == .giveUp(.refused(.badCredentials)))
  }

  @Test(arguments: [(9_999, 200), (10_000, 100)] as [(Int64, Int64)])
  func onlyALongConnectionMakesTheNextWaitShort(lasted: Int64, wait: Int64) {
    var machine = Self.online()
    var generator = FixedGenerator.high
    _ = machine.ended(.lost(code: 0), at: 0, using: &generator)
    _ = machine.deadlinePassed(at: 100)
    _ = machine.opened()
    _ = machine.answered(.success, at: 100)
    let (_, retryAt) = machine.ended(.lost(code: 0), at: 100 + lasted, using: &generator)
    #expect(retryAt == 100 + lasted + wait)
  }

  @Test func aTakeoverWaitsTheLongest() {
    var machine = Self.online()
    var generator = FixedGenerator.high
    let ended = machine.ended(.closedByBroker(.sessionTakenOver), at: 50_000, using: &generator)
    #expect(ended == (.takenOver(isCertain: true), 51_000))
  }

  @Test(arguments: [(1_999, true), (2_000, false)] as [(Int64, Bool)])
  func threeQuickLossesAreProbablyATakeover(lasted: Int64, isTakeover: Bool) {
    var machine = Self.online()
    var generator = FixedGenerator.high
    var now: Int64 = 0
    var reasons: [DisconnectReason] = []
    for _ in 0..<3 {
      now += lasted
      let (reason, retryAt) = machine.ended(.lost(code: 0), at: now, using: &generator)
      reasons.append(reason)
      now = retryAt ?? now
      _ = machine.deadlinePassed(at: now)
      _ = machine.opened()
      _ = machine.answered(.success, at: now)
    }
    let third = isTakeover ? DisconnectReason.takenOver(isCertain: false) : .lost(code: 0)
    #expect(reasons == [.lost(code: 0), .lost(code: 0), third])
  }

  /// Each throws the other out when it comes back. The one that notices first backs off, and the other must
  /// too.
  @Test func bothOfTwoThatFightForAnIDNoticeIt() {
    var settings = Self.settings()
    settings.maxBackOffMilliseconds = 30_000
    var generator = FixedGenerator.high
    var machines = [ConnectionMachine(settings), ConnectionMachine(settings)]
    var noticedAt: [Int64?] = [nil, nil]
    func comeOnline(_ index: Int, at now: Int64) {
      _ = machines[index].start(at: now)
      _ = machines[index].deadlinePassed(at: now)
      _ = machines[index].opened()
      _ = machines[index].answered(.success, at: now)
    }
    comeOnline(0, at: 0)
    // The second comes when the first was there for long.
    var now: Int64 = 100_000
    var newcomer = 1
    for _ in 0..<8 {
      comeOnline(newcomer, at: now)
      let other = 1 - newcomer
      let (reason, retryAt) = machines[other].ended(.lost(code: 0), at: now, using: &generator)
      if reason == .takenOver(isCertain: false) { noticedAt[other] = noticedAt[other] ?? now }
      now = retryAt ?? now
      newcomer = other
    }
    #expect(noticedAt.allSatisfy { $0 != nil }, "\(noticedAt)")
    // From then on each waits half a minute: nobody floods a log.
    #expect(now == 191_000)
  }

  @Test func aBrokerThatWasAwayInBetweenIsNoTakeover() {
    var machine = Self.online()
    var generator = FixedGenerator.high
    var now: Int64 = 0
    for _ in 0..<4 {
      #expect(machine.ended(.lost(code: 0), at: now, using: &generator).reason == .lost(code: 0))
      _ = machine.deadlinePassed(at: now + 2000)
      _ = machine.ended(.connectFailed(code: 111), at: now + 2000, using: &generator)
      now += 4000
      _ = machine.deadlinePassed(at: now)
      _ = machine.opened()
      _ = machine.answered(.success, at: now)
    }
  }

  @Test func leavingSaysDisconnectAndEndsIdleHoweverItEnds() {
    var machine = Self.online()
    var generator = FixedGenerator.high
    #expect(machine.disconnect(mustDrop: false, at: 10) == .sendDisconnect)
    #expect(machine.disconnect(mustDrop: false, at: 11) == .nothing)
    #expect(machine.deadlinePassed(at: 2010) == .giveUp(.requested))
    #expect(machine.ended(.lost(code: 0), at: 20, using: &generator) == (.requested, nil))
    #expect(machine.state == .idle)
  }

  @Test func leavingElsewhereGivesUpAtOnce() {
    var machine = ConnectionMachine(Self.settings())
    #expect(machine.disconnect(mustDrop: false, at: 0) == .nothing)
    _ = machine.start(at: 0)
    #expect(machine.disconnect(mustDrop: false, at: 0) == .giveUp(.requested))
    var held = Self.online()
    #expect(held.disconnect(mustDrop: true, at: 0) == .giveUp(.requested))
  }

  @Test func reasonsReadWell() {
    #expect(DisconnectReason.lost(code: 0).description == "the broker closed the connection")
    let refused = DisconnectReason.refused(.badCredentials)
    #expect(refused.description == "refused: Bad User Name or Password (134)")
    #expect(MQTTReason(connack: 4) == .badCredentials)
    #expect(MQTTReason(connack: 135) == .notAuthorized)
    #expect(DisconnectReason(closing: 142, errno: 0) == .closedByBroker(.sessionTakenOver))
    #expect(DisconnectReason(closing: 19, errno: 0) == .keepAliveExpired)
    #expect(DisconnectReason(closing: 14, errno: 32).description == "connection lost: Broken pipe")
  }
}
