import Base
import Testing

@testable import Engine

/// The rules that give a gift its priority.
@Suite struct PriorityTests {
  private func priority(_ rules: [PriorityRule], _ event: TestEvent, count: Int = 1) -> Int {
    var plan = GiftPlan()
    plan.rules = rules
    var batch = EventBatch()
    event.add(to: &batch, index: 0)
    return plan.priority(of: batch.events[0], count: count, in: batch.bytes)
  }

  @Test func withoutAMatchItIsZero() {
    #expect(priority([], .gift("Ann", "Rose", level: 99)) == 0)
    #expect(priority([PriorityRule(priority: 7, minLevel: 100)], .gift("Ann", "Rose", level: 99)) == 0)
  }

  @Test func aRuleWithoutConditionsMatchesAll() {
    #expect(priority([PriorityRule(priority: 2)], .gift("Ann", "Rose")) == 2)
  }

  @Test(arguments: [(29, 0), (30, 4), (31, 4), (Int64.min, 0), (.max, 4), (nil, 0)] as [(Int64?, Int)])
  func aLevelMatchesFromItsMinimumOn(level: Int64?, expected: Int) {
    #expect(
      priority([PriorityRule(priority: 4, minLevel: 30)], .gift("Ann", "Rose", level: level)) == expected)
  }

  @Test(arguments: [("Ann", 3), ("Bo", 3), ("An", 0), ("Anna", 0), ("ann", 0)])
  func aSenderMatchesByItsWholeID(sender: String, expected: Int) {
    let rules = [PriorityRule(priority: 3, senders: [Array("Bo".utf8), Array("Ann".utf8)])]
    #expect(priority(rules, .gift(sender, "Rose")) == expected)
  }

  @Test(arguments: [("Rose", 3), ("Car", 3), ("Ros", 0), ("Rosen", 0)])
  func aGiftMatchesByItsWholeID(gift: String, expected: Int) {
    let rules = [PriorityRule(priority: 3, gifts: [Array("Car".utf8), Array("Rose".utf8)])]
    #expect(priority(rules, .gift("Ann", gift)) == expected)
  }

  @Test(arguments: [
    (Int64(33), 3, 0), (34, 3, 5), (33, 4, 5), (99, 1, 0), (100, 1, 5), (nil, 1_000_000, 0),
    (0, 1_000_000, 0),
  ])
  func aValueIsPriceTimesCount(price: Int64?, count: Int, expected: Int) {
    let rules = [PriorityRule(priority: 5, minValue: 100)]
    #expect(priority(rules, .gift("Ann", "Rose", price: price), count: count) == expected)
  }

  @Test func aValueSaturates() {
    let rules = [PriorityRule(priority: 5, minValue: .max)]
    let dear = TestEvent.gift("Ann", "Rose", price: 1_000_000_000_000)
    #expect(priority(rules, dear, count: 1_000_000) == 0)
    #expect(priority(rules, dear, count: 9_223_373) == 5)
    #expect(priority(rules, dear, count: .max) == 5)
  }

  @Test func theFirstMatchWinsNotTheHighest() {
    let rules = [PriorityRule(priority: 2, minLevel: 10), PriorityRule(priority: 9, minLevel: 20)]
    #expect(priority(rules, .gift("Ann", "Rose", level: 25)) == 2)
    #expect(priority(rules.reversed(), .gift("Ann", "Rose", level: 25)) == 9)
    #expect(priority(rules.reversed(), .gift("Ann", "Rose", level: 15)) == 2)
  }

  @Test func allConditionsMustHold() {
    let rule = PriorityRule(
      priority: 6, minLevel: 10, senders: [Array("Ann".utf8)], gifts: [Array("Rose".utf8)], minValue: 5)
    #expect(priority([rule], .gift("Ann", "Rose", level: 10, price: 5)) == 6)
    #expect(priority([rule], .gift("Ann", "Rose", level: 9, price: 5)) == 0)
    #expect(priority([rule], .gift("Bo", "Rose", level: 10, price: 5)) == 0)
    #expect(priority([rule], .gift("Ann", "Car", level: 10, price: 5)) == 0)
    #expect(priority([rule], .gift("Ann", "Rose", level: 10, price: 4)) == 0)
  }

  @Test func aCumulativeFrameIsWorthWhatItAdds() {
    let plan = Scenario.plain(tracks: [0, 0]) { $0.rules = [PriorityRule(priority: 5, minValue: 100)] }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Ann", "Rose", total: 99, price: 1)]),
        (20_000, [.gift("Ann", "Rose", total: 99, price: 1, streak: "s")]),
        (40_000, [.gift("Ann", "Rose", total: 150, price: 1, streak: "s")]),
        (60_000, [.gift("Ann", "Rose", total: 250, price: 1, streak: "s")]),
      ], to: 60_000)
    #expect(scenario.lines(op: "show").map { $0.contains("priority=5") } == [false, false, false, true])
  }

  @Test func aGroupHasTheHighestOfItsEvents() {
    let plan = Scenario.plain {
      $0.rules = [PriorityRule(priority: 7, minLevel: 7), PriorityRule(priority: 3, minLevel: 3)]
    }
    let scenario = Scenario(
      plan,
      [
        (0, [.gift("Zoe", "Rose")]),
        (
          10,
          [.gift("Ann", "Rose", level: 3), .gift("Ann", "Rose", level: 7), .gift("Ann", "Rose", level: 1)]
        ),
      ], to: 700)
    #expect(scenario.lines.last == "700 gift/0 show 2 Ann>Rose base=0 priority=7 for=100 until=2100")
  }
}
