import Base
import Testing

@testable import Engine

/// Sources that send deltas and, of the same gifts, totals: deltas raise the sum of their streak, totals
/// correct it.
@Suite struct StreakRoleTests {
  private func gift(
    _ role: StreakRole, _ count: Int? = nil, total: Int? = nil, streak: String = "s",
    to receiver: String = "",
    id: String = ""
  ) -> TestEvent {
    var event = TestEvent.gift("Ann", "Rose", count, total: total, id: id, to: receiver, streak: streak)
    event.role = role
    return event
  }

  private func accepted(
    _ events: [TestEvent], every gap: Instant = 100, _ change: (inout GiftPlan) -> Void = { _ in }
  ) -> Int {
    var scenario = Scenario(Scenario.plain(change))
    for (place, event) in events.enumerated() { scenario.at(Instant(place) * gap, [event]) }
    #expect(scenario.output.rejections.isEmpty)
    return scenario.output.counters.giftsAccepted
  }

  @Test func aDeltaAlwaysCounts() {
    #expect(accepted([gift(.raises, 100), gift(.raises, 100)]) == 200)
    #expect(accepted([gift(.raises, 100), gift(.corrects, total: 200), gift(.raises, 100)]) == 300)
    #expect(accepted([gift(.raises, 100, streak: ""), gift(.raises, 100, streak: "")]) == 200)
    #expect(accepted([gift(.raises), gift(.raises)]) == 2)
  }

  @Test func aCorrectionCountsWhatTheDeltasLack() {
    #expect(accepted([gift(.raises, 100), gift(.raises, 100), gift(.corrects, total: 200)]) == 200)
    #expect(accepted([gift(.raises, 100), gift(.corrects, total: 200), gift(.corrects, total: 200)]) == 200)
    #expect(accepted([gift(.raises, 100), gift(.corrects, total: 90), gift(.corrects, total: 105)]) == 105)
    #expect(
      accepted([
        gift(.raises, 100), gift(.corrects, total: 90), gift(.raises, 5), gift(.corrects, total: 105),
      ])
        == 105)
  }

  @Test func aCorrectionAloneCountsNothing() {
    #expect(accepted([gift(.corrects, total: 200)]) == 0)
    #expect(accepted([gift(.corrects, total: 200), gift(.raises, 100)]) == 100)
    #expect(accepted([gift(.raises, 100), gift(.corrects, total: 200, streak: "other")]) == 100)
    #expect(accepted([gift(.raises, 100), gift(.corrects, total: 200, to: "Bo")]) == 100)
    #expect(accepted([gift(.raises, 100, streak: ""), gift(.corrects, total: 200, streak: "")]) == 100)
    // It has nothing to correct with.
    #expect(accepted([gift(.raises, 100), gift(.corrects), gift(.corrects, 300)]) == 100)
  }

  @Test func aDeltaOfAnIDThatWasTakenRaisesNothing() {
    let send = gift(.raises, 100, id: "t-1")
    #expect(accepted([send, send, gift(.corrects, total: 100)]) == 100)
    #expect(accepted([send, send, gift(.corrects, total: 150)]) == 150)
  }

  @Test func aDeltaCountsAlsoWhereItsSumFindsNoPlace() {
    let events = [
      gift(.raises, 1), gift(.raises, 2, streak: "t"), gift(.corrects, total: 5, streak: "t"),
      gift(.corrects, total: 3),
    ]
    #expect(accepted(events) { $0.maxStreaks = 1 } == 5)
  }

  @Test func aDeltaWithoutARoleLeavesStreaksAlone() {
    #expect(accepted([gift(.own, 100), gift(.corrects, total: 200)]) == 100)
    #expect(accepted([gift(.own, 100), gift(.own, total: 200)]) == 300)
  }

  @Test func theNumberOfABannerGoesOnFromTheSum() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(0, [gift(.raises, 100)])
    scenario.at(60_000, [gift(.corrects, total: 120)])
    scenario.advance(to: 120_000)
    let counts = scenario.lines(op: "count")
    #expect(counts.count == 2)
    #expect(counts.last?.contains("100") == true && counts.last?.contains("120") == true)
  }
}
