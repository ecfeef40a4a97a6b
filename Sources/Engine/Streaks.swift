import Base

/// What a frame of a cumulative source adds.
enum StreakOutcome: Equatable {
  /// It adds `count` to `base`.
  case adds(count: Int, base: Int)
  /// A repeat, a closing frame, or out of order.
  case nothing
  /// A new streak, for which there is no room.
  case full
}

/// The memory of cumulative sources: for each (sender, gift, receiver, streak id or none) how far it counted.
struct Streaks {
  /// How a streak without an id stands.
  private enum Standing: UInt8 {
    case open
    /// Its last count came again.
    case closed
    /// A frame with `end` came.
    case ended
  }

  private struct Streak {
    var last: Int
    /// The last frame's own instant, if it told one.
    var time: Instant?
    /// The last frame's arrival, not counting the time that we were away.
    var arrival: Instant
    var standing = Standing.open
    /// The last count of the streak that a 1 replaced while it was open; 0: none.
    var replaced = 0
  }

  private var streaks = DigestTable<Streak>()

  /// How many are remembered.
  var count: Int { streaks.count }

  /// A frame with a cumulative `total`. `arrival` does not count the time that we were away.
  mutating func frame(
    total: Int, event: Event, key: KeyDigest, arrival: Instant, plan: GiftPlan,
    counters: inout EngineCounters
  ) -> StreakOutcome {
    guard let place = streaks.find(key) else {
      guard makeRoom(arrival: arrival, plan: plan, counters: &counters) else {
        counters.streaksRejected += 1
        return .full
      }
      var streak = Streak(last: total, time: event.time, arrival: arrival)
      if event.endsStreak { streak.standing = .ended }
      streaks.insert(key, streak)
      return .adds(count: total, base: 0)
    }
    let isPastGap = gap(since: streaks[place], event: event, arrival: arrival) >= plan.streakGapMilliseconds
    streaks.touch(place)
    streaks[place].time = event.time
    streaks[place].arrival = arrival
    if !event.streak.isAbsent { return Streaks.frameWithID(total, &streaks[place]) }
    return Streaks.frameWithoutID(total, ends: event.endsStreak, isPastGap: isPastGap, &streaks[place])
  }

  /// A delta that raises the sum of its streak: it counts, whatever the streak says.
  mutating func delta(
    _ count: Int, event: Event, key: KeyDigest, arrival: Instant, plan: GiftPlan,
    counters: inout EngineCounters
  ) -> StreakOutcome {
    guard let place = streaks.find(key) else {
      // Where there is no place for its sum the gift counts all the same: no total will then correct it.
      if makeRoom(arrival: arrival, plan: plan, counters: &counters) {
        streaks.insert(key, Streak(last: count, time: event.time, arrival: arrival))
      }
      return .adds(count: count, base: 0)
    }
    streaks.touch(place)
    streaks[place].time = event.time
    streaks[place].arrival = arrival
    let before = streaks[place].last
    let (sum, overflow) = before.addingReportingOverflow(count)
    streaks[place].last = overflow ? Int.max : sum
    return .adds(count: count, base: before)
  }

  /// A total that corrects the sum of its streak: what that lacks counts. It begins no streak: of one that
  /// nothing is known of it cannot be told which of its gifts counted.
  mutating func correction(_ total: Int, event: Event, key: KeyDigest, arrival: Instant) -> StreakOutcome {
    guard let place = streaks.find(key) else { return .nothing }
    streaks.touch(place)
    streaks[place].time = event.time
    streaks[place].arrival = arrival
    return Streaks.frameWithID(total, &streaks[place])
  }

  /// With an id a streak is one for ever: only a rise counts.
  private static func frameWithID(_ total: Int, _ streak: inout Streak) -> StreakOutcome {
    guard total > streak.last else { return .nothing }
    defer { streak.last = total }
    return .adds(count: total - streak.last, base: streak.last)
  }

  /// Without an id, by the first line that applies.
  private static func frameWithoutID(
    _ total: Int, ends: Bool, isPastGap: Bool, _ streak: inout Streak
  ) -> StreakOutcome {
    let last = streak.last
    if !isPastGap, total != last, total == streak.replaced {
      // It closes the streak before, so its `end` is that one's too and leaves this one as it stands.
      streak.replaced = 0
      return .nothing
    }
    defer { if ends { streak.standing = .ended } }
    if isPastGap { return begin(total, replacing: 0, &streak) }
    if total == last {
      if streak.standing == .open || (streak.standing == .ended && ends) {
        streak.standing = .closed
        return .nothing
      }
      return begin(total, replacing: 0, &streak)
    }
    if streak.standing == .ended { return begin(total, replacing: 0, &streak) }
    if total < last, total == 1 || streak.standing == .closed {
      return begin(total, replacing: streak.standing == .open ? last : 0, &streak)
    }
    guard total > last else { return .nothing }
    streak.last = total
    streak.standing = .open
    return .adds(count: total - last, base: last)
  }

  private static func begin(_ total: Int, replacing: Int, _ streak: inout Streak) -> StreakOutcome {
    streak.last = total
    streak.standing = .open
    streak.replaced = replacing
    return .adds(count: total, base: 0)
  }

  /// Between the events' own instants if both tell them, else between arrivals.
  private func gap(since streak: Streak, event: Event, arrival: Instant) -> Int64 {
    guard let time = event.time, let before = streak.time else { return arrival - streak.arrival }
    let (gap, overflow) = time.subtractingReportingOverflow(before)
    return overflow ? (time > before ? Int64.max : 0) : gap
  }

  /// The least recent streak makes room if it is past its gap. Else none is, and a new one is refused.
  private mutating func makeRoom(
    arrival: Instant, plan: GiftPlan, counters: inout EngineCounters
  ) -> Bool {
    // More than one leaves only after the bound was lowered.
    while streaks.count >= plan.maxStreaks {
      guard let oldest = streaks.oldest,
        arrival - streaks[oldest].arrival >= plan.streakGapMilliseconds
      else {
        return false
      }
      streaks.remove(at: oldest)
      counters.streaksEvicted += 1
    }
    return true
  }
}

extension Streaks {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    streaks.save(to: &writer) { writer, streak in
      writer.bytes.append(streak.standing.rawValue)
      writer.write(count: streak.last)
      writer.write(count: streak.replaced)
      writer.write(instant: streak.arrival)
      // The source's clock is its own: any number.
      writer.write(streak.time) { $0.write(signed: $1) }
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    streaks = try DigestTable(from: &reader, valuesOf: 5) { (reader) throws(StateFault) in
      guard let standing = Standing(rawValue: try reader.byte()) else { throw reader.fault(.outOfRange) }
      let last = try reader.count()
      let replaced = try reader.count()
      let arrival = try reader.instant()
      let time = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
      return Streak(last: last, time: time, arrival: arrival, standing: standing, replaced: replaced)
    }
  }
}
