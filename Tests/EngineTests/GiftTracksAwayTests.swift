import Base
import Engine
import Testing

/// The time that we were away does not count: every timer moves by it, and moved times are said again.
@Suite struct GiftTracksAwayTests {
  @Test func aHoldIsSaidAgainWithItsNewEnd() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 400)
    scenario.skip(from: 500, to: 5500)
    scenario.advance(to: 9000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/0 count 1 0→1 for=100 until=1200",
        "200 gift/0 hold 1 x1 until=1200",
        "5500 gift/0 hold 1 x1 until=6200",
        "6200 gift/0 hide 1 x1 expired for=100",
      ])
    #expect(scenario.output.commands.map(\.sequence) == [1, 2, 3, 4, 5])
  }

  @Test func timersBeforeTheAbsenceFireBeforeIt() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 0)
    scenario.skip(from: 100, to: 1100)
    scenario.advance(to: 1200)
    #expect(
      scenario.lines.suffix(2) == [
        "100 gift/0 count 1 0→1 for=100 until=1200", "1200 gift/0 hold 1 x1 until=2200",
      ])
  }

  @Test(arguments: [
    // show, count and hide end later by a second; nothing is said at once.
    (Instant(50), "1100 gift/0 count 1 0→1 for=100 until=2200"),
    (150, "1200 gift/0 hold 1 x1 until=2200"),
  ])
  func aPhaseThatRunsEndsLater(from: Instant, next: String) {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: from)
    let before = scenario.lines.count
    scenario.skip(from: from, to: from + 1000)
    #expect(scenario.lines.count == before)
    scenario.advance(to: 1200)
    #expect(scenario.lines[before] == next)
  }

  @Test func hidingTakesItsRestAfterwards() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 1250)
    scenario.skip(from: 1250, to: 2250)
    scenario.at(2260, [.gift("Bo", "Rose")])
    scenario.advance(to: 2300)
    #expect(scenario.shows.last == "2300 gift/0 Bo>Rose")
  }

  @Test func theAgeOfAGroupAndItsWaitDoNotGrow() {
    let plan = Scenario.plain {
      $0.maxGroupMilliseconds = 500
      $0.foldAfterMilliseconds = 1000
      $0.holdBusyMilliseconds = 1000
    }
    var scenario = Scenario(plan, [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])], to: 150)
    scenario.skip(from: 150, to: 300_150)
    // Ann's run ends 200 ms after her show: not overdue. Bo folds after 1000 ms of presence.
    scenario.advance(to: 301_500)
    #expect(
      scenario.lines.dropFirst(2) == [
        "300200 gift/0 hold 1 x1 until=301200",
        "301000 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1",
        "301200 gift/0 hide 1 x1 expired for=100",
      ])
  }

  @Test func ageingDoesNotCountTheAbsence() {
    // Without it Bo has aged 2 and Cy 1: at 700 of presence both have 2, and Bo came first.
    let plan = Scenario.plain { $0.agingMilliseconds = 300 }
    for (arrival, first) in [(Instant(100), "Cy>P1"), (101, "Bo>P0")] {
      var scenario = Scenario(
        plan, [(0, [.gift("Ann", "P0"), .gift("Bo", "P0")]), (arrival, [.gift("Cy", "P1")])], to: 150)
      scenario.skip(from: 150, to: 150 + 7000)
      scenario.advance(to: 7700)
      #expect(scenario.shows.last == "7700 gift/0 \(first)")
    }
  }

  @Test func aLeftNumberStandsLonger() {
    for (arrival, base) in [(Instant(6199), 1), (6200, 0)] {
      var scenario = Scenario(
        Scenario.plain(), [(0, [.gift("Ann", "Rose")]), (300, [.gift("Bo", "Rose")])], to: 650)
      scenario.skip(from: 650, to: 5650)
      scenario.at(arrival, [.gift("Ann", "Rose")])
      scenario.advance(to: 9000)
      #expect(scenario.lines(op: "show").last?.contains("3 Ann>Rose base=\(base)") == true)
    }
  }

  @Test func aLeftNumberThatWasOverStaysOver() {
    var scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "Rose")]), (300, [.gift("Bo", "Rose")])], to: 1200)
    scenario.skip(from: 1200, to: 5000)
    scenario.at(5000, [.gift("Ann", "Rose")])
    scenario.advance(to: 9000)
    #expect(scenario.lines(op: "show").last?.contains("3 Ann>Rose base=0") == true)
  }

  @Test(arguments: [(Instant(600_000), 0), (600_001, 2)])
  func whatWaitsFoldsIfWeWereAwayForLongerThanAwayMaxMs(length: Instant, folded: Int) {
    var scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "P0"), .gift("Cy", "P9", 2), .gift("Bo", "P0")])], to: 150)
    scenario.skip(from: 150, to: 150 + length)
    #expect(scenario.output.counters.groupsFoldedByWait == folded)
    #expect(scenario.engine.groupsWaiting == 2 - folded)
    #expect(scenario.engine.checkInvariants() == nil)
    scenario.advance(to: 150 + length)
    // High priority or not, the eldest first.
    #expect(
      scenario.lines(of: "gift/fold")
        == (folded == 0 ? [] : ["600151 gift/fold fold groups=2 gifts=3 senders=2 Cy>P9x2,Bo>P0x1"]))
  }

  @Test func aRoomThatFoldedWhatWaitedLeavesAFullSilenceLater() {
    // Only the fold kept it: without the group it would have been gone at 1000.
    let plan = Scenario.plain(
      tracks: [9],
      {
        $0.foldAfterMilliseconds = 10_000
        $0.maxFoldItems = 1
      }, limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan, [(0, [.gift("Ann", "Rose")])], to: 5000)
    scenario.skip(from: 5000, to: 605_001)
    #expect(scenario.lines == ["605001 gift/fold fold groups=1 gifts=1 senders=1 Ann>Rosex1"])
    #expect(scenario.engine.checkInvariants() == nil)
    #expect(scenario.engine.nextDeadline == 606_001)
  }

  @Test func foldsThatCollectGoOutLater() {
    let plan = Scenario.plain {
      $0.maxWaiting = 0
      $0.showMilliseconds = 100_000
    }
    var scenario = Scenario(
      plan, [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]), (400, [.gift("Cy", "Rose")])], to: 500)
    scenario.skip(from: 500, to: 1500)
    scenario.advance(to: 5000)
    #expect(
      scenario.lines(of: "gift/fold") == [
        "0 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1",
        "2000 gift/fold fold groups=1 gifts=1 senders=1 Cy>Rosex1",
      ])
  }

  @Test func aBurstIsSaidAgainAndItsStopMoves() {
    var scenario = Scenario(RoomPlan(), [(0, [.like(50)]), (100, [.like(2)])], to: 200)
    scenario.skip(from: 200, to: 1200)
    scenario.advance(to: 9000)
    #expect(
      scenario.lines == [
        "0 like burst 50 total=50 particles=30 until=2000",
        // The same burst; the two that collect are in the total and burst later.
        "1200 like burst 50 total=52 particles=30 until=3000",
        "1250 like burst 2 total=52 particles=2 until=3250",
        "3250 like stop total=52",
      ])
  }

  @Test func aRoomWithoutAShowerSaysNothing() {
    var scenario = Scenario(RoomPlan(), [(0, [.like(5)])], to: 2000)
    scenario.skip(from: 2000, to: 3000)
    #expect(scenario.lines(of: "like").count == 2)
  }

  @Test func commentsThatCollectGoOutLater() {
    var scenario = Scenario(RoomPlan(), [(0, [.comment("Ann", "a")]), (50, [.comment("Ann", "b")])], to: 60)
    scenario.skip(from: 60, to: 1060)
    scenario.advance(to: 2000)
    #expect(
      scenario.lines == [
        "0 comment append evicted=0 skipped=0 Ann:a:#00AEFF",
        "1100 comment append evicted=0 skipped=0 Ann:b:#00AEFF",
      ])
  }

  @Test func anAbsenceThatIsOverOrEmptyIsNone() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 400)
    scenario.skip(from: 100, to: 400)
    scenario.skip(from: 400, to: 400)
    scenario.skip(from: 400, to: 300)
    #expect(scenario.lines.count == 3)
    #expect(scenario.engine.now == 400)
    // Of one that began before now, what is left counts.
    scenario.skip(from: 100, to: 500)
    #expect(scenario.lines.last == "500 gift/0 hold 1 x1 until=1300")
  }

  @Test func allRoomsMoveInTheOrderInWhichTheyAppeared() {
    var scenario = Scenario(Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 }))
    for room in ["z", "m", "a"] { scenario.at(0, room: room, [.gift("Ann", "Rose")]) }
    scenario.skip(from: 200, to: 900)
    let rooms = scenario.output.commands.suffix(3).map { scenario.output.bytes.string($0.room) }
    #expect(rooms == ["z", "m", "a"])
    // A room's silence does not grow either: hidden at 1900, gone at 2000, left at 3000.
    scenario.advance(to: 2500)
    scenario.skip(from: 2500, to: 12_500)
    scenario.advance(to: 12_999)
    #expect(scenario.engine.roomCount == 3)
    scenario.advance(to: 13_000)
    #expect(scenario.engine.roomCount == 0)
  }
}
