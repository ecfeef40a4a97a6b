import Base
import Engine
import Testing

/// Rule 10: what waits beyond `maxWaiting` folds.
@Suite struct WaitingBoundTests {
  @Test(arguments: [(1, 0), (2, 0), (3, 1), (5, 3)])
  func groupsBeyondMaxWaitingFold(waiting: Int, folded: Int) {
    let plan = Scenario.plain { $0.maxWaiting = 2 }
    var scenario = Scenario(plan)
    scenario.at(0, [.gift("Ann", "Rose")])
    scenario.at(10, (0..<waiting).map { .gift("W\($0)", "Rose") })
    #expect(scenario.engine.groupsWaiting == min(waiting, 2))
    #expect(scenario.output.counters.groupsFoldedByBound == folded)
    #expect(scenario.output.counters.giftsFolded == folded)
    let items = (0..<folded).map { "W\($0)>Rosex1" }.joined(separator: ",")
    #expect(
      scenario.lines(of: "gift/fold")
        == (folded == 0
          ? [] : ["10 gift/fold fold groups=\(folded) gifts=\(folded) senders=\(folded) \(items)"]))
  }

  @Test func theLowestPriorityFoldsThenTheEarliest() {
    let plan = Scenario.plain {
      $0.maxWaiting = 2
      $0.foldEveryMilliseconds = 0
    }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "P0")]), (10, [.gift("Bo", "P1")]), (20, [.gift("Cy", "P0")]),
        (30, [.gift("Di", "P0", 4)]), (40, [.gift("Ed", "P1")]), (50, [.gift("Flo", "P2")]),
        (60, [.gift("Gus", "P0")]),
      ], to: 99)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>P0 base=0 priority=0 for=100 until=1200",
        "30 gift/fold fold groups=1 gifts=1 senders=1 Cy>P0x1",
        "40 gift/fold fold groups=1 gifts=4 senders=1 Di>P0x4",
        "50 gift/fold fold groups=1 gifts=1 senders=1 Bo>P1x1",
        "60 gift/fold fold groups=1 gifts=1 senders=1 Gus>P0x1",
      ])
  }

  @Test func ageingProtectsNobodyFromTheBound() {
    // Bo has aged to 9 and is still the one of lowest own priority.
    let plan = Scenario.plain {
      $0.maxWaiting = 1
      $0.agingMilliseconds = 1
    }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "P0"), .gift("Bo", "P0")]), (50, [.gift("Cy", "P1")])], to: 99)
    #expect(scenario.lines.last == "50 gift/fold fold groups=1 gifts=1 senders=1 Bo>P0x1")
  }

  @Test func aHighPriorityFoldsTooIfAllAreHigh() {
    let plan = Scenario.plain { $0.maxWaiting = 1 }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "P9"), .gift("Bo", "P9"), .gift("Cy", "P9")])], to: 99)
    #expect(scenario.lines.last == "0 gift/fold fold groups=1 gifts=1 senders=1 Bo>P9x1")
  }

  @Test func withMaxWaitingZeroAGroupIsShownAtOnceOrFolds() {
    let plan = Scenario.plain { $0.maxWaiting = 0 }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose"), .gift("Bo", "Rose"), .gift("Ann", "Rose")]),
        (400, [.gift("Bo", "Rose", 5)]), (700, [.gift("Bo", "Rose")]),
      ], to: 700)
    // The order is fill, shorten, bound: at 400 Bo's group waits while the hold is shortened, and folds then.
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "0 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1",
        "100 gift/0 count 1 0→2 for=200 until=1300",
        "300 gift/0 hold 1 x2 until=1300",
        "400 gift/0 hold 1 x2 until=700",
        "700 gift/0 hide 1 x2 expired for=100",
      ])
    #expect(scenario.output.counters.giftsFolded == 7)
    #expect(scenario.engine.groupsWaiting == 0)
  }

  @Test func theRestOfACutGroupMayBeTheOneTooMany() {
    // Ann is cut at 200 with 3 pending. Bo, who waits, came earlier, so Bo folds.
    let plan = Scenario.plain {
      $0.maxWaiting = 1
      $0.maxGroupMilliseconds = 200
    }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]), (150, [.gift("Ann", "Rose", 3)])], to: 400)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hide 1 x1 cut for=100",
        "200 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1",
        "300 gift/0 show 3 Ann>Rose base=1 priority=0 for=100 until=1700",
        "400 gift/0 count 3 1→4 for=300 until=1700",
      ])
  }
}
