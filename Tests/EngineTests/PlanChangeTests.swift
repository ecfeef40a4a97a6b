import Base
import Engine
import Testing

/// A room goes over to another plan between two batches.
@Suite struct PlanChangeTests {
  @Test func theSamePlanAgainSaysNothing() {
    let gifts: [TestEvent] = ["Ann", "Bo", "Cy"].map { .gift($0, "Rose") } + [.comment("Ann", "hi")]
    var scenario = Scenario(Scenario.plain(tracks: [0, 0]), [(0, gifts), (10, gifts)], to: 450)
    let before = scenario.lines
    scenario.adopt(scenario.plan, at: 450)
    #expect(scenario.lines == before)
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func lengthsHoldForPhasesThatStartLater() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose", 2)])], to: 50)
    scenario.adopt(
      Scenario.plain {
        $0.showMilliseconds = 1
        $0.stepMilliseconds = 30
        $0.holdMilliseconds = 20
        $0.hideMilliseconds = 5
      }, at: 50)
    scenario.at(160, [.gift("Bo", "Rose")])
    scenario.advance(to: 1000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1300",
        // The show that runs keeps its end; the run and all that follows are new.
        "100 gift/0 count 1 0→2 for=60 until=180",
        "160 gift/0 hold 1 x2 until=180",
        "180 gift/0 hide 1 x2 expired for=5",
        "185 gift/0 show 2 Bo>Rose base=0 priority=0 for=1 until=236",
        "186 gift/0 count 2 0→1 for=30 until=236",
        "216 gift/0 hold 2 x1 until=236",
        "236 gift/0 hide 2 x1 expired for=5",
      ])
  }

  @Test func moreTracksAreThereAtOnce() {
    var scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "Rose"), .gift("Bo", "P5"), .gift("Cy", "Rose")])], to: 50)
    scenario.adopt(Scenario.plain(tracks: [0, 5, 0]), at: 50)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "50 gift/1 Bo>P5", "50 gift/2 Cy>Rose"])
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func tracksBeyondAFewerNumberFinishAndTakeNoOther() {
    var scenario = Scenario(
      Scenario.plain(tracks: [0, 0]), [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])], to: 50)
    scenario.adopt(Scenario.plain(tracks: [0]), at: 50)
    // Bo's combo goes on beyond; Cy and Di wait for the one track. Theirs alone is shortened.
    scenario.at(300, [.gift("Bo", "Rose"), .gift("Cy", "Rose"), .gift("Di", "Rose")])
    scenario.advance(to: 5000)
    #expect(
      scenario.lines(of: "gift/1") == [
        "0 gift/1 show 2 Bo>Rose base=0 priority=0 for=100 until=1200",
        "100 gift/1 count 2 0→1 for=100 until=1200",
        "200 gift/1 hold 2 x1 until=1200",
        "300 gift/1 count 2 1→2 for=100 until=1400",
        "400 gift/1 hold 2 x2 until=1400",
        "1400 gift/1 hide 2 x2 expired for=100",
      ])
    #expect(scenario.shows.suffix(2) == ["700 gift/0 Cy>Rose", "1400 gift/0 Di>Rose"])
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func aGroupBeyondIsNotCutSinceNobodyCouldUseItsTrack() {
    let change: (inout GiftPlan) -> Void = { $0.maxGroupMilliseconds = 200 }
    var scenario = Scenario(
      Scenario.plain(tracks: [0, 0], change), [(0, [.gift("Ann", "Rose", 5), .gift("Bo", "Rose", 5)])], to: 50
    )
    scenario.adopt(Scenario.plain(tracks: [0], change), at: 50)
    scenario.at(60, [.gift("Cy", "Rose")])
    scenario.advance(to: 600)
    #expect(scenario.lines(op: "hide") == ["600 gift/0 hide 1 x5 cut for=100"])
    #expect(scenario.lines(of: "gift/1").last == "600 gift/1 hold 2 x5 until=1600")
  }

  @Test func tracksThatComeBackGoOnWithTheirNumbers() {
    var scenario = Scenario(
      Scenario.plain(tracks: [0, 0]), [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])], to: 2000)
    scenario.adopt(Scenario.plain(tracks: [0]), at: 2000)
    scenario.at(2000, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])
    #expect(scenario.shows.count == 3)
    scenario.adopt(Scenario.plain(tracks: [0, 0]), at: 2001)
    #expect(scenario.shows.last == "2001 gift/1 Bo>Rose")
    #expect(scenario.output.commands.last?.sequence == 5)
  }

  @Test func thePaceIsThatOfTheNewNumberOfTracks() {
    let change: (inout GiftPlan) -> Void = { $0.minPacePermille = 100 }
    let gifts = (0..<4).map { TestEvent.gift("s\($0)", "Rose") }
    var scenario = Scenario(Scenario.plain(tracks: [0, 0], change), [(0, gifts)], to: 50)
    scenario.adopt(Scenario.plain(tracks: [0], change), at: 50)
    scenario.advance(to: 100)
    // Two wait on one track: half the length.
    #expect(scenario.lines(op: "count").first == "100 gift/0 count 1 0→1 for=50 until=1150")
  }

  @Test func aTrackThatBecomesVIPKeepsItsGroup() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 50)
    scenario.adopt(Scenario.plain(tracks: [5]), at: 50)
    #expect(scenario.engine.checkInvariants() == nil)
    scenario.at(60, [.gift("Bo", "Rose"), .gift("Cy", "P5")])
    scenario.advance(to: 2000)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "700 gift/0 Cy>P5"])
  }

  @Test func whatWaitsBeyondALowerBoundFoldsAtOnce() {
    var scenario = Scenario(
      Scenario.plain(), [(0, (0..<4).map { .gift("s\($0)", "Rose") })], to: 50)
    scenario.adopt(Scenario.plain { $0.maxWaiting = 1 }, at: 50)
    scenario.advance(to: 60)
    #expect(
      scenario.lines(of: "gift/fold") == [
        "50 gift/fold fold groups=2 gifts=2 senders=2 s1>Rosex1,s2>Rosex1"
      ])
  }

  @Test func whatHasWaitedLongEnoughFoldsNow() {
    // Under the new plan it should have at 30; time does not go back for it.
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])], to: 50)
    scenario.adopt(Scenario.plain { $0.foldAfterMilliseconds = 30 }, at: 50)
    #expect(scenario.lines.last == "50 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1")
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func aRoomThatWasIdleLongEnoughLeaves() {
    var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 10_000)
    scenario.adopt(Scenario.plain(limits: { $0.roomIdleMilliseconds = 100 }), at: 10_000)
    #expect(scenario.engine.roomCount == 0)
    #expect(scenario.engine.nextDeadline == nil)
  }

  @Test func newCommentsBeyondAShorterListAreSkipped() {
    var scenario = Scenario(Scenario.plan(), [(0, [.comment("Ann", "a")])], to: 0)
    scenario.at(10, ["b", "c", "d"].map { .comment("Bo", $0) })
    scenario.adopt(
      Scenario.plan(comment: {
        $0.maxItems = 2
        $0.colors = [Array("#000001".utf8)]
      }), at: 20)
    scenario.advance(to: 200)
    #expect(
      scenario.lines.last == "100 comment append evicted=1 skipped=1 Bo:c:#000001,Bo:d:#000001")
  }

  @Test func memoriesShrinkToALowerBoundWhenNextUsed() {
    var scenario = Scenario()
    scenario.at(0, (0..<5).map { .gift("Ann", "Rose", id: "\($0)") })
    scenario.adopt(Scenario.plan(limits: { $0.maxGiftIDs = 2 }), at: 0)
    scenario.at(0, [.gift("Ann", "Rose", id: "5")])
    #expect(scenario.output.counters.youngGiftIDsEvicted == 4)
    scenario.at(0, (4...5).map { .gift("Ann", "Rose", id: "\($0)") })
    #expect(scenario.output.counters.duplicateIDs == 2)
  }

  @Test func oneRoomsPlanIsItsOwn() {
    var scenario = Scenario(Scenario.plain())
    for room in ["a", "b"] { scenario.at(0, room: room, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]) }
    let more = Scenario.plain(tracks: [0, 0])
    #expect(scenario.engine.adopt(more, room: Array("b".utf8).span, at: 50, output: &scenario.output))
    #expect(!scenario.engine.adopt(more, room: Array("c".utf8).span, at: 50, output: &scenario.output))
    #expect(scenario.shows.count == 3)
    let last = scenario.output.commands[scenario.output.commands.count - 1]
    #expect(scenario.output.bytes.string(last.room) == "b")
  }

  /// Under any plans one after the other every gift is kept, numbers follow each other and time goes forward;
  /// and to have been saved and restored in between changes nothing.
  @Test(arguments: Chance.seeds(120))
  func anyPlansInTurnKeepEveryGift(seed: UInt64) throws {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var scenario = Scenario(play.plan)
    var restored = scenario
    var faults: [String] = []
    func look(_ scenario: Scenario) {
      if let broken = scenario.engine.checkInvariants() { faults.append(broken) }
      let counters = scenario.output.counters
      let kept =
        counters.giftsShown + counters.giftsFolded + counters.giftsMuted + scenario.engine.giftsPending
      let given = counters.giftsAccepted + counters.giftsTested
      if given != kept { faults.append("given \(given), kept \(kept)") }
    }
    for step in play.steps {
      scenario.take(step)
      restored.take(step)
      if chance.once(in: 6) {
        let plan = play.anotherPlan(&chance)
        let instant = scenario.engine.now + chance.pick([0, 1, 30])
        restored.engine = try SavedState(of: restored.engine).restored { [old = restored.plan] _ in old }
        restored.adopt(plan, at: instant)
        scenario.adopt(plan, at: instant)
      }
      look(scenario)
    }
    scenario.advance(to: play.end)
    restored.advance(to: play.end)
    look(scenario)
    #expect(faults.isEmpty, "\(faults.prefix(3)); \(Chance.howToRepeat(seed))")
    #expect(scenario.engine.roomCount == 0, "\(Chance.howToRepeat(seed))")
    let isSame = restored.output.told == scenario.output.told
    #expect(isSame, "\(Chance.howToRepeat(seed))")
    #expect(scenario.output.isInOrder, "\(Chance.howToRepeat(seed))")
  }

  /// Restored under another plan without going over to it, a room is late perhaps, and does nothing that is
  /// wrong.
  @Test(arguments: Chance.seeds(100))
  func aRoomRestoredUnderAnotherPlanGoesForward(seed: UInt64) throws {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var scenario = Scenario(play.plan)
    for step in play.steps {
      scenario.take(step)
      guard chance.once(in: 10) else { continue }
      let plan = play.anotherPlan(&chance)
      scenario.engine = try SavedState(of: scenario.engine).restored { _ in plan }
    }
    scenario.advance(to: play.end)
    let counters = scenario.output.counters
    let kept = counters.giftsShown + counters.giftsFolded + counters.giftsMuted
    #expect(counters.giftsAccepted + counters.giftsTested == kept, "\(Chance.howToRepeat(seed))")
    #expect(scenario.engine.roomCount == 0, "\(Chance.howToRepeat(seed))")
    #expect(scenario.output.isInOrder, "\(Chance.howToRepeat(seed))")
  }
}

extension CommandBuffer {
  /// True if instants never go back and each topic's numbers follow each other in an epoch.
  fileprivate var isInOrder: Bool {
    var last: [String: Int] = [:]
    var at = Instant.min
    for command in commands {
      let topic = "\(bytes.string(command.room)) \(command.epoch) \(command.track)"
      guard command.at >= at, command.sequence == last[topic, default: 0] + 1 else { return false }
      at = command.at
      last[topic] = command.sequence
    }
    return true
  }
}
