import Base
import Testing

@testable import Engine

/// Rule 9: things go faster when many wait.
@Suite struct PaceTests {
  @Test(arguments: [
    (waiting: 0, minPace: 500, permille: 1000), (2, 500, 1000), (3, 500, 1000), (4, 500, 750), (5, 500, 600),
    (6, 500, 500), (7, 500, 500), (1000, 500, 500), (7, 100, 428), (29, 100, 103), (30, 100, 100),
    (31, 100, 100), (4, 1000, 1000), (4001, 0, 0),
  ])
  func withThreeTracksThePermilleIs(waiting: Int, minPace: Int64, permille: Int64) {
    var plan = GiftPlan()
    plan.minPacePermille = minPace
    #expect(Pace(waiting: waiting, plan: plan).permille == permille)
  }

  @Test(arguments: [(300, 128), (1, 0), (2, 0), (3, 1), (0, 0), (2000, 856)])
  func aLengthIsScaledInIntegerDivision(length: Int64, scaled: Int64) {
    var plan = GiftPlan()
    plan.minPacePermille = 0
    #expect(Pace(waiting: 7, plan: plan).scaled(length) == scaled)
  }

  @Test(arguments: [(1, 171), (4, 684), (5, 855), (6, 856), (1_000_000, 856), (.max, 856)] as [(Int, Int64)])
  func theStepAndTheCatchUpAreScaledBeforeTheyAreCompared(steps: Int, length: Int64) {
    var plan = GiftPlan()
    plan.minPacePermille = 0
    #expect(Pace(waiting: 7, plan: plan).runLength(steps: steps, plan: plan) == length)
  }

  @Test func eachPhaseTakesThePaceOfItsStartAndAStartingGroupNoLongerWaits() {
    let plan = Scenario.plain { $0.minPacePermille = 100 }
    let scenario = Scenario(
      plan, [(0, [.gift("A", "Rose"), .gift("B", "Rose"), .gift("C", "Rose"), .gift("D", "Rose")])], to: 9000)
    #expect(
      scenario.lines == [
        // Nobody waits at A's show; then three wait for the one track: 333.
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=33 until=1133",
        "133 gift/0 hold 1 x1 until=266",
        "266 gift/0 hide 1 x1 expired for=33",
        // B starts, two wait: 500.
        "299 gift/0 show 2 B>Rose base=0 priority=0 for=50 until=1399",
        "349 gift/0 count 2 0→1 for=50 until=1399",
        "399 gift/0 hold 2 x1 until=599",
        "599 gift/0 hide 2 x1 expired for=50",
        // C starts, one waits: as configured.
        "649 gift/0 show 3 C>Rose base=0 priority=0 for=100 until=1849",
        "749 gift/0 count 3 0→1 for=100 until=1849",
        "849 gift/0 hold 3 x1 until=1249",
        "1249 gift/0 hide 3 x1 expired for=100",
        "1349 gift/0 show 4 D>Rose base=0 priority=0 for=100 until=2549",
        "1449 gift/0 count 4 0→1 for=100 until=2549",
        "1549 gift/0 hold 4 x1 until=2549",
        "2549 gift/0 hide 4 x1 expired for=100",
      ])
  }

  @Test func aHoldGetsShorterAtEachSettleAsMoreWait() {
    let plan = Scenario.plain { $0.minPacePermille = 100 }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("A", "Rose")]), (300, [.gift("B", "Rose")]), (310, [.gift("C", "Rose")]),
        (390, [.gift("D", "Rose")]), (390, [.gift("E", "Rose")]),
      ], to: 390)
    #expect(
      scenario.lines.dropFirst(2) == [
        "200 gift/0 hold 1 x1 until=1200",
        "300 gift/0 hold 1 x1 until=600",
        "310 gift/0 hold 1 x1 until=400",
        "390 gift/0 hold 1 x1 until=390",
        "390 gift/0 hide 1 x1 expired for=33",
      ])
  }

  @Test func aRunInProgressKeepsItsLength() {
    let plan = Scenario.plain { $0.minPacePermille = 100 }
    let scenario = Scenario(
      plan, [(0, [.gift("A", "Rose")]), (150, ["B", "C", "D", "E"].map { .gift($0, "Rose") })], to: 200)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=300",
      ])
  }

  @Test func aCutGroupHidesBeforeItsRestIsQueued() {
    // One waits on one track when A is cut; had its rest been counted, the hiding would take 50.
    let plan = Scenario.plain {
      $0.minPacePermille = 100
      $0.maxGroupMilliseconds = 150
    }
    let scenario = Scenario(
      plan,
      [(0, [.gift("A", "Rose")]), (110, [.gift("B", "Rose")]), (150, [.gift("A", "Rose")])], to: 300)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hide 1 x1 cut for=100",
        "300 gift/0 show 2 B>Rose base=0 priority=0 for=100 until=1500",
      ])
  }
}
