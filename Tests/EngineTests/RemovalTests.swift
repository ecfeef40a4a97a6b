import Base
import Testing

@testable import Engine

/// Removals that a source sends as events.
@Suite struct RemovalTests {
  private func scenario(_ steps: [(at: Instant, events: [TestEvent])]) -> Scenario {
    Scenario(Scenario.plan(), steps, to: 1000)
  }

  private let three: [TestEvent] = [
    .comment("Ann", "a", id: "1"), .comment("Bo", "b", id: "2"), .comment("Ann", "c", id: "3"),
  ]
  private let told = "0 comment append evicted=0 skipped=0 Ann:a:#00AEFF,Bo:b:#00A61C,Ann:c:#00AEFF"

  @Test func commentsLeaveByTheirIDs() {
    let played = scenario([(0, three), (50, [.remove(["3", "1", "none"])])])
    #expect(played.lines == [told, "50 comment remove 1,3"])
    #expect(played.output.counters.removeEvents == 1)
    #expect(played.output.counters.commentsRemoved == 2)
    #expect(played.output.accepted.isEmpty)
  }

  @Test func allOfASenderLeave() {
    #expect(scenario([(0, three), (50, [.removeAll("Ann")])]).lines == [told, "50 comment remove 1,3"])
    #expect(scenario([(0, three), (50, [.removeAll("Cy")])]).lines == [told])
  }

  @Test func removalsThatFollowOneAnotherAreTakenTogether() {
    let played = scenario([(0, three), (50, [.remove(["2"]), .removeAll("Ann"), .remove(["2"])])])
    #expect(played.lines == [told, "50 comment remove 1,2,3"])
    #expect(played.output.counters.removeEvents == 3)
  }

  @Test func whatIsRemovedInItsOwnBatchIsNeverShown() {
    let played = scenario([
      (0, [.comment("Ann", "a", id: "1"), .remove(["1"]), .comment("Bo", "b", id: "2")])
    ])
    #expect(played.lines == ["0 comment append evicted=0 skipped=0 Bo:b:#00A61C"])
  }

  @Test func aRemovalBeforeItsCommentRemovesNothing() {
    let played = scenario([(0, [.remove(["1"]), .comment("Ann", "a", id: "1")])])
    #expect(played.lines == ["0 comment append evicted=0 skipped=0 Ann:a:#00AEFF"])
  }

  @Test func aRemovalWithAKnownIDIsARepeat() {
    let played = scenario([
      (0, three), (50, [.remove(["1"], id: "r")]), (60, [.remove(["2"], id: "r")]),
      (70, [.comment("Di", "d", id: "r")]),
    ])
    #expect(
      played.lines == [
        told, "50 comment remove 1", "100 comment append evicted=0 skipped=0 Di:d:#5400E6",
      ])
    #expect(played.output.counters.duplicateIDs == 1)
  }

  @Test func aStyleGoesOutWithItsLine() {
    var follow = TestEvent.comment("Ann", "followed")
    follow.style = "follow"
    #expect(
      scenario([(0, [follow, .comment("Bo", "b")])]).lines
        == ["0 comment append evicted=0 skipped=0 Ann:followed:#00AEFF:follow,Bo:b:#00A61C"])
  }
}
