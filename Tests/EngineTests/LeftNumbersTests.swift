import Base
import Testing

@testable import Engine

/// Rule 7: a combo that a crowd interrupted goes on from its number.
@Suite struct LeftNumbersTests {
  /// Ann holds since 200; Bo's arrival makes her hide at 600, so her number stands until 1200.
  private let interrupted: [(at: Instant, events: [TestEvent])] = [
    (0, [.gift("Ann", "Rose")]), (300, [.gift("Bo", "Rose")]),
  ]

  @Test(arguments: [(Instant(1199), 1), (1200, 0)])
  func aNewGroupGoesOnFromTheNumberUntilTheFullHoldWouldHaveEnded(arrival: Instant, base: Int) {
    let scenario = Scenario(
      Scenario.plain(), interrupted + [(arrival, [.gift("Ann", "Rose")])], to: 9000)
    let holdShortened = max(arrival, 1300)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=1200",
        "300 gift/0 hold 1 x1 until=600",
        "600 gift/0 hide 1 x1 expired for=100",
        "700 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=1900",
        "800 gift/0 count 2 0→1 for=100 until=1900",
        "900 gift/0 hold 2 x1 until=1900",
        "\(arrival) gift/0 hold 2 x1 until=\(holdShortened)",
        "1300 gift/0 hide 2 x1 expired for=100",
        "1400 gift/0 show 3 Ann>Rose base=\(base) priority=0 for=100 until=2600",
        "1500 gift/0 count 3 \(base)→\(base + 1) for=100 until=2600",
        "1600 gift/0 hold 3 x\(base + 1) until=2600",
        "2600 gift/0 hide 3 x\(base + 1) expired for=100",
      ])
  }

  @Test func itIsTheMakingOfTheGroupThatMattersNotItsShow() {
    // Made at 650, while the old group still hides; shown at 1400, when the number no longer stands.
    let scenario = Scenario(Scenario.plain(), interrupted + [(650, [.gift("Ann", "Rose")])], to: 1400)
    #expect(
      scenario.lines.last == "1400 gift/0 show 3 Ann>Rose base=1 priority=0 for=100 until=2600")
  }

  @Test func withoutLeavesNumberTheComboStartsAgain() {
    let plan = Scenario.plain { $0.leavesNumber = false }
    let scenario = Scenario(plan, interrupted + [(650, [.gift("Ann", "Rose")])], to: 1400)
    #expect(scenario.lines(op: "show").last?.contains("base=0") == true)
  }

  @Test func aNumberIsOfTheWholeKey() {
    let scenario = Scenario(
      Scenario.plain(),
      interrupted + [(650, [.gift("Ann", "Tulip"), .gift("Ann", "Rose", to: "Zoe"), .gift("Cy", "Rose")])],
      to: 5000)
    #expect(scenario.lines(op: "show").dropFirst().allSatisfy { $0.contains("base=0") })
  }

  @Test func aSingleNeitherLeavesNorTakesANumber() {
    let takes = Scenario(
      Scenario.plain(), interrupted + [(650, [.gift("Ann", "Rose", merges: false)])], to: 1400)
    #expect(takes.lines(op: "show").last?.contains("3 Ann>Rose single base=0") == true)
    let leaves = Scenario(
      Scenario.plain(),
      [
        (0, [.gift("Ann", "Rose", merges: false)]), (300, [.gift("Bo", "Rose")]),
        (650, [.gift("Ann", "Rose")]),
      ], to: 1400)
    #expect(leaves.lines(op: "show").last?.contains("3 Ann>Rose base=0") == true)
  }

  @Test func theHigherOfTheStreaksTotalAndTheNumberIsTheBase() {
    // The streak stands at 3, but 4 more came as deltas: 7 was on screen.
    let number = Scenario(
      Scenario.plain(),
      [
        (0, [.gift("Ann", "Rose", total: 3), .gift("Ann", "Rose", 4)]), (700, [.gift("Bo", "Rose")]),
        (1050, [.gift("Ann", "Rose", total: 5)]),
      ], to: 3000)
    // Run 100–600, held since 600, hidden at 1000, so the number stands until 1600.
    #expect(number.lines(op: "show").last?.contains("3 Ann>Rose base=7") == true)
    // 2 were on screen; 3 more of the streak folded, so its total before is 5.
    let total = Scenario(
      Scenario.plain { $0.maxWaiting = 1 },
      [
        (0, [.gift("Ann", "Rose", total: 2)]), (400, [.gift("Bo", "P1")]),
        (750, [.gift("Ann", "Rose", total: 5)]),
        (1250, [.gift("Ann", "Rose", total: 6)]),
      ], to: 5000)
    #expect(total.lines(of: "gift/fold") == ["750 gift/fold fold groups=1 gifts=3 senders=1 Ann>Rosex3"])
    #expect(total.lines(op: "show").last?.contains("Ann>Rose base=5") == true)
  }

  @Test func aGroupOfACumulativeSourceStartsFromItsStreaksTotalBefore() {
    let scenario = Scenario(
      Scenario.plain(),
      [(0, [.gift("Ann", "Rose", total: 4)]), (2000, [.gift("Ann", "Rose", total: 6)])], to: 2200)
    // Hidden at 1500 with the full hold over; what goes on is the streak, not the number.
    #expect(
      scenario.lines.suffix(3) == [
        "1500 gift/0 hide 1 x4 expired for=100",
        "2000 gift/0 show 2 Ann>Rose base=4 priority=0 for=100 until=3300",
        "2100 gift/0 count 2 4→6 for=200 until=3300",
      ])
  }

  @Test(arguments: [(2, 0), (3, 0), (4, 1), (5, 2)])
  func atMostMaxLeftNumbersAreRemembered(left: Int, evicted: Int) {
    var numbers = LeftNumbers()
    var counters = EngineCounters()
    let keys = (0..<UInt64(left)).map { KeyDigest(low: $0, high: 0) }
    for (place, key) in keys.enumerated() {
      numbers.leave(place + 1, of: key, until: 1000, now: 0, limit: 3, counters: &counters)
    }
    #expect(numbers.count == min(left, 3))
    #expect(counters.leftNumbersEvicted == evicted)
    for (place, key) in keys.enumerated() {
      #expect(numbers.number(of: key, now: 999) == (place < evicted ? 0 : place + 1))
      #expect(numbers.number(of: key, now: 1000) == 0)
    }
  }

  @Test func aNumberThatIsOverMakesRoomUncounted() {
    var numbers = LeftNumbers()
    var counters = EngineCounters()
    numbers.leave(5, of: KeyDigest(low: 1, high: 0), until: 100, now: 0, limit: 1, counters: &counters)
    numbers.leave(6, of: KeyDigest(low: 2, high: 0), until: 200, now: 100, limit: 1, counters: &counters)
    #expect(numbers.count == 1)
    #expect(counters.leftNumbersEvicted == 0)
    numbers.leave(7, of: KeyDigest(low: 2, high: 0), until: 300, now: 150, limit: 1, counters: &counters)
    #expect(numbers.number(of: KeyDigest(low: 2, high: 0), now: 150) == 7)
    #expect(counters.leftNumbersEvicted == 0)
  }

  @Test func aLimitOfZeroRemembersNothing() {
    var numbers = LeftNumbers()
    var counters = EngineCounters()
    numbers.leave(5, of: KeyDigest(low: 1, high: 0), until: 100, now: 0, limit: 0, counters: &counters)
    #expect(numbers.count == 0)
  }

  @Test func inARoomTheBoundIsCounted() {
    let plan = Scenario.plain(tracks: [0, 0]) { $0.maxLeftNumbers = 1 }
    // Ann and Bo both hide at 600, before their windows end at 1200: only Bo's number is kept.
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]), (300, [.gift("Cy", "Rose"), .gift("Di", "Rose")]),
        (1000, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]),
      ], to: 4000)
    #expect(scenario.output.counters.leftNumbersEvicted >= 1)
    #expect(scenario.lines(op: "show").filter { $0.contains(" 5 Ann>Rose base=0") }.count == 1)
    #expect(scenario.lines(op: "show").filter { $0.contains(" 6 Bo>Rose base=1") }.count == 1)
  }
}
