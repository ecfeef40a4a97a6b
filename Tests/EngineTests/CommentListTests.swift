import Base
import Testing

@testable import Engine

/// The comment list and its name colours.
@Suite struct CommentListTests {
  private func plan(_ change: (inout CommentPlan) -> Void = { _ in }) -> RoomPlan {
    Scenario.plan(comment: change)
  }

  @Test func theCommentsOfABatchGoOutTogetherAtItsEnd() {
    let scenario = Scenario(
      plan(), [(5, [.comment("Ann", "hi"), .gift("Ann", "Rose"), .comment("Bo", "yo")])], to: 5)
    #expect(
      scenario.lines
        == [
          "5 gift/0 show 1 Ann>Rose base=0 priority=0 for=300 until=3700",
          "5 comment append evicted=0 skipped=0 Ann:hi:#00AEFF,Bo:yo:#00A61C",
        ].map { $0.replacing("until=3700", with: "until=\(5 + 300 + 400 + 3000)") })
  }

  @Test(arguments: [(Instant(0), Instant(100)), (1, 100), (99, 100), (100, 100), (101, 101)])
  func theNextAppendIsFlushMsAfterTheLastOrLater(arrival: Instant, sent: Instant) {
    let scenario = Scenario(
      plan(), [(0, [.comment("Ann", "hi")]), (arrival, [.comment("Bo", "yo")])], to: 1000)
    #expect(
      scenario.lines == [
        "0 comment append evicted=0 skipped=0 Ann:hi:#00AEFF",
        "\(sent) comment append evicted=0 skipped=0 Bo:yo:#00A61C",
      ])
  }

  @Test func theTimerComesBeforeABatchOfItsInstant() {
    let scenario = Scenario(
      plan(), [(0, [.comment("Ann", "a")]), (50, [.comment("Ann", "b")]), (100, [.comment("Ann", "c")])],
      to: 1000)
    #expect(
      scenario.lines == [
        "0 comment append evicted=0 skipped=0 Ann:a:#00AEFF",
        "100 comment append evicted=0 skipped=0 Ann:b:#00AEFF",
        "200 comment append evicted=0 skipped=0 Ann:c:#00AEFF",
      ])
  }

  @Test func withFlushMsOfZeroEachBatchHasItsAppend() {
    let scenario = Scenario(
      plan { $0.flushMilliseconds = 0 }, [(0, [.comment("Ann", "a")]), (0, [.comment("Ann", "b")])], to: 0)
    #expect(scenario.lines(of: "comment").count == 2)
  }

  @Test(arguments: [
    (collected: 2, skipped: 0, first: 0), (3, 0, 0), (4, 1, 1), (5, 2, 2), (11, 8, 8), (400, 397, 397),
  ])
  func whatCollectsBeyondMaxItemsIsSkippedFromTheOldest(collected: Int, skipped: Int, first: Int) {
    let scenario = Scenario(
      plan { $0.maxItems = 3 }, [(0, (0..<collected).map { .comment("Ann", "t\($0)", id: "i\($0)") })], to: 0)
    let items = (first..<collected).map { "Ann:t\($0):#00AEFF" }.joined(separator: ",")
    #expect(scenario.lines == ["0 comment append evicted=0 skipped=\(skipped) \(items)"])
    let ids = scenario.output.commentItems.map { scenario.output.bytes.string($0.id) }
    #expect(ids == (first..<collected).map { "i\($0)" })
    #expect(scenario.output.counters.commentsSkipped == skipped)
    #expect(scenario.output.counters.commentEvents == collected)
  }

  @Test func theOldestOfTheListAreEvicted() {
    let scenario = Scenario(
      plan { $0.maxItems = 3 },
      [
        (0, [.comment("Ann", "1"), .comment("Ann", "2")]), (100, [.comment("Ann", "3")]),
        (200, [.comment("Ann", "4")]), (300, (5...9).map { .comment("Ann", "\($0)") }),
      ], to: 300)
    #expect(
      scenario.lines == [
        "0 comment append evicted=0 skipped=0 Ann:1:#00AEFF,Ann:2:#00AEFF",
        "100 comment append evicted=0 skipped=0 Ann:3:#00AEFF",
        "200 comment append evicted=1 skipped=0 Ann:4:#00AEFF",
        // Of five new ones two were never in the list; the list's three make room for the other three.
        "300 comment append evicted=3 skipped=2 Ann:7:#00AEFF,Ann:8:#00AEFF,Ann:9:#00AEFF",
      ])
  }

  @Test(arguments: 0...3)
  func skippedCommentsKeepNoMemory(maxItems: Int) {
    var comments = CommentList()
    var counters = EngineCounters()
    var commentPlan = CommentPlan()
    commentPlan.maxItems = maxItems
    var batch = EventBatch()
    TestEvent.comment("Ann", String(repeating: "x", count: 100), id: "i").add(to: &batch, index: 0)
    let turn = Turn(now: 0, room: .absent, epoch: 0)
    var most = 0
    for _ in 0..<1000 {
      comments.receive(
        batch.events[0], in: batch.bytes, sender: KeyDigest(low: 1, high: 1), turn: turn, plan: commentPlan,
        counters: &counters)
      most = max(most, comments.textByteCount)
    }
    // The list, an eighth more and eight that were skipped, and the one that arrives, at 107 bytes each.
    #expect(most <= 107 * (maxItems + maxItems / 8 + 10))
    #expect(counters.commentsSkipped == 1000 - maxItems)
  }

  // MARK: Ids

  @Test func aCommentKeepsItsIDOrGetsOneThatIsUniqueInTheRoom() {
    let scenario = Scenario(
      plan(),
      [
        (7, [.comment("Ann", "a"), .comment("Ann", "b", id: "own"), .comment("Ann", "c")]),
        (200, [.comment("Ann", "d")]),
      ], to: 200)
    let ids = scenario.output.commentItems.map { scenario.output.bytes.string($0.id) }
    #expect(ids[1] == "own")
    #expect(Set(ids).count == 4)
    #expect(ids.allSatisfy { !$0.isEmpty })
  }

  // MARK: Colours

  private func colors(_ scenario: Scenario) -> [String] {
    scenario.output.commentItems.map { scenario.output.bytes.string($0.color) }
  }

  @Test func eachNewSenderTakesTheNextColourInTurnAndKeepsIt() {
    let senders = ["a", "b", "a", "c", "d", "e", "f", "g", "h", "i", "a", "h"]
    let scenario = Scenario(plan(), [(0, senders.map { .comment($0, "t") })], to: 0)
    #expect(
      colors(scenario) == [
        "#00AEFF", "#00A61C", "#00AEFF", "#5400E6", "#FF3377", "#FF8800", "#FF5E00", "#CA2EE6", "#00AEFF",
        "#00A61C", "#00AEFF", "#00AEFF",
      ])
  }

  @Test func aSenderKeepsTheColourWithAnotherName() {
    var renamed = TestEvent.comment("a", "t")
    renamed.name = "Somebody else"
    let scenario = Scenario(
      plan(), [(0, [.comment("a", "t"), .comment("b", "t"), renamed]), (900, [.comment("a", "t")])], to: 900)
    #expect(colors(scenario) == ["#00AEFF", "#00A61C", "#00AEFF", "#00AEFF"])
    #expect(scenario.output.bytes.string(scenario.output.commentItems[2].sender.name) == "Somebody else")
  }

  @Test func colorsAreAssignedAtArrivalSkippedOrNot() {
    let scenario = Scenario(
      plan { $0.maxItems = 1 }, [(0, [.comment("a", "t"), .comment("b", "t"), .comment("c", "t")])], to: 0)
    #expect(colors(scenario) == ["#5400E6"])
  }

  @Test func coloursAreThoseOfThePlanHoweverMany() {
    let palette = (0..<300).map { Array("#\(1000 + $0)".utf8) }
    let scenario = Scenario(
      plan { $0.colors = palette }, [(0, (0..<301).map { .comment("s\($0)", "t") })], to: 0)
    #expect(colors(scenario) == palette.map { String(decoding: $0, as: UTF8.self) } + ["#1000"])
  }

  @Test(arguments: [(1, 0), (2, 0), (3, 1), (4, 2)])
  func atMostMaxSendersColoursAreRemembered(senders: Int, evicted: Int) {
    let scenario = Scenario(
      plan { $0.maxSenders = 2 }, [(0, (0..<senders).map { .comment("s\($0)", "t") })], to: 0)
    #expect(scenario.output.counters.colorsEvicted == evicted)
  }

  @Test func theLeastRecentlyUsedColourIsForgotten() {
    // c evicts b, because a spoke last; then b, new again, evicts a… and the turn goes on.
    let senders = ["a", "b", "a", "c", "a", "b", "a", "c"]
    let scenario = Scenario(plan { $0.maxSenders = 2 }, [(0, senders.map { .comment($0, "t") })], to: 0)
    #expect(
      colors(scenario) == [
        "#00AEFF", "#00A61C", "#00AEFF", "#5400E6", "#00AEFF", "#FF3377", "#00AEFF", "#FF8800",
      ])
  }
}
