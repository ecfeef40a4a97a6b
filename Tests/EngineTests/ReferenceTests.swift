import Base
import Testing

@testable import Engine

/// The engine says what the rules say, word for word, in plays that no table would think of.
@Suite struct ReferenceTests {
  @Test(arguments: Chance.seeds(200))
  func giftsAreShownByTheRulesAsTheyAreWritten(seed: UInt64) {
    let play = RandomPlay(seed: seed, hasControl: false)
    var gift = play.plan.gift
    gift.maxLeftNumbers = 1000
    // The stage is another's.
    for place in gift.rules.indices { gift.rules[place].asset = [] }
    var limits = RoomLimits()
    limits.awayMaxMilliseconds = play.plan.limits.awayMaxMilliseconds
    let plan = RoomPlan(gift: gift, limits: limits)
    var scenario = Scenario(plan)
    var reference = ReferenceTracks(plan)
    for step in play.steps {
      switch step {
      case .control, .feedback: break
      case .advance(let instant):
        scenario.advance(to: instant)
        reference.advance(to: instant)
      case .away(let from, let to):
        scenario.skip(from: from, to: to)
        reference.skip(from: from, to: to)
      case .batch(let instant, _, let events):
        let gifts = events.filter { $0.kind == .gift && $0.total == nil }.map { event in
          var gift = event
          gift.id = ""
          return gift
        }
        guard !gifts.isEmpty else { continue }
        scenario.at(instant, gifts)
        reference.receive(gifts.map { ($0, priority(of: $0, plan)) }, at: instant)
      }
    }
    // Long enough for all but the groups that no track may take, short enough that the room stays.
    let end = scenario.engine.now + 1_000_000
    scenario.advance(to: end)
    reference.advance(to: end)
    #expect(scenario.lines == reference.lines, "\(Chance.howToRepeat(seed))")
  }

  private func priority(of gift: TestEvent, _ plan: RoomPlan) -> Int {
    var batch = EventBatch()
    gift.add(to: &batch, index: 0)
    return plan.gift.priority(of: batch.events[0], count: gift.count ?? 1, in: batch.bytes)
  }
}
