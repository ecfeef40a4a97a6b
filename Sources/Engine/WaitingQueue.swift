import Base

/// The groups that have no track yet: a list in order of joining for each priority.
///
/// Within a level the order of joining is also the order of arrival, and the eldest has the highest
/// effective priority. So each rule that picks a group looks at the ten heads and no further.
struct WaitingQueue {
  static let levels = 10

  private var heads = InlineArray<10, Int32>(repeating: -1)
  private var tails = InlineArray<10, Int32>(repeating: -1)
  private var counts = InlineArray<10, Int>(repeating: 0)
  /// How many wait.
  private(set) var count = 0

  /// How many could use a track of this lowest priority.
  func count(usable minPriority: Int) -> Int {
    if minPriority == 0 { return count }
    var sum = 0
    for level in minPriority..<WaitingQueue.levels { sum += counts[level] }
    return sum
  }

  /// Adds a group at the end.
  mutating func append(_ place: Int, in groups: inout GroupStore) {
    insert(place, after: tails[groups[place].priority], in: &groups)
  }

  /// Takes a group out.
  mutating func remove(_ place: Int, in groups: inout GroupStore) {
    let level = groups[place].priority
    let earlier = groups[place].earlier
    let later = groups[place].later
    if earlier >= 0 { groups[Int(earlier)].later = later } else { heads[level] = later }
    if later >= 0 { groups[Int(later)].earlier = earlier } else { tails[level] = earlier }
    counts[level] -= 1
    count -= 1
  }

  /// Gives a waiting group a higher priority; it keeps its place in the order of joining.
  mutating func raise(_ place: Int, to priority: Int, in groups: inout GroupStore) {
    remove(place, in: &groups)
    groups[place].priority = priority
    var earlier = tails[priority]
    while earlier >= 0, groups[Int(earlier)].number > groups[place].number {
      earlier = groups[Int(earlier)].earlier
    }
    insert(place, after: earlier, in: &groups)
  }

  /// The group to show next on a track of this lowest priority: highest effective priority, then the eldest.
  func next(usable minPriority: Int, now: Instant, plan: GiftPlan, in groups: GroupStore) -> Int? {
    var best: Int?
    var bestPriority = -1
    for level in minPriority..<WaitingQueue.levels where heads[level] >= 0 {
      let place = Int(heads[level])
      var effective = Int64(level)
      if plan.agingMilliseconds > 0 {
        effective = min(9, effective + (now - groups[place].arrival) / plan.agingMilliseconds)
      }
      let priority = Int(effective)
      if let current = best,
        priority < bestPriority
          || (priority == bestPriority && groups[place].number > groups[current].number)
      {
        continue
      }
      best = place
      bestPriority = priority
    }
    return best
  }

  /// The group that folds when too many wait: lowest priority, then the eldest.
  var lowest: Int? {
    for level in 0..<WaitingQueue.levels where heads[level] >= 0 { return Int(heads[level]) }
    return nil
  }

  /// The eldest group below a priority.
  func eldest(below priority: Int, in groups: GroupStore) -> Int? {
    var eldest: Int?
    for level in 0..<min(priority, WaitingQueue.levels) where heads[level] >= 0 {
      let place = Int(heads[level])
      if let current = eldest, groups[place].number > groups[current].number { continue }
      eldest = place
    }
    return eldest
  }

  /// Calls `body` with each waiting group's place.
  func forEach(in groups: GroupStore, _ body: (Int) -> Void) {
    for level in 0..<WaitingQueue.levels {
      var place = heads[level]
      while place >= 0 {
        body(Int(place))
        place = groups[Int(place)].later
      }
    }
  }

  private mutating func insert(_ place: Int, after earlier: Int32, in groups: inout GroupStore) {
    let level = groups[place].priority
    let later = earlier >= 0 ? groups[Int(earlier)].later : heads[level]
    groups[place].earlier = earlier
    groups[place].later = later
    if earlier >= 0 { groups[Int(earlier)].later = Int32(place) } else { heads[level] = Int32(place) }
    if later >= 0 { groups[Int(later)].earlier = Int32(place) } else { tails[level] = Int32(place) }
    counts[level] += 1
    count += 1
  }
}
