import Base
import Engine
import Testing

/// Timers before events, each at its own deadline, in one order.
@Suite struct TimeRuleTests {
  /// Everything that has a timer fires at 1000.
  private var tied: Scenario {
    let plan = Scenario.plan(
      gift: {
        $0 = Scenario.plain().gift
        $0.trackMinPriorities = [0, 0]
        $0.showMilliseconds = 1000
        $0.foldAfterMilliseconds = 900
        $0.maxWaiting = 1
      },
      comment: { $0.flushMilliseconds = 1000 },
      like: {
        $0.burstMilliseconds = 1000
        $0.showerMilliseconds = 5000
      })
    var scenario = Scenario(plan)
    scenario.at(
      0,
      [
        .like(1), .comment("Ann", "a"), .gift("A", "Rose"), .gift("B", "Rose"), .gift("Z1", "Rose"),
        .gift("Z2", "Rose"),
      ])
    scenario.at(100, [.gift("C", "Rose")])
    scenario.at(950, [.like(2), .comment("Ann", "b")])
    return scenario
  }

  @Test func aBatchSendsItsGiftsThenCommentsThenLikesThenFolds() {
    #expect(
      Array(tied.lines.prefix(5)) == [
        "0 gift/0 show 1 A>Rose base=0 priority=0 for=1000 until=2100",
        "0 gift/1 show 2 B>Rose base=0 priority=0 for=1000 until=2100",
        "0 comment append evicted=0 skipped=0 Ann:a:#00AEFF",
        "0 like burst 1 total=1 particles=1 until=5000",
        // Z2 was the second to wait.
        "0 gift/fold fold groups=1 gifts=1 senders=1 Z1>Rosex1",
      ])
  }

  @Test func atOneDeadlineTracksComeByIndexThenWaitThenFoldsThenCommentsThenTheBurst() {
    var scenario = tied
    scenario.advance(to: 1000)
    #expect(
      Array(scenario.lines.dropFirst(5)) == [
        "1000 gift/0 count 1 0→1 for=100 until=2100",
        "1000 gift/1 count 2 0→1 for=100 until=2100",
        // Z2 folded at 100 when C came; C has waited long enough now and is still in the command.
        "1000 gift/fold fold groups=2 gifts=2 senders=2 Z2>Rosex1,C>Rosex1",
        "1000 comment append evicted=0 skipped=0 Ann:b:#00AEFF",
        "1000 like burst 2 total=3 particles=2 until=6000",
      ])
  }

  @Test func aBatchAtADeadlineComesAfterAllTimers() {
    var timers = tied
    timers.advance(to: 1000)
    var batch = tied
    batch.at(1000, [.gift("A", "Rose"), .like(7), .comment("Ann", "c"), .gift("D", "Rose")])
    // D waits, and the rest of the batch goes out later: nothing more at 1000.
    #expect(batch.lines == timers.lines)
  }

  @Test func commentsComeBeforeTheStop() {
    let plan = Scenario.plan(comment: { $0.flushMilliseconds = 2000 })
    let scenario = Scenario(
      plan, [(0, [.like(1), .comment("Ann", "a")]), (500, [.comment("Ann", "b")])], to: 2000)
    #expect(
      scenario.lines.suffix(2) == [
        "2000 comment append evicted=0 skipped=0 Ann:b:#00AEFF", "2000 like stop total=1",
      ])
  }

  @Test func tracksOfOneDeadlineSettleOneAfterTheOther() {
    // Both tracks are free at 700; each takes its group before the next track's timer.
    let scenario = Scenario(
      Scenario.plain(tracks: [0, 0]),
      [(0, [.gift("A", "Rose"), .gift("B", "Rose"), .gift("C", "Rose"), .gift("D", "Rose")])], to: 700)
    #expect(
      scenario.lines.suffix(6) == [
        "200 gift/0 hold 1 x1 until=600",
        "200 gift/1 hold 2 x1 until=600",
        "600 gift/0 hide 1 x1 expired for=100",
        "600 gift/1 hide 2 x1 expired for=100",
        "700 gift/0 show 3 C>Rose base=0 priority=0 for=100 until=1900",
        "700 gift/1 show 4 D>Rose base=0 priority=0 for=100 until=1900",
      ])
  }

  @Test func noTimerFiresBetweenTheEventsOfABatch() {
    let plan = Scenario.plain { $0.showMilliseconds = 0 }
    var scenario = Scenario(plan)
    scenario.at(0, [.gift("A", "Rose"), .gift("B", "Rose"), .gift("A", "Rose")])
    #expect(scenario.lines == ["0 gift/0 show 1 A>Rose base=0 priority=0 for=0 until=1100"])
    scenario.advance(to: 0)
    #expect(scenario.lines.last == "0 gift/0 count 1 0→2 for=200 until=1200")
  }

  @Test func anInstantBeforeTheLastCountsAsTheLast() {
    var late = Scenario(Scenario.plain())
    late.at(500, [.gift("A", "Rose")])
    late.at(20, [.gift("B", "Rose"), .comment("Ann", "a")])
    late.advance(to: 10)
    var punctual = Scenario(Scenario.plain())
    punctual.at(500, [.gift("A", "Rose")])
    punctual.at(500, [.gift("B", "Rose"), .comment("Ann", "a")])
    #expect(late.engine.now == 500)
    #expect(late.lines == punctual.lines)
    late.advance(to: 5000)
    punctual.advance(to: 5000)
    #expect(late.lines == punctual.lines)
  }

  @Test func eachTimerFiresAtItsOwnDeadlineHoweverLateTheAdvance() {
    let steps: [(at: Instant, events: [TestEvent])] = [
      (0, [.gift("A", "Rose", 3), .gift("B", "Rose"), .like(2), .comment("Ann", "a")]),
      (1, [.comment("Ann", "b"), .like(1)]),
    ]
    let once = Scenario(Scenario.plain(), steps, to: 60_000)
    var often = Scenario(Scenario.plain(), steps, to: 1)
    for instant in Instant(2)...3000 { often.advance(to: instant) }
    often.advance(to: 60_000)
    #expect(once.output.commands.map(\.sequence) == often.output.commands.map(\.sequence))
    #expect(once.lines == often.lines)
  }
}
