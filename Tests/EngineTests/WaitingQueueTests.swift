import Base
import Testing

@testable import Engine

/// The queue against a list that is searched whole.
@Suite struct WaitingQueueTests {
  private struct Crowd {
    var groups = GroupStore()
    var queue = WaitingQueue()
    var texts = TextStore()
    var numbers = 0
    var waiting: [Int] = []

    mutating func join(priority: Int, at now: Instant) {
      numbers += 1
      var batch = EventBatch()
      TestEvent.gift("A\(numbers)", "Rose").add(to: &batch, index: 0)
      let place = groups.insert(
        Group(
          number: numbers, key: KeyDigest(low: UInt64(numbers), high: 0), sender: 0,
          gift: StoredGift(batch.events[0], in: batch.bytes, store: &texts), merges: true,
          priority: priority, pending: 1, count: 0, arrival: now))
      queue.append(place, in: &groups)
      waiting.append(place)
    }

    /// The first waiting group by an order.
    func first(_ isBefore: (Group, Group) -> Bool, where fits: (Group) -> Bool = { _ in true }) -> Int? {
      waiting.filter { fits(groups[$0]) }.min { isBefore(groups[$0], groups[$1]) }
    }
  }

  @Test(arguments: Chance.seeds(30))
  func itPicksAsTheRulesSay(seed: UInt64) {
    var chance = Chance(seed: seed)
    var crowd = Crowd()
    var plan = GiftPlan()
    plan.agingMilliseconds = chance.pick([0, 1, 7, 100])
    var now: Instant = 0
    for _ in 0..<300 {
      now += chance.pick([0, 0, 1, 5])
      switch Int.random(in: 0..<4, using: &chance) {
      case 0, 1: crowd.join(priority: Int.random(in: 0...9, using: &chance), at: now)
      case 2 where !crowd.waiting.isEmpty:
        let place = chance.pick(crowd.waiting)
        let priority = crowd.groups[place].priority
        if priority < 9 {
          crowd.queue.raise(place, to: Int.random(in: priority + 1...9, using: &chance), in: &crowd.groups)
        }
      default:
        guard !crowd.waiting.isEmpty else { continue }
        let place = crowd.waiting.remove(at: Int.random(in: crowd.waiting.indices, using: &chance))
        crowd.queue.remove(place, in: &crowd.groups)
        crowd.groups.remove(at: place)
      }
      check(crowd, plan: plan, now: now, seed: seed)
    }
  }

  private func check(_ crowd: Crowd, plan: GiftPlan, now: Instant, seed: UInt64) {
    let say = Chance.howToRepeat(seed, "itPicksAsTheRulesSay(")
    func effective(_ group: Group) -> Int64 {
      guard plan.agingMilliseconds > 0 else { return Int64(group.priority) }
      return min(9, Int64(group.priority) + (now - group.arrival) / plan.agingMilliseconds)
    }
    for minPriority in [0, 1, 5, 9] {
      let next = crowd.first(
        { (-effective($0), $0.arrival, $0.number) < (-effective($1), $1.arrival, $1.number) },
        where: { $0.priority >= minPriority })
      #expect(crowd.queue.next(usable: minPriority, now: now, plan: plan, in: crowd.groups) == next, "\(say)")
      let usable = crowd.waiting.filter { crowd.groups[$0].priority >= minPriority }.count
      #expect(crowd.queue.count(usable: minPriority) == usable, "\(say)")
    }
    let lowest = crowd.first { ($0.priority, $0.arrival, $0.number) < ($1.priority, $1.arrival, $1.number) }
    #expect(crowd.queue.lowest == lowest, "\(say)")
    for limit in [0, 5, 10] {
      let eldest = crowd.first(
        { ($0.arrival, $0.number) < ($1.arrival, $1.number) }, where: { $0.priority < limit })
      #expect(crowd.queue.eldest(below: limit, in: crowd.groups) == eldest, "\(say)")
    }
    var all: [Int] = []
    crowd.queue.forEach(in: crowd.groups) { all.append($0) }
    #expect(all.sorted() == crowd.waiting.sorted(), "\(say)")
    #expect(crowd.queue.count == crowd.waiting.count, "\(say)")
  }
}
