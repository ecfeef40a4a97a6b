import Base
import Engine
import Testing

/// Rules 1–3, 5 and 7: which group a gift goes to, and what a track does with it.
@Suite struct TrackTests {
  @Test func aComboShowsCountsHoldsAndHidesWithTheDefaults() {
    let scenario = Scenario(
      RoomPlan(), [(0, [.gift("Ann", "Rose"), .gift("Ann", "Rose", 2)])], to: 10_000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=300 until=3700",
        "300 gift/0 count 1 0→3 for=1200 until=4500",
        "1500 gift/0 hold 1 x3 until=4500",
        "4500 gift/0 hide 1 x3 expired for=300",
      ])
    #expect(scenario.output.commands.map(\.sequence) == [1, 2, 3, 4])
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func aGiftThatArrivesWhileItsGroupShowsIsInTheFirstRun() {
    let scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "Rose")]), (50, [.gift("Ann", "Rose", 2)])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→3 for=300 until=1400",
        "400 gift/0 hold 1 x3 until=1400",
        "1400 gift/0 hide 1 x3 expired for=100",
      ])
  }

  @Test func giftsThatArriveDuringARunWaitForItsEnd() {
    let scenario = Scenario(
      Scenario.plain(),
      [(0, [.gift("Ann", "Rose", 2)]), (150, [.gift("Ann", "Rose")]), (250, [.gift("Ann", "Rose")])],
      to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1300",
        "100 gift/0 count 1 0→2 for=200 until=1300",
        "300 gift/0 count 1 2→4 for=200 until=1500",
        "500 gift/0 hold 1 x4 until=1500",
        "1500 gift/0 hide 1 x4 expired for=100",
      ])
  }

  @Test func aGiftAtTheLastMomentOfTheHoldStartsARunAtOnce() {
    let scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "Rose")]), (1199, [.gift("Ann", "Rose", 2)])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=1200",
        "1199 gift/0 count 1 1→3 for=200 until=2399",
        "1399 gift/0 hold 1 x3 until=2399",
        "2399 gift/0 hide 1 x3 expired for=100",
      ])
  }

  @Test(arguments: [Instant(1200), 1250, 1299])
  func aGiftFromTheEndOfTheHoldOnMakesANewGroupThatWaitsForTheHiding(instant: Instant) {
    let scenario = Scenario(
      Scenario.plain(),
      [(0, [.gift("Ann", "Rose")]), (instant, [.gift("Ann", "Rose"), .gift("Ann", "Rose")])],
      to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=1200",
        "1200 gift/0 hide 1 x1 expired for=100",
        "1300 gift/0 show 2 Ann>Rose base=0 priority=0 for=100 until=2600",
        "1400 gift/0 count 2 0→2 for=200 until=2600",
        "1600 gift/0 hold 2 x2 until=2600",
        "2600 gift/0 hide 2 x2 expired for=100",
      ])
  }

  @Test func aHidingGroupTakesNoMoreEvenIfAnotherTrackIsIdle() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0]), [(0, [.gift("Ann", "Rose")]), (1250, [.gift("Ann", "Rose")])], to: 1300)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=1200",
        "1200 gift/0 hide 1 x1 expired for=100",
        "1250 gift/1 show 2 Ann>Rose base=0 priority=0 for=100 until=2450",
      ])
  }

  @Test func aGiftJoinsItsWaitingGroupWhichKeepsItsPlace() {
    let scenario = Scenario(
      Scenario.plain(),
      [
        (0, [.gift("Ann", "Rose")]), (10, [.gift("Bo", "Rose")]), (20, [.gift("Cy", "Rose")]),
        (30, [.gift("Bo", "Rose", 4)]),
      ], to: 800)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=600",
        "600 gift/0 hide 1 x1 expired for=100",
        "700 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=2300",
        "800 gift/0 count 2 0→5 for=500 until=2300",
      ])
  }

  @Test func aGiftWithoutComboIsLiveBesideItsKeyAndTakesNothingOfIt() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0]),
      [(0, [.gift("Ann", "Rose"), .gift("Ann", "Rose", 3, merges: false), .gift("Ann", "Rose")])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "0 gift/1 show 2 Ann>Rose single base=0 priority=0 for=100 until=1400",
        "100 gift/0 count 1 0→2 for=200 until=1300",
        "100 gift/1 count 2 0→3 for=300 until=1400",
        "300 gift/0 hold 1 x2 until=1300",
        "400 gift/1 hold 2 x3 until=1400",
        "1300 gift/0 hide 1 x2 expired for=100",
        "1400 gift/1 hide 2 x3 expired for=100",
      ])
  }

  @Test func giftsWithoutComboNeverJoinEachOther() {
    let single = TestEvent.gift("Ann", "Rose", merges: false)
    let scenario = Scenario(Scenario.plain(), [(0, [single, single, single])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose single base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=600",
        "600 gift/0 hide 1 x1 expired for=100",
        "700 gift/0 show 2 Ann>Rose single base=0 priority=0 for=100 until=1900",
        "800 gift/0 count 2 0→1 for=100 until=1900",
        "900 gift/0 hold 2 x1 until=1300",
        "1300 gift/0 hide 2 x1 expired for=100",
        "1400 gift/0 show 3 Ann>Rose single base=0 priority=0 for=100 until=2600",
        "1500 gift/0 count 3 0→1 for=100 until=2600",
        "1600 gift/0 hold 3 x1 until=2600",
        "2600 gift/0 hide 3 x1 expired for=100",
      ])
  }

  @Test func aGiftDoesNotJoinTheSingleThatHoldsOnItsTrack() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0]),
      [(0, [.gift("Ann", "Rose", merges: false)]), (300, [.gift("Ann", "Rose")])], to: 300)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "300 gift/1 Ann>Rose"])
  }

  @Test func theKeyIsATupleOfSenderGiftAndReceiver() {
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0, 0, 0, 0, 0]),
      [
        (
          0,
          [
            .gift("a", "bc"), .gift("ab", "c"), .gift("a", "b", to: "c"), .gift("a", "bc", to: "d"),
            .gift("a", "bc"), .gift("a", "bc", to: "e"),
          ]
        )
      ], to: 100)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 a>bc base=0 priority=0 for=100 until=1200",
        "0 gift/1 show 2 ab>c base=0 priority=0 for=100 until=1200",
        "0 gift/2 show 3 a>b>c base=0 priority=0 for=100 until=1200",
        "0 gift/3 show 4 a>bc>d base=0 priority=0 for=100 until=1200",
        "0 gift/4 show 5 a>bc>e base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→2 for=200 until=1300",
        "100 gift/1 count 2 0→1 for=100 until=1200",
        "100 gift/2 count 3 0→1 for=100 until=1200",
        "100 gift/3 count 4 0→1 for=100 until=1200",
        "100 gift/4 count 5 0→1 for=100 until=1200",
      ])
  }

  @Test(arguments: [
    (gifts: 1, catchUp: 500, length: 100), (4, 500, 400), (5, 500, 500), (6, 500, 500),
    (1_000_000, 500, 500), (3, 50, 100), (1, 0, 100), (3, 100, 100),
  ])
  func aRunTakesAStepAGiftButNoMoreThanTheCatchUpNorLessThanAStep(
    gifts: Int, catchUp: Int64, length: Int64
  ) {
    let plan = Scenario.plain { $0.catchUpMilliseconds = catchUp }
    let scenario = Scenario(plan, [(0, [.gift("Ann", "Rose", gifts)])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=\(1100 + length)",
        "100 gift/0 count 1 0→\(gifts) for=\(length) until=\(1100 + length)",
        "\(100 + length) gift/0 hold 1 x\(gifts) until=\(1100 + length)",
        "\(1100 + length) gift/0 hide 1 x\(gifts) expired for=100",
      ])
  }

  @Test func perStepARunIsOneGift() {
    let scenario = Scenario(
      Scenario.plain { $0.countsPerStep = true }, [(0, [.gift("Ann", "Rose", 3)])], to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 count 1 1→2 for=100 until=1300",
        "300 gift/0 count 1 2→3 for=100 until=1400",
        "400 gift/0 hold 1 x3 until=1400",
        "1400 gift/0 hide 1 x3 expired for=100",
      ])
  }

  @Test func lengthsOfZeroPassAtTheInstantButNotWithinTheBatch() {
    let plan = Scenario.plain {
      $0.showMilliseconds = 0
      $0.stepMilliseconds = 0
      $0.catchUpMilliseconds = 0
      $0.holdMilliseconds = 0
      $0.holdBusyMilliseconds = 0
      $0.hideMilliseconds = 0
    }
    var scenario = Scenario(plan)
    scenario.at(5, [.gift("Ann", "Rose"), .gift("Ann", "Rose"), .gift("Bo", "Rose")])
    #expect(scenario.lines == ["5 gift/0 show 1 Ann>Rose base=0 priority=0 for=0 until=5"])
    scenario.at(5, [.gift("Ann", "Rose")])
    #expect(
      scenario.lines.dropFirst() == [
        "5 gift/0 count 1 0→2 for=0 until=5",
        "5 gift/0 hold 1 x2 until=5",
        "5 gift/0 hide 1 x2 expired for=0",
        "5 gift/0 show 2 Bo>Rose base=0 priority=0 for=0 until=5",
        "5 gift/0 count 2 0→1 for=0 until=5",
        "5 gift/0 hold 2 x1 until=5",
        "5 gift/0 hide 2 x1 expired for=0",
        "5 gift/0 show 3 Ann>Rose base=0 priority=0 for=0 until=5",
      ])
  }

  @Test func theClassicPresetIsOneStepARunWithoutShorteningPaceCutOrLeftNumber() {
    let plan = Scenario.plan(gift: {
      $0 = .classic
      $0.trackMinPriorities = [0]
    })
    // Three wait for one track: nothing of Ann's group gets shorter or is cut by that.
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose", 2), .gift("Bo", "Rose"), .gift("Cy", "Rose"), .gift("Di", "Rose")]),
        (4000, [.gift("Ann", "Rose", 20)]),
        (15_100, [.gift("Ann", "Rose")]),
      ], to: 15_500)
    let runs = (2..<22).map { step in
      "\(4000 + 400 * (step - 2)) gift/0 count 1 \(step)→\(step + 1) for=400 until=\(7400 + 400 * (step - 2))"
    }
    #expect(
      scenario.lines
        == [
          "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=300 until=3700",
          "300 gift/0 count 1 0→1 for=400 until=3700",
          "700 gift/0 count 1 1→2 for=400 until=4100",
          "1100 gift/0 hold 1 x2 until=4100",
        ] + runs + [
          "12000 gift/0 hold 1 x22 until=15000",
          "15000 gift/0 hide 1 x22 expired for=300",
          "15300 gift/0 show 2 Bo>Rose base=0 priority=0 for=300 until=19000",
        ])
    #expect(GiftPlan.classic.maxWaiting == 100_000)
  }
}
