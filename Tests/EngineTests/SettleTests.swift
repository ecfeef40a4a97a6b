import Base
import Engine
import Testing

/// Rules 4, 6 and 10: fill, then shorten, then bound.
@Suite struct SettleTests {
  // MARK: Fill

  @Test func groupsTakeTheIdleTrackOfLowestIndexFirst() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0, 0]),
      [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose"), .gift("Cy", "Rose"), .gift("Di", "Rose")])], to: 99)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "0 gift/1 Bo>Rose", "0 gift/2 Cy>Rose"])
  }

  @Test func aTrackThatIsFreedLaterIsTakenByTheEldest() {
    let scenario = Scenario(
      Scenario.plain(),
      [(0, [.gift("Ann", "Rose")]), (20, [.gift("Cy", "Rose")]), (30, [.gift("Bo", "Rose")])], to: 3000)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "700 gift/0 Cy>Rose", "1400 gift/0 Bo>Rose"])
  }

  @Test func theHighestPriorityIsShownFirstThenTheEarliest() {
    let scenario = Scenario(
      Scenario.plain(),
      [
        (0, [.gift("Ann", "P0")]), (10, [.gift("Bo", "P1")]), (20, [.gift("Cy", "P3")]),
        (30, [.gift("Di", "P3")]),
      ], to: 3000)
    #expect(
      scenario.shows == [
        "0 gift/0 Ann>P0", "700 gift/0 Cy>P3", "1400 gift/0 Di>P3", "2100 gift/0 Bo>P1",
      ])
  }

  @Test(arguments: [
    ("P9", ["0 gift/1 A>P9", "0 gift/2 B>P9", "0 gift/0 C>P9"]),
    ("P5", ["0 gift/1 A>P5", "0 gift/2 B>P5", "0 gift/0 C>P5"]),
    ("P4", ["0 gift/2 A>P4", "0 gift/0 B>P4"]),
    ("P3", ["0 gift/2 A>P3", "0 gift/0 B>P3"]),
    ("P2", ["0 gift/0 A>P2"]),
    ("P0", ["0 gift/0 A>P0"]),
  ])
  func aGroupTakesTheTrackOfHighestMinPriorityThatItMayUse(gift: String, shows: [String]) {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 5, 3]), [(0, ["A", "B", "C", "D"].map { .gift($0, gift) })], to: 99)
    #expect(scenario.shows == shows)
    #expect(scenario.engine.groupsWaiting == 4 - shows.count)
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func anIdleVIPTrackIsTakenByALaterGroupThatMayUseIt() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 5]), [(0, ["A", "B", "C"].map { .gift($0, "P1") } + [.gift("D", "P9")])],
      to: 99)
    #expect(scenario.shows == ["0 gift/0 A>P1", "0 gift/1 D>P9"])
  }

  @Test(arguments: [(Instant(100), "Cy>P1"), (101, "Bo>P0")])
  func ageingRaisesByOneForEachFullAgingMsAndTheEarlierWinsATie(arrival: Instant, first: String) {
    // At 700 Bo has waited 700 ms: +2. Cy, from 100, 600 ms: +2, so 3; from 101, 599 ms: +1, so 2.
    let plan = Scenario.plain { $0.agingMilliseconds = 300 }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "P0"), .gift("Bo", "P0")]), (arrival, [.gift("Cy", "P1")])], to: 700)
    #expect(scenario.shows == ["0 gift/0 Ann>P0", "700 gift/0 \(first)"])
  }

  @Test func ageingStopsAtNine() {
    // With 50 ms a step both reach 9, and Bo came first.
    let steps: [(at: Instant, events: [TestEvent])] = [
      (0, [.gift("Ann", "P0"), .gift("Bo", "P0")]), (10, [.gift("Cy", "P9")]),
    ]
    let aged = Scenario(Scenario.plain { $0.agingMilliseconds = 50 }, steps, to: 700)
    #expect(aged.shows == ["0 gift/0 Ann>P0", "700 gift/0 Bo>P0"])
    let ageless = Scenario(Scenario.plain(), steps, to: 700)
    #expect(ageless.shows == ["0 gift/0 Ann>P0", "700 gift/0 Cy>P9"])
  }

  @Test func ageingOpensNoVIPTrackAndChangesNoPriority() {
    let plan = Scenario.plain(tracks: [1]) { $0.agingMilliseconds = 1 }
    let scenario = Scenario(plan, [(0, [.gift("Ann", "P0")])], to: 1_000_000)
    #expect(scenario.lines == [])
    let shown = Scenario(
      Scenario.plain { $0.agingMilliseconds = 100 }, [(0, [.gift("Ann", "P0"), .gift("Bo", "P0")])], to: 700)
    #expect(shown.lines(op: "show").last?.contains("priority=0") == true)
  }

  @Test func aWaitingGroupThatRisesKeepsItsArrivalAndItsPlace() {
    let plan = Scenario.plain { $0.rules = [PriorityRule(priority: 3, minLevel: 30)] }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose")]), (10, [.gift("Bo", "Rose")]),
        (20, [.gift("Cy", "Rose", level: 30), .gift("Di", "Rose", level: 30)]),
        (30, [.gift("Bo", "Rose", level: 30)]),
      ], to: 3000)
    #expect(
      scenario.shows == [
        "0 gift/0 Ann>Rose", "700 gift/0 Bo>Rose", "1500 gift/0 Cy>Rose", "2200 gift/0 Di>Rose",
      ])
  }

  @Test func aWaitingGroupThatRisesTakesAnIdleVIPTrackAtOnce() {
    let plan = Scenario.plain(tracks: [0, 3]) { $0.rules = [PriorityRule(priority: 3, minLevel: 30)] }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]),
        (30, [.gift("Bo", "Rose", level: 30), .gift("Bo", "Rose", level: 1)]),
      ], to: 99)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "30 gift/1 show 2 Bo>Rose base=0 priority=3 for=100 until=1330",
      ])
  }

  // MARK: Shorten

  @Test func eachWaitingGroupShortensOneHoldTheLongestHeldFirst() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0, 0]),
      [
        (0, [.gift("A", "Rose", 1), .gift("B", "Rose", 2), .gift("C", "Rose", 3)]),
        (450, [.gift("D", "Rose")]), (460, [.gift("E", "Rose")]), (470, [.gift("F", "Rose")]),
        (480, [.gift("G", "Rose")]),
      ], to: 700)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=100 until=1200",
        "0 gift/1 show 2 B>Rose base=0 priority=0 for=100 until=1300",
        "0 gift/2 show 3 C>Rose base=0 priority=0 for=100 until=1400",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "100 gift/1 count 2 0→2 for=200 until=1300",
        "100 gift/2 count 3 0→3 for=300 until=1400",
        "200 gift/0 hold 1 x1 until=1200",
        "300 gift/1 hold 2 x2 until=1300",
        "400 gift/2 hold 3 x3 until=1400",
        "450 gift/0 hold 1 x1 until=600",
        "460 gift/1 hold 2 x2 until=700",
        "470 gift/2 hold 3 x3 until=800",
        "600 gift/0 hide 1 x1 expired for=100",
        "700 gift/0 show 4 D>Rose base=0 priority=0 for=100 until=1900",
        "700 gift/1 hide 2 x2 expired for=100",
      ])
  }

  @Test func ofHoldsOfOneInstantTheLowestIndexIsShortenedFirst() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0]),
      [(0, [.gift("A", "Rose"), .gift("B", "Rose")]), (300, [.gift("C", "Rose")])], to: 599)
    #expect(
      scenario.lines.suffix(3) == [
        "200 gift/0 hold 1 x1 until=1200", "200 gift/1 hold 2 x1 until=1200",
        "300 gift/0 hold 1 x1 until=600",
      ])
  }

  @Test(arguments: [
    (Instant(599), Instant(600)), (600, 600), (601, 601), (900, 900), (1199, 1199),
  ])
  func aHoldEndsNoEarlierThanNow(arrival: Instant, until: Instant) {
    let scenario = Scenario(
      Scenario.plain(), [(0, [.gift("A", "Rose")]), (arrival, [.gift("B", "Rose")])], to: until + 100)
    #expect(
      scenario.lines.dropFirst(2) == [
        "200 gift/0 hold 1 x1 until=1200",
        "\(arrival) gift/0 hold 1 x1 until=\(until)",
        "\(until) gift/0 hide 1 x1 expired for=100",
        "\(until + 100) gift/0 show 2 B>Rose base=0 priority=0 for=100 until=\(until + 1300)",
      ])
  }

  @Test func aHoldThatStartsWhileOthersWaitIsSaidOnceAndShortened() {
    let scenario = Scenario(Scenario.plain(), [(0, [.gift("A", "Rose"), .gift("B", "Rose")])], to: 600)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=600",
        "600 gift/0 hide 1 x1 expired for=100",
      ])
  }

  @Test func aHoldIsNotLengthenedByABusyLengthAboveTheUsual() {
    let plan = Scenario.plain { $0.holdBusyMilliseconds = 5000 }
    let scenario = Scenario(plan, [(0, [.gift("A", "Rose"), .gift("B", "Rose")])], to: 1200)
    #expect(
      scenario.lines.suffix(2) == [
        "200 gift/0 hold 1 x1 until=1200", "1200 gift/0 hide 1 x1 expired for=100",
      ])
  }

  @Test func theHoldOfATrackThatNoWaitingGroupMayUseStays() {
    // Both hold since 200, the VIP track first in the pass; the waiting group may use the other only.
    let steps: [(at: Instant, events: [TestEvent])] = [
      (0, [.gift("Ann", "P9"), .gift("Bo", "P0")]), (300, [.gift("Cy", "P4")]),
    ]
    let scenario = Scenario(Scenario.plain(tracks: [5, 0]), steps, to: 599)
    #expect(
      scenario.lines.suffix(3) == [
        "200 gift/0 hold 1 x1 until=1200", "200 gift/1 hold 2 x1 until=1200",
        "300 gift/1 hold 2 x1 until=600",
      ])
    // A group that may use both shortens the first in the pass; then one more waits than was shortened.
    let both = Scenario(Scenario.plain(tracks: [5, 0]), steps + [(310, [.gift("Di", "P5")])], to: 599)
    #expect(
      both.lines.suffix(2) == ["300 gift/1 hold 2 x1 until=600", "310 gift/0 hold 1 x1 until=600"])
  }

  @Test func aVIPGroupAloneShortensOneHoldOnly() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 5]),
      [(0, [.gift("Bo", "P0"), .gift("Ann", "P9")]), (300, [.gift("Di", "P9")])], to: 599)
    // It could use either; gift/0 comes first in the pass, and so nothing is left to shorten gift/1 for.
    #expect(
      scenario.lines.suffix(3) == [
        "200 gift/0 hold 1 x1 until=1200", "200 gift/1 hold 2 x1 until=1200",
        "300 gift/0 hold 1 x1 until=600",
      ])
  }

  @Test func aShortenedHoldStaysShortWhenNobodyWaitsAnyMore() {
    // C shortens A's hold and then folds.
    let plan = Scenario.plain(tracks: [0, 0]) { $0.foldAfterMilliseconds = 200 }
    let scenario = Scenario(
      plan, [(0, [.gift("A", "Rose"), .gift("B", "Rose")]), (300, [.gift("C", "Rose")])], to: 700)
    #expect(
      scenario.lines.suffix(3) == [
        "300 gift/0 hold 1 x1 until=600",
        "500 gift/fold fold groups=1 gifts=1 senders=1 C>Rosex1",
        "600 gift/0 hide 1 x1 expired for=100",
      ])
  }
}
