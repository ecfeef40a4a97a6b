import Base
import Engine
import Testing

/// Rule 8: a group that is overdue gives its track up, and what is pending goes on later.
@Suite struct CutTests {
  /// Ann counts until 500 ms after her `show`, with 2 pending then, while Bo waits.
  private let busy: [(at: Instant, events: [TestEvent])] = [
    (0, [.gift("Ann", "Rose")]), (150, [.gift("Ann", "Rose", 3)]), (300, [.gift("Bo", "Rose")]),
    (400, [.gift("Ann", "Rose", 2)]),
  ]
  private let untilTheCut = [
    "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
    "100 gift/0 count 1 0→1 for=100 until=1200",
    "200 gift/0 count 1 1→4 for=300 until=1500",
  ]

  @Test func aGroupIsCutAtMaxGroupMsExactlyAndItsPendingGiftsGoOnAtTheEndOfTheQueue() {
    let plan = Scenario.plain { $0.maxGroupMilliseconds = 500 }
    let scenario = Scenario(plan, busy, to: 9000)
    #expect(
      scenario.lines == untilTheCut + [
        "500 gift/0 hide 1 x4 cut for=100",
        "600 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=1800",
        "700 gift/0 count 2 0→1 for=100 until=1800",
        "800 gift/0 hold 2 x1 until=1200",
        "1200 gift/0 hide 2 x1 expired for=100",
        "1300 gift/0 show 3 Ann>Rose base=4 priority=0 for=100 until=2600",
        "1400 gift/0 count 3 4→6 for=200 until=2600",
        "1600 gift/0 hold 3 x6 until=2600",
        "2600 gift/0 hide 3 x6 expired for=100",
      ])
    #expect(scenario.output.counters.groupsCut == 1)
  }

  @Test func aGroupAMillisecondYoungerGoesOnAndIsCutAtTheEndOfItsNextRun() {
    let plan = Scenario.plain { $0.maxGroupMilliseconds = 501 }
    let scenario = Scenario(plan, busy, to: 800)
    #expect(
      scenario.lines == untilTheCut + [
        "500 gift/0 count 1 4→6 for=200 until=1700",
        "700 gift/0 hide 1 x6 cut for=100",
        "800 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=2000",
      ])
    #expect(scenario.engine.groupsWaiting == 0)
  }

  @Test func aGiftForACutGroupJoinsItsRestInTheQueue() {
    let plan = Scenario.plain { $0.maxGroupMilliseconds = 500 }
    let scenario = Scenario(plan, busy + [(550, [.gift("Ann", "Rose", 7)])], to: 1400)
    #expect(
      scenario.lines.suffix(2) == [
        "1300 gift/0 show 3 Ann>Rose base=4 priority=0 for=100 until=2900",
        "1400 gift/0 count 3 4→13 for=500 until=2900",
      ])
  }

  @Test func aCutGroupWithNothingPendingLeavesItsNumberForAFullHold() {
    let plan = Scenario.plain {
      $0.maxGroupMilliseconds = 501
    }
    // Cut at 700 with 6 shown: the number stands until 1700.
    for (instant, base) in [(Instant(1699), 6), (1700, 0)] {
      let scenario = Scenario(plan, busy + [(instant, [.gift("Ann", "Rose")])], to: 9000)
      let line = scenario.lines(op: "show").last
      #expect(line?.contains(" 3 Ann>Rose base=\(base) ") == true, "at \(instant): \(line ?? "")")
    }
  }

  @Test func theRestWaitsFromTheCutOn() {
    // Ann came at 0, was cut at 500 and folds 700 ms after that, just before Bo's track is free.
    let plan = Scenario.plain {
      $0.maxGroupMilliseconds = 500
      $0.foldAfterMilliseconds = 700
    }
    let scenario = Scenario(plan, busy, to: 9000)
    #expect(
      scenario.lines.dropFirst(3) == [
        "500 gift/0 hide 1 x4 cut for=100",
        "600 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=1800",
        "700 gift/0 count 2 0→1 for=100 until=1800",
        "800 gift/0 hold 2 x1 until=1200",
        "1200 gift/0 hide 2 x1 expired for=100",
        "1200 gift/fold fold groups=1 gifts=2 senders=1 Ann>Rosex2",
      ])
  }

  @Test func aGroupThatNobodyWaitsForIsNeverCut() {
    let plan = Scenario.plain { $0.maxGroupMilliseconds = 1 }
    let scenario = Scenario(plan, [(0, [.gift("Ann", "Rose")]), (150, [.gift("Ann", "Rose")])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 count 1 1→2 for=100 until=1300",
        "300 gift/0 hold 1 x2 until=1300",
        "1300 gift/0 hide 1 x2 expired for=100",
      ])
  }

  @Test func maxGroupMsOfZeroNeverCuts() {
    let scenario = Scenario(Scenario.plain(), busy, to: 9000)
    #expect(scenario.output.counters.groupsCut == 0)
    #expect(scenario.lines(op: "hide").first == "1100 gift/0 hide 1 x6 expired for=100")
  }

  @Test func aGroupOnAVIPTrackIsCutOnlyForAGroupThatMayUseIt() {
    for (gift, reason) in [("P4", "expired"), ("P5", "cut")] {
      let plan = Scenario.plain(tracks: [5, 9]) { $0.maxGroupMilliseconds = 100 }
      let scenario = Scenario(plan, [(0, [.gift("Ann", "P7")]), (50, [.gift("Bo", gift)])], to: 2000)
      #expect(scenario.lines(op: "hide").first?.contains(reason) == true, "\(gift)")
    }
  }

  @Test func theRestOfASingleIsASingleThatGoesOn() {
    let plan = Scenario.plain {
      $0.maxGroupMilliseconds = 200
      $0.countsPerStep = true
    }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "Rose", 5, merges: false)]), (50, [.gift("Bo", "Rose")])], to: 800)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose single base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hide 1 x1 cut for=100",
        "300 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=1500",
        "400 gift/0 count 2 0→1 for=100 until=1500",
        "500 gift/0 hide 2 x1 cut for=100",
        "600 gift/0 show 3 Ann>Rose single base=1 priority=0 for=100 until=1800",
        "700 gift/0 count 3 1→2 for=100 until=1800",
        "800 gift/0 count 3 2→3 for=100 until=1900",
      ])
  }

  @Test func theRestKeepsThePriorityAndComesBehindItsEqualsByArrival() {
    let plan = Scenario.plain { $0.maxGroupMilliseconds = 500 }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "P3")]), (150, [.gift("Ann", "P3", 3)]),
        (300, [.gift("Bo", "P0"), .gift("Cy", "P3")]), (400, [.gift("Ann", "P3", 2)]),
      ], to: 4000)
    #expect(
      scenario.shows == [
        "0 gift/0 Ann>P3", "600 gift/0 Cy>P3", "1300 gift/0 Ann>P3", "2100 gift/0 Bo>P0",
      ])
    #expect(scenario.lines(op: "show")[2].contains("base=4 priority=3 "))
  }
}
