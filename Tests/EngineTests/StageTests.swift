import Base
import Engine
import Testing

/// Big gifts play full-screen, one at a time.
@Suite struct StageTests {
  /// `Castle` of priority 9, `Rocket` of 5 and `Yacht` of 5 have the stage; each plays for a second.
  static func plan(
    leader: String = "lead", maxWaiting: Int = 50, gift change: (inout GiftPlan) -> Void = { _ in }
  ) -> RoomPlan {
    Scenario.plan(
      gift: { gift in
        gift = Scenario.plain(tracks: [0, 0, 0]).gift
        gift.rules = [("Castle", 9), ("Rocket", 5), ("Yacht", 5)].map { name, priority in
          PriorityRule(
            priority: priority, gifts: [Array(name.utf8)], asset: Array("\(name).webm".utf8),
            durationMilliseconds: 1000)
        }
        change(&gift)
      },
      stage: {
        $0.leader = Array(leader.utf8)
        $0.maxWaiting = maxWaiting
      })
  }

  private func stage(_ scenario: Scenario) -> [String] { scenario.lines(of: "stage") }

  @Test func aBigGiftPlaysBesideItsBannerUntilItsDeadline() {
    let scenario = Scenario(StageTests.plan(), [(0, [.gift("Ann", "Castle", 2)])], to: 1000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Castle base=0 priority=9 for=100 until=1300",
        "0 stage play 2 Ann>Castle x2 Castle.webm for=1000 until=1000",
        "100 gift/0 count 1 0→2 for=200 until=1300", "300 gift/0 hold 1 x2 until=1300",
        "1000 stage end 2 expired",
      ])
    #expect(scenario.output.counters.stagePlays == 1)
  }

  @Test func aGiftWithoutAnAssetDoesNotPlay() {
    let scenario = Scenario(StageTests.plan(), [(0, [.gift("Ann", "Rose")])], to: 9000)
    #expect(stage(scenario).isEmpty)
  }

  @Test func whatWaitsPlaysByPriorityThenArrival() {
    let scenario = Scenario(
      StageTests.plan(),
      [
        (0, [.gift("Ann", "Rocket")]), (100, [.gift("Bo", "Yacht"), .gift("Cy", "Rocket")]),
        (200, [.gift("Di", "Castle")]),
      ], to: 4000)
    #expect(
      stage(scenario) == [
        "0 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=1000", "1000 stage end 2 expired",
        "1000 stage play 8 Di>Castle x1 Castle.webm for=1000 until=2000", "2000 stage end 8 expired",
        "2000 stage play 4 Bo>Yacht x1 Yacht.webm for=1000 until=3000", "3000 stage end 4 expired",
        "3000 stage play 6 Cy>Rocket x1 Rocket.webm for=1000 until=4000", "4000 stage end 6 expired",
      ])
  }

  @Test func theSameKeyMergesOnlyWhileItWaits() {
    let scenario = Scenario(
      StageTests.plan(),
      [
        (0, [.gift("Ann", "Rocket")]), (100, [.gift("Ann", "Rocket", 2)]),
        (200, [.gift("Ann", "Rocket", 3), .gift("Ann", "Rocket", merges: false)]),
        (1100, [.gift("Ann", "Rocket", 4)]),
      ], to: 9000)
    #expect(
      stage(scenario).filter { $0.contains("play") } == [
        "0 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=1000",
        "1000 stage play 3 Ann>Rocket x5 Rocket.webm for=1000 until=2000",
        "2000 stage play 5 Ann>Rocket x1 Rocket.webm for=1000 until=3000",
        "3000 stage play 6 Ann>Rocket x4 Rocket.webm for=1000 until=4000",
      ])
  }

  @Test(arguments: [(0, 2), (1, 1), (2, 0), (3, 0)])
  func theOldestOfLowestPriorityLeavesFirst(maxWaiting: Int, dropped: Int) {
    let scenario = Scenario(
      StageTests.plan(maxWaiting: maxWaiting),
      [(0, [.gift("Ann", "Rocket")]), (1, [.gift("Bo", "Castle"), .gift("Cy", "Rocket")])], to: 9000)
    #expect(scenario.output.counters.stagePlaysDropped == dropped)
    let plays = stage(scenario).filter { $0.contains("play") }.map { $0.split(separator: " ")[4] }
    #expect(plays == ["Ann>Rocket", "Bo>Castle", "Cy>Rocket"].prefix(3 - dropped).map { $0[...] })
  }

  @Test(arguments: [
    (FeedbackOperation.done(group: 2), "500 stage end 2 done"),
    (.failed(group: 2), "500 stage end 2 failed"),
  ])
  func theLeaderEndsAPlayAndTheNextBegins(_ feedback: FeedbackOperation, end: String) {
    var scenario = Scenario(
      StageTests.plan(), [(0, [.gift("Ann", "Rocket"), .gift("Bo", "Rocket")])], to: 0)
    scenario.feedback(feedback, by: "lead", at: 500)
    // A second answer is for none, and one for a group that waits or never was is too.
    for group in [2, 1, 4_000_000, -1] { scenario.feedback(.done(group: group), by: "lead", at: 600) }
    scenario.advance(to: 9000)
    #expect(
      stage(scenario) == [
        "0 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=1000", end,
        "500 stage play 4 Bo>Rocket x1 Rocket.webm for=1000 until=1500", "1500 stage end 4 expired",
      ])
    #expect(scenario.output.counters.feedbackOutOfPlace == 4)
  }

  @Test(arguments: ["lead", ""])
  func onlyTheLeaderEndsAPlay(leader: String) {
    var scenario = Scenario(StageTests.plan(leader: leader), [(0, [.gift("Ann", "Rocket")])], to: 0)
    for renderer in ["other", "Lead", leader == "" ? "" : "lead "] {
      scenario.feedback(.done(group: 2), by: renderer, at: 100)
    }
    scenario.advance(to: 1000)
    #expect(stage(scenario).last == "1000 stage end 2 expired")
    #expect(scenario.output.counters.feedbackOfOthers == 3)
  }

  @Test func aPauseMovesTheDeadlineAndSaysIt() {
    var scenario = Scenario(
      StageTests.plan(), [(0, [.gift("Ann", "Rocket"), .gift("Bo", "Rocket")])], to: 0)
    scenario.control(.pause(.stage), at: 400)
    // Who has nothing to show may say so; what waits waits on.
    scenario.at(500, [.gift("Cy", "Castle")])
    scenario.control(.resume(.stage), at: 60_400)
    scenario.advance(to: 61_000)
    #expect(
      stage(scenario) == [
        "0 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=1000", "400 stage pause",
        "60400 stage resume", "60400 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=61000",
        "61000 stage end 2 expired", "61000 stage play 6 Cy>Castle x1 Castle.webm for=1000 until=62000",
      ])
  }

  @Test func aPlayThatEndsInAPauseIsFollowedAfterIt() {
    for (end, word) in [("done", "done"), ("skip", "skipped")] {
      var scenario = Scenario(
        StageTests.plan(), [(0, [.gift("Ann", "Rocket"), .gift("Bo", "Rocket")])], to: 0)
      scenario.control(.pause(nil), at: 400)
      if end == "done" { scenario.feedback(.done(group: 2), by: "lead", at: 500) }
      if end == "skip" { scenario.control(.skip(.stage), at: 500) }
      scenario.control(.resume(nil), at: 600)
      #expect(
        stage(scenario).dropFirst() == [
          "400 stage pause", "500 stage end 2 \(word)", "600 stage resume",
          "600 stage play 4 Bo>Rocket x1 Rocket.webm for=1000 until=1600",
        ])
    }
  }

  @Test func anAbsenceMovesTheDeadlineAndSaysIt() {
    var scenario = Scenario(StageTests.plan(), [(0, [.gift("Ann", "Rocket")])], to: 400)
    scenario.skip(from: 400, to: 5400)
    scenario.advance(to: 9000)
    #expect(
      stage(scenario).dropFirst() == [
        "5400 stage play 2 Ann>Rocket x1 Rocket.webm for=1000 until=6000", "6000 stage end 2 expired",
      ])
  }

  @Test func itsTimerComesAfterTheGiftTracks() {
    let plan = StageTests.plan { $0.showMilliseconds = 1000 }
    let scenario = Scenario(plan, [(0, [.gift("Ann", "Rocket")])], to: 1000)
    #expect(
      scenario.lines.suffix(2) == [
        "1000 gift/0 count 1 0→1 for=100 until=2100", "1000 stage end 2 expired",
      ])
  }

  @Test func clearEndsThePlayAndDropsWhatWaits() {
    var scenario = Scenario(
      StageTests.plan(), [(0, [.gift("Ann", "Rocket"), .gift("Bo", "Rocket")])], to: 0)
    scenario.control(.clear(.stage), at: 100)
    scenario.advance(to: 9000)
    #expect(stage(scenario).dropFirst() == ["100 stage end 2 cleared"])
  }

  @Test func aPlayThatBeganInASavedEngineGoesOn() throws {
    var scenario = Scenario(
      StageTests.plan(), [(0, [.gift("Ann", "Rocket"), .gift("Bo", "Castle", 3, to: "Zoe")])], to: 100)
    let plan = scenario.plan
    scenario.engine = try SavedState(of: scenario.engine).restored { _ in plan }
    scenario.feedback(.done(group: 2), by: "lead", at: 500)
    #expect(
      stage(scenario).dropFirst() == [
        "500 stage end 2 done", "500 stage play 4 Bo>Castle>Zoe x3 Castle.webm for=1000 until=1500",
      ])
  }

  @Test(arguments: Chance.seeds(5))
  func ofAHundredPlaysWithAnswersLostAllEndInOrder(seed: UInt64) {
    var chance = Chance(seed: seed)
    var scenario = Scenario(StageTests.plan(maxWaiting: 100))
    var now: Instant = 0
    for number in 1...100 { scenario.at(0, [.gift("viewer \(number)", "Rocket")]) }
    while let play = stage(scenario).last(where: { $0.contains(" play ") }), now < 200_000 {
      let group = Int(play.split(separator: " ")[3]) ?? 0
      let before = stage(scenario).count
      now += Int64.random(in: 1...300, using: &chance)
      scenario.feedback(.done(group: group), by: "other", at: now)
      if chance.once(in: 10) {
        now += 1000
        scenario.advance(to: now)
      } else {
        let answer = chance.once(in: 5) ? FeedbackOperation.failed(group: group) : .done(group: group)
        for _ in 0..<chance.pick([1, 1, 2]) { scenario.feedback(answer, by: "lead", at: now) }
      }
      if stage(scenario).count == before + 1 { break }
    }
    let words = stage(scenario).map { $0.split(separator: " ") }
    let played = words.filter { $0[2] == "play" }.map { $0[3] }
    #expect(played.count == 100, "\(Chance.howToRepeat(seed))")
    #expect(words.filter { $0[2] == "end" }.map { $0[3] } == played, "\(Chance.howToRepeat(seed))")
    #expect(played.map { Int($0) ?? 0 } == (1...100).map { 2 * $0 }, "\(Chance.howToRepeat(seed))")
  }
}
