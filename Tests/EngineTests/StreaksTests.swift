import Base
import Testing

@testable import Engine

/// What a frame of a cumulative source adds. Frames are written `total`, with `e` if they carry `end`,
/// `@arrival` (else a second after the frame before, the first at 0) and `t` with the event's own time;
/// outcomes `+added>base`, or `.`.
@Suite struct StreaksTests {
  struct Line: Sendable, CustomTestStringConvertible {
    var rule: String
    var frames: String
    var outcomes: String
    var testDescription: String { "\(rule): \(frames)" }

    init(_ rule: String, _ frames: String, _ outcomes: String) {
      self.rule = rule
      self.frames = frames
      self.outcomes = outcomes
    }
  }

  private func outcomes(_ frames: String, streak: String = "") -> String {
    var streaks = Streaks()
    var counters = EngineCounters()
    var arrival: Instant = -1000
    return frames.split(separator: " ").map { frame in
      var rest = frame
      func number(after mark: Character) -> Int64? {
        guard let place = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest[..<place] }
        return Int64(rest[rest.index(after: place)...])
      }
      var event = Event(kind: .gift, index: 0)
      event.time = number(after: "t")
      arrival = number(after: "@") ?? arrival + 1000
      event.endsStreak = rest.hasSuffix("e")
      event.streak = TextSlice(start: 0, count: streak.utf8.count)
      let outcome = streaks.frame(
        total: Int(rest.filter(\.isNumber)) ?? 0, event: event, key: KeyDigest(low: 1, high: 1),
        arrival: arrival, plan: GiftPlan(), counters: &counters)
      return switch outcome {
      case .adds(let count, let base): "+\(count)>\(base)"
      case .nothing: "."
      case .full: "full"
      }
    }.joined(separator: " ")
  }

  static let withoutID = [
    Line("nothing remembered", "7", "+7>0"),
    Line("nothing remembered", "7e 7e", "+7>0 ."),
    Line("gap - 1", "5@0 6@9999", "+5>0 +1>5"),
    Line("gap", "5@0 6@10000", "+5>0 +6>0"),
    Line("gap + 1", "5@0 6@10001", "+5>0 +6>0"),
    Line("gap, equal", "5@0 5@9999", "+5>0 ."),
    Line("gap, equal", "5@0 5@10000", "+5>0 +5>0"),
    Line("gap, lower", "5@0 3@10000", "+5>0 +3>0"),
    Line("the gap is from the last frame, counted or not", "5@0 5@9000 6@18999", "+5>0 . +1>5"),
    Line("the gap is from the last frame, counted or not", "5@0 3@9000 6@18999", "+5>0 . +1>5"),
    Line("the gap is from the last frame, counted or not", "5@0 5@9000 6@19000", "+5>0 . +6>0"),
    Line("equal, open: nothing, closed", "5 5", "+5>0 ."),
    Line("equal, closed: a new streak", "5 5 5", "+5>0 . +5>0"),
    Line("equal, closed: a new streak, which is open", "5 5 5 5", "+5>0 . +5>0 ."),
    Line("equal, ended, with end: nothing", "5e 5e", "+5>0 ."),
    Line("equal, ended, with end: again", "5e 5e 5e", "+5>0 . ."),
    Line("equal, ended, without end: a new streak", "5e 5", "+5>0 +5>0"),
    Line("it ended with its repeat", "5 5e 5", "+5>0 . +5>0"),
    Line("it ended with its repeat", "5 5e 5e", "+5>0 . ."),
    Line("it ended with its repeat", "5 5e 6", "+5>0 . +6>0"),
    Line("closed, then equal with end: a new streak that ended", "5 5 5e 6", "+5>0 . +5>0 +6>0"),
    Line("the closing frame of the streak that a 1 replaced", "9 1 9", "+9>0 +1>0 ."),
    Line("once", "9 1 9 9", "+9>0 +1>0 . +8>1"),
    Line("the new one goes on", "9 1 9 2 3", "+9>0 +1>0 . +1>1 +1>2"),
    Line("the new one stays open", "9 1 9 1 1", "+9>0 +1>0 . . +1>0"),
    Line("its end is not the new one's", "9 1 9e 1 2", "+9>0 +1>0 . . +1>1"),
    Line("the new one's own last comes before", "2 1 2 2", "+2>0 +1>0 . +1>1"),
    Line("it is late", "9 1 2 3 9 4", "+9>0 +1>0 +1>1 +1>2 . +1>3"),
    Line("not after the gap", "9@0 1@1000 9@11000", "+9>0 +1>0 +9>0"),
    Line("not of a closed streak", "9 9 1 9", "+9>0 . +1>0 +8>1"),
    Line("not of an ended streak", "9e 1 9", "+9>0 +1>0 +8>1"),
    Line("not of a streak that ended by its gap", "9@0 1@10000 9@11000", "+9>0 +1>0 +8>1"),
    Line("the closing frame leaves an end standing", "9 1e 9 1", "+9>0 +1>0 . +1>0"),
    Line("ended: a new streak if higher", "5e 6", "+5>0 +6>0"),
    Line("ended: a new streak if lower", "5e 3", "+5>0 +3>0"),
    Line("ended: a new streak if 1", "5e 1", "+5>0 +1>0"),
    Line("ended by a rise", "3 5e 7", "+3>0 +2>3 +7>0"),
    Line("lower, 1: a new streak", "5 1 2", "+5>0 +1>0 +1>1"),
    Line("lower, closed: a new streak", "5 5 3", "+5>0 . +3>0"),
    Line("lower, closed: a new streak, open", "5 5 3 4", "+5>0 . +3>0 +1>3"),
    Line("higher: the rise", "5 8 9", "+5>0 +3>5 +1>8"),
    Line("higher, closed: the rise, open again", "5 5 6 6", "+5>0 . +1>5 ."),
    Line("lower: out of order", "5 3", "+5>0 ."),
    Line("lower: out of order, and last stays", "5 3 4 6", "+5>0 . . +1>5"),
    Line("a frame out of order may end it", "5 3e 6", "+5>0 . +6>0"),
    Line("1, 1, 1, 1 at 0, 2, 5, 7 s", "1@0 1@2000 1@5000 1@7000", "+1>0 . +1>0 ."),
    Line("20 s away without telling", "48@0 49@500 50@20500 51@21000", "+48>0 +1>48 +50>0 +1>50"),
    Line("by time", "48@0t0 49@500t500 50@20500t1000 51@21000t1500", "+48>0 +1>48 +1>49 +1>50"),
    Line("time gap - 1", "5@0t0 6@1t9999", "+5>0 +1>5"),
    Line("time gap", "5@0t0 6@1t10000", "+5>0 +6>0"),
    Line("time goes back", "5@0t50000 6@1t0", "+5>0 +1>5"),
    Line("one lacks it: by arrival", "5@0t0 6@1", "+5>0 +1>5"),
    Line("one lacks it: by arrival", "5@0 6@1t99999", "+5>0 +1>5"),
    Line("one lacks it: by arrival", "5@0t0 6@10000", "+5>0 +6>0"),
    Line("the last frame counts, not the last with a time", "5@0t0 6@1 7@2t99999", "+5>0 +1>5 +1>6"),
    Line("the farthest times", "5@0t-9223372036854775808 6@1t9223372036854775807", "+5>0 +6>0"),
    Line("the farthest times back", "5@0t9223372036854775807 6@1t-9223372036854775808", "+5>0 +1>5"),
  ]

  @Test(arguments: withoutID)
  func withoutAStreakIDTheFirstLineThatAppliesDecides(line: Line) {
    #expect(outcomes(line.frames) == line.outcomes)
  }

  static let withID = [
    Line("only a rise counts", "3 5 5 4 1 6", "+3>0 +2>3 . . . +1>5"),
    Line("end is ignored", "3e 5", "+3>0 +2>3"),
    Line("end is ignored", "3 3e 3e 4e 4", "+3>0 . . +1>3 ."),
    Line("the frame with end counts like any other", "3 5e", "+3>0 +2>3"),
    Line("there is no gap", "3@0 4@99999 3@200000", "+3>0 +1>3 ."),
    Line("a 1 begins nothing", "9 1 9 2", "+9>0 . . ."),
  ]

  @Test(arguments: withID)
  func withAStreakIDOnlyARiseCounts(line: Line) {
    #expect(outcomes(line.frames, streak: "s") == line.outcomes)
  }

  // MARK: In a room

  private func accepted(_ steps: [(at: Instant, events: [TestEvent])]) -> Int {
    Scenario(Scenario.plain(), steps, to: 0).output.counters.giftsAccepted
  }

  @Test func ofCountAndTotalTheTotalCountsAndNeitherIsOne() {
    #expect(accepted([(0, [.gift("Ann", "Rose", 7, total: 3)])]) == 3)
    #expect(accepted([(0, [.gift("Ann", "Rose", 7, total: 3), .gift("Ann", "Rose", 7, total: 3)])]) == 3)
    #expect(accepted([(0, [.gift("Ann", "Rose")])]) == 1)
    #expect(accepted([(0, [.gift("Ann", "Rose", 7)])]) == 7)
  }

  @Test func aStreakIsOfItsSenderGiftReceiverAndID() {
    let events: [TestEvent] = [
      .gift("Ann", "Rose", total: 5), .gift("Bo", "Rose", total: 3), .gift("Ann", "Car", total: 4),
      .gift("Ann", "Rose", total: 2, to: "Zoe"), .gift("Ann", "Rose", total: 1, streak: "s"),
      .gift("Ann", "Rose", total: 1, streak: "t"),
    ]
    #expect(accepted([(0, events)]) == 16)
    #expect(accepted([(0, events), (1000, events)]) == 16)
  }

  @Test func oneSendersEndTouchesNoOtherStreak() {
    // Bo's streak is still open: his repeat is nothing.
    #expect(
      accepted([
        (0, [.gift("Ann", "Rose", total: 5), .gift("Bo", "Rose", total: 5)]),
        (1000, [.gift("Ann", "Rose", total: 5, ends: true), .gift("Bo", "Rose", total: 5)]),
      ]) == 10)
  }

  @Test(arguments: [
    ([5, 5, 3], 8), ([5, 3], 5), ([9, 1, 9, 2, 3], 12), ([1, 1, 1, 1], 2),
  ])
  func theseTotalsWithinTheGapGive(totals: [Int], expected: Int) {
    #expect(
      accepted(totals.enumerated().map { (Instant($0) * 2000, [.gift("Ann", "Rose", total: $1)]) })
        == expected)
  }

  @Test func theTimeThatWeWereAwayIsNoGap() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(0, [.gift("Ann", "Rose", total: 48)])
    scenario.at(500, [.gift("Ann", "Rose", total: 49)])
    scenario.skip(from: 600, to: 20_600)
    scenario.at(20_700, [.gift("Ann", "Rose", total: 50)])
    scenario.at(21_000, [.gift("Ann", "Rose", total: 51)])
    #expect(scenario.output.counters.giftsAccepted == 51)
    // What is left of the gap still counts: 9 999 and 10 000 ms of presence since the last frame.
    scenario.skip(from: 22_000, to: 100_000)
    scenario.at(108_999, [.gift("Ann", "Rose", total: 52)])
    #expect(scenario.output.counters.giftsAccepted == 52)
    scenario.skip(from: 109_000, to: 110_000)
    scenario.at(119_999, [.gift("Ann", "Rose", total: 53)])
    #expect(scenario.output.counters.giftsAccepted == 52 + 53)
  }

  @Test func aFrameThatAddsNothingIsCountedAndShowsNothing() {
    let scenario = Scenario(
      Scenario.plain(), [(0, [.gift("Ann", "Rose", total: 5), .gift("Ann", "Rose", total: 5)])], to: 0)
    #expect(scenario.output.counters.framesWithoutGift == 1)
    #expect(scenario.output.counters.giftEvents == 2)
    #expect(scenario.engine.giftsPending == 5)
  }

  // MARK: Bound

  @Test(arguments: [(1, 0), (2, 0), (3, 1), (4, 2)])
  func beyondMaxStreaksANewOneIsRejectedWhileNoneIsPastItsGap(senders: Int, rejected: Int) {
    var scenario = Scenario(Scenario.plain { $0.maxStreaks = 2 })
    scenario.at(0, (0..<senders).map { .gift("S\($0)", "Rose", total: 1, id: "e\($0)") })
    #expect(scenario.output.counters.streaksRejected == rejected)
    #expect(scenario.output.rejections.map(\.index) == Array(2..<2 + rejected))
    #expect(scenario.output.rejections.allSatisfy { $0.reason == .tooManyStreaks })
    #expect(scenario.output.counters.giftsAccepted == senders - rejected)
    #expect(scenario.output.counters.giftEvents == senders - rejected)
    // Those that are remembered go on, and deltas need no streak.
    scenario.at(1, [.gift("S0", "Rose", total: 2), .gift("S9", "Rose", 5)])
    #expect(scenario.output.rejections.isEmpty)
    #expect(scenario.output.counters.giftsAccepted == senders - rejected + 6)
  }

  @Test(arguments: [(Instant(10_499), 1, 0), (10_500, 0, 1)])
  func theLeastRecentStreakThatIsPastItsGapLeaves(instant: Instant, rejected: Int, evicted: Int) {
    // S0 spoke again at 700, so S1, silent since 500, is the least recent.
    var scenario = Scenario(Scenario.plain { $0.maxStreaks = 2 })
    scenario.at(0, [.gift("S0", "Rose", total: 1, streak: "s")])
    scenario.at(500, [.gift("S1", "Rose", total: 1, streak: "s")])
    scenario.at(700, [.gift("S0", "Rose", total: 1, streak: "s")])
    scenario.at(instant, [.gift("S2", "Rose", total: 1, streak: "s")])
    #expect(scenario.output.counters.streaksRejected == rejected)
    #expect(scenario.output.counters.streaksEvicted == evicted)
    let before = scenario.output.counters.giftsAccepted
    scenario.at(instant, [.gift("S0", "Rose", total: 3, streak: "s")])
    #expect(scenario.output.counters.giftsAccepted == before + 2)
  }

  @Test func aRejectedFrameMayComeAgainWithItsID() {
    var scenario = Scenario(Scenario.plain { $0.maxStreaks = 1 })
    scenario.at(0, [.gift("Ann", "Rose", total: 1, id: "a")])
    scenario.at(0, [.gift("Bo", "Rose", total: 1, id: "b")])
    #expect(scenario.output.counters.streaksRejected == 1)
    scenario.at(10_000, [.gift("Bo", "Rose", total: 1, id: "b")])
    #expect(scenario.output.counters.duplicateIDs == 0)
    #expect(scenario.output.counters.giftsAccepted == 2)
  }
}
