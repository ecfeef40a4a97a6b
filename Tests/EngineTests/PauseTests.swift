import Base
import Engine
import Testing

/// While a part of a room is paused its time stands still.
@Suite struct PauseTests {
  /// One track; what `Ann` gave at 0 shows until 100, counts until 200, holds until 1200 and hides until
  /// 1300.
  private static func scenario(to instant: Instant) -> Scenario {
    Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: instant)
  }

  /// Paused for a minute in each state: what follows is a minute later.
  private static let states: [(Instant, [String])] = [
    (50, ["60100 gift/0 count 1 0→1 for=100 until=61200", "60200 gift/0 hold 1 x1 until=61200"]),
    (150, ["60200 gift/0 hold 1 x1 until=61200", "61200 gift/0 hide 1 x1 expired for=100"]),
    (500, ["60500 gift/0 hold 1 x1 until=61200", "61200 gift/0 hide 1 x1 expired for=100"]),
  ]

  @Test(arguments: states)
  func aPauseOfAMinuteMovesEveryTimerByAMinute(at instant: Instant, next: [String]) {
    var scenario = PauseTests.scenario(to: instant)
    let before = scenario.lines.count
    scenario.control(.pause(.gift), at: instant)
    scenario.advance(to: instant + 59_999)
    scenario.control(.resume(.gift), at: instant + 60_000)
    scenario.advance(to: 70_000)
    let said = Array(scenario.lines[before...])
    #expect(
      said.prefix(4) == [
        "\(instant) gift/0 pause", "\(instant) gift/fold pause", "\(instant + 60_000) gift/0 resume",
        "\(instant + 60_000) gift/fold resume",
      ])
    #expect(said.dropFirst(4).prefix(2) == next[...])
  }

  @Test func aHidingTrackIsFreeAMinuteLater() {
    var scenario = PauseTests.scenario(to: 1250)
    scenario.at(1250, [.gift("Bo", "Rose")])
    scenario.control(.pause(nil), at: 1250)
    scenario.control(.resume(nil), at: 61_250)
    scenario.advance(to: 61_300)
    #expect(scenario.shows.last == "61300 gift/0 Bo>Rose")
  }

  @Test func whatArrivesIsKeptAndJoinsAHold() {
    var scenario = PauseTests.scenario(to: 500)
    scenario.control(.pause(.gift), at: 500)
    scenario.at(2000, [.gift("Ann", "Rose", 2), .gift("Bo", "Rose"), .comment("Bo", "hi")])
    #expect(scenario.engine.giftsPending == 3)
    #expect(scenario.engine.checkInvariants() == nil)
    scenario.control(.resume(.gift), at: 10_500)
    scenario.advance(to: 10_700)
    #expect(
      scenario.lines.dropFirst(3) == [
        "500 gift/0 pause", "500 gift/fold pause", "2000 comment append evicted=0 skipped=0 Bo:hi:#00AEFF",
        "10500 gift/0 resume", "10500 gift/fold resume", "10500 gift/0 count 1 1→3 for=200 until=11700",
        // Bo waits, so the window is the short one.
        "10700 gift/0 hold 1 x3 until=11100",
      ])
  }

  @Test func aNewGroupIsShownAtResumeAndItsWaitIsNotCounted() {
    var scenario = Scenario(Scenario.plain { $0.foldAfterMilliseconds = 500 })
    scenario.control(.pause(nil), at: 0)
    scenario.at(10, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])
    scenario.control(.resume(.gift), at: 50_000)
    scenario.advance(to: 51_000)
    #expect(scenario.shows == ["50000 gift/0 Ann>Rose"])
    #expect(
      scenario.lines(of: "gift/fold").last == "50500 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1")
    #expect(scenario.output.waits == [0, 500])
  }

  @Test func theQueueStaysBounded() {
    let plan = Scenario.plain {
      $0.maxWaiting = 1
      $0.maxFoldItems = 2
    }
    var scenario = Scenario(plan)
    scenario.control(.pause(.gift), at: 0)
    scenario.at(10, ["Ann", "Bo", "Cy", "Di"].map { .gift($0, "Rose") })
    #expect(scenario.engine.groupsWaiting == 1)
    #expect(
      scenario.lines(of: "gift/fold") == [
        "0 gift/fold pause", "10 gift/fold fold groups=2 gifts=2 senders=2 Ann>Rosex1,Bo>Rosex1",
      ])
    scenario.control(.resume(.gift), at: 500)
    scenario.advance(to: 600)
    #expect(scenario.shows == ["500 gift/0 Di>Rose"])
    #expect(scenario.lines(of: "gift/fold").count == 3)
    scenario.advance(to: 2000)
    #expect(
      scenario.lines(of: "gift/fold").last == "1500 gift/fold fold groups=1 gifts=1 senders=1 Cy>Rosex1")
  }

  @Test func commentsAndLikesCollect() {
    var scenario = Scenario(RoomPlan(), [(0, [.comment("Ann", "a"), .like(5)])], to: 0)
    scenario.control(.pause(.comment), at: 50)
    scenario.control(.pause(.like), at: 100)
    scenario.at(150, [.comment("Bo", "b"), .like(2)])
    scenario.at(200, [.comment("Bo", "c"), .like(3)])
    scenario.control(.resume(nil), at: 5100)
    scenario.advance(to: 9000)
    #expect(
      scenario.lines.dropFirst(2) == [
        "50 comment pause", "100 like pause", "5100 comment resume", "5100 like resume",
        // The shower's new end, and then what collected, 250 ms after the last burst.
        "5100 like burst 5 total=10 particles=5 until=7000",
        "5150 comment append evicted=0 skipped=0 Bo:b:#00A61C,Bo:c:#00A61C",
        "5250 like burst 5 total=10 particles=5 until=7250", "7250 like stop total=10",
      ])
  }

  @Test func pausingTwiceAndResumingTwiceSaysItOnce() {
    var scenario = PauseTests.scenario(to: 500)
    scenario.expect(.pause(.like), at: 500)
    scenario.expect(.pause(.like), at: 600)
    scenario.expect(.resume(nil), at: 700)
    scenario.expect(.resume(.like), at: 800)
    #expect(scenario.lines(of: "like") == ["500 like pause", "700 like resume"])
  }

  @Test func anAbsenceInAPauseIsPartOfIt() {
    var scenario = PauseTests.scenario(to: 500)
    scenario.control(.pause(nil), at: 500)
    scenario.skip(from: 1000, to: 5_000_000)
    #expect(scenario.engine.giftsPending == 0)
    scenario.control(.resume(nil), at: 5_000_500)
    scenario.advance(to: 5_002_000)
    #expect(
      scenario.lines(of: "gift/0").suffix(3) == [
        "5000500 gift/0 resume", "5000500 gift/0 hold 1 x1 until=5001200",
        "5001200 gift/0 hide 1 x1 expired for=100",
      ])
  }

  @Test func anEngineThatWasSavedInAPauseComesBackPaused() throws {
    var scenario = PauseTests.scenario(to: 500)
    scenario.at(500, [.comment("Ann", "a"), .like(5), .gift("Bo", "Rose")])
    scenario.control(.pause(nil), at: 600)
    scenario.at(700, [.comment("Ann", "b"), .like(5), .gift("Ann", "Rose")])
    let before = scenario.lines.count
    var whole = scenario
    let plan = scenario.plan
    scenario.engine = try SavedState(of: scenario.engine).restored { _ in plan }
    scenario.advance(to: 50_000)
    #expect(scenario.lines.count == before)
    for instant in [Instant(60_000), 70_000] {
      whole.control(.resume(nil), at: instant)
      scenario.control(.resume(nil), at: instant)
    }
    #expect(scenario.lines == whole.lines)
    #expect(scenario.lines.count > before + 6)
  }

  @Test func aPauseThatNobodyThinksOfEndsWithTheRoomsSilence() {
    var scenario = Scenario(
      Scenario.plain(limits: { $0.roomIdleMilliseconds = 10_000 }), [(0, [.gift("Ann", "Rose")])], to: 500)
    scenario.control(.pause(.gift), at: 500)
    scenario.advance(to: 10_499)
    #expect(!scenario.engine.isQuiet)
    scenario.advance(to: 10_500)
    #expect(scenario.lines.last == "10500 gift/0 hold 1 x1 until=11200")
    scenario.advance(to: 40_000)
    #expect(scenario.engine.roomCount == 0)
  }

  @Test func anEmptyPausedRoomLeavesInSilence() {
    var scenario = Scenario(Scenario.plain(limits: { $0.roomIdleMilliseconds = 10_000 }))
    scenario.control(.pause(nil), at: 0)
    #expect(scenario.engine.isQuiet)
    scenario.advance(to: 10_000)
    #expect(scenario.engine.roomCount == 0)
    scenario.at(20_000, [.comment("Ann", "a")])
    #expect(scenario.lines.last == "20000 comment append evicted=0 skipped=0 Ann:a:#00AEFF")
  }
}
