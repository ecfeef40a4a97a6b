import Base
import Engine

/// The rules 1–10 and the folds of one room as they are written, with no thought of speed: an oracle for the
/// engine.
struct ReferenceTracks {
  private final class Group {
    let number: Int
    let gift: TestEvent
    var priority: Int
    var pending: Int
    var count: Int
    var arrival: Instant
    var shownAt: Instant = 0

    init(number: Int, gift: TestEvent, priority: Int, pending: Int, count: Int, arrival: Instant) {
      self.number = number
      self.gift = gift
      self.priority = priority
      self.pending = pending
      self.count = count
      self.arrival = arrival
    }

    var key: [String] { [gift.sender, gift.gift, gift.receiver] }
    var name: String { "\(gift.sender)>\(gift.gift)" + (gift.receiver.isEmpty ? "" : ">\(gift.receiver)") }
  }

  private enum Phase {
    case idle, showing, counting, holding, hiding
  }

  private struct Track {
    let minPriority: Int
    var phase = Phase.idle
    var group: Group?
    var end: Instant = 0
    var heldSince: Instant = 0
    var saidUntil: Instant?
  }

  private struct Fold {
    var key: [String]
    var group: Group
    var count: Int
  }

  private let plan: GiftPlan
  private let awayMax: Int64
  private var now: Instant = 0
  private var made = 0
  private var tracks: [Track]
  private var waiting: [Group] = []
  private var left: [[String]: (number: Int, until: Instant)] = [:]
  private var folds: [Fold] = []
  private var foldedGroups = 0
  private var foldDeadline: Instant?
  private var lastFold: Instant?
  private(set) var lines: [String] = []

  init(_ plan: RoomPlan) {
    self.plan = plan.gift
    awayMax = plan.limits.awayMaxMilliseconds
    tracks = plan.gift.trackMinPriorities.map { Track(minPriority: $0) }
  }

  // MARK: Inputs

  /// Time passes.
  mutating func advance(to instant: Instant) {
    while let (deadline, fire) = nextTimer(), deadline <= instant {
      now = deadline
      fire(&self)
      settle()
    }
    now = max(now, instant)
  }

  /// Gifts of deltas, with a priority each.
  mutating func receive(_ gifts: [(gift: TestEvent, priority: Int)], at instant: Instant) {
    advance(to: instant)
    for (gift, priority) in gifts {
      take(gift, priority: priority)
      settle()
    }
    if let foldDeadline, foldDeadline <= now { sendFolds() }
  }

  /// Between two instants we were away.
  mutating func skip(from: Instant, to: Instant) {
    advance(to: from)
    let length = to - now
    now = to
    for group in waiting { group.arrival += length }
    left = left.mapValues { ($0.number, $0.until + length) }
    lastFold? += length
    foldDeadline? += length
    for index in tracks.indices where tracks[index].phase != .idle {
      tracks[index].end += length
      tracks[index].heldSince += length
      tracks[index].group?.shownAt += length
      if tracks[index].phase == .holding { sayHold(index) }
    }
    if length > awayMax { while let first = waiting.first { fold(first) } }
  }

  // MARK: Timers

  private func nextTimer() -> (Instant, (inout ReferenceTracks) -> Void)? {
    var timers: [(Instant, (inout ReferenceTracks) -> Void)] = []
    for index in tracks.indices where tracks[index].phase != .idle {
      timers.append((tracks[index].end, { $0.endPhase(index) }))
    }
    if plan.foldAfterMilliseconds > 0,
      let eldest = waiting.first(where: { $0.priority < plan.protectPriority })
    {
      timers.append((eldest.arrival + plan.foldAfterMilliseconds, { $0.fold(eldest) }))
    }
    if let foldDeadline { timers.append((foldDeadline, { $0.sendFolds() })) }
    let first = timers.map(\.0).min()
    return timers.first { $0.0 == first }
  }

  private mutating func endPhase(_ index: Int) {
    guard let group = tracks[index].group else { return }
    switch tracks[index].phase {
    case .idle: break
    case .showing: run(index)
    case .counting:
      let isOverdue =
        plan.maxGroupMilliseconds > 0 && now - group.shownAt >= plan.maxGroupMilliseconds
        && couldUse(index) > 0
      if isOverdue {
        tracks[index].heldSince = now
        hide(index, "cut")
      } else if group.pending > 0 {
        run(index)
      } else {
        tracks[index].phase = .holding
        tracks[index].heldSince = now
        tracks[index].end = now + plan.holdMilliseconds
        tracks[index].saidUntil = nil
      }
    case .holding: hide(index, "expired")
    case .hiding:
      tracks[index].phase = .idle
      tracks[index].group = nil
    }
  }

  // MARK: Rules

  private mutating func take(_ gift: TestEvent, priority: Int) {
    let count = gift.count ?? 1
    let key = [gift.sender, gift.gift, gift.receiver]
    func isJoined(_ group: Group) -> Bool { gift.merges && group.gift.merges && group.key == key }
    let live: [Phase] = [.showing, .counting, .holding]
    if let index = tracks.indices.first(where: {
      live.contains(tracks[$0].phase) && tracks[$0].group.map(isJoined) == true
    }) {
      tracks[index].group?.pending += count
      tracks[index].group?.priority = max(tracks[index].group?.priority ?? 0, priority)
      if tracks[index].phase == .holding { run(index) }
    } else if let group = waiting.first(where: isJoined) {
      group.pending += count
      group.priority = max(group.priority, priority)
    } else {
      var base = 0
      if gift.merges, let number = left[key], now < number.until { base = number.number }
      made += 1
      waiting.append(
        Group(number: made, gift: gift, priority: priority, pending: count, count: base, arrival: now))
    }
  }

  private mutating func settle() {
    fill()
    let busy = paced(plan.holdBusyMilliseconds)
    var shortened = 0
    let holding = tracks.indices.filter { tracks[$0].phase == .holding }
    for index in holding.sorted(by: { (tracks[$0].heldSince, $0) < (tracks[$1].heldSince, $1) }) {
      if couldUse(index) > shortened {
        tracks[index].end = min(tracks[index].end, max(now, tracks[index].heldSince + busy))
        shortened += 1
      }
      if tracks[index].saidUntil != tracks[index].end { sayHold(index) }
    }
    while waiting.count > plan.maxWaiting,
      let lowest = waiting.min(by: { ($0.priority, $0.number) < ($1.priority, $1.number) })
    {
      fold(lowest)
    }
  }

  private mutating func fill() {
    while true {
      func idle(_ group: Group) -> [Int] {
        tracks.indices.filter { tracks[$0].phase == .idle && tracks[$0].minPriority <= group.priority }
      }
      let next = waiting.filter { !idle($0).isEmpty }.min {
        (-effective($0), $0.arrival, $0.number) < (-effective($1), $1.arrival, $1.number)
      }
      guard let next,
        let index = idle(next).min(by: { (-tracks[$0].minPriority, $0) < (-tracks[$1].minPriority, $1) })
      else { return }
      waiting.removeAll { $0 === next }
      let length = paced(plan.showMilliseconds)
      next.shownAt = now
      tracks[index].group = next
      tracks[index].phase = .showing
      tracks[index].end = now + length
      let until = now + length + runLength(plan.countsPerStep ? 1 : next.pending) + plan.holdMilliseconds
      say(
        "gift/\(index) show \(next.number) \(next.name)\(next.gift.merges ? "" : " single") base=\(next.count) "
          + "priority=\(next.priority) for=\(length) until=\(until)")
    }
  }

  private mutating func run(_ index: Int) {
    guard let group = tracks[index].group else { return }
    let steps = plan.countsPerStep ? 1 : group.pending
    let length = runLength(steps)
    tracks[index].phase = .counting
    tracks[index].end = now + length
    group.pending -= steps
    say(
      "gift/\(index) count \(group.number) \(group.count)→\(group.count + steps) for=\(length) "
        + "until=\(now + length + plan.holdMilliseconds)")
    group.count += steps
  }

  private mutating func hide(_ index: Int, _ reason: String) {
    guard let group = tracks[index].group else { return }
    let length = paced(plan.hideMilliseconds)
    tracks[index].phase = .hiding
    tracks[index].end = now + length
    say("gift/\(index) hide \(group.number) x\(group.count) \(reason) for=\(length)")
    if plan.leavesNumber, group.gift.merges {
      left[group.key] = (group.count, tracks[index].heldSince + plan.holdMilliseconds)
    }
    guard group.pending > 0 else { return }
    made += 1
    waiting.append(
      Group(
        number: made, gift: group.gift, priority: group.priority, pending: group.pending, count: group.count,
        arrival: now))
    group.pending = 0
  }

  private mutating func fold(_ group: Group) {
    waiting.removeAll { $0 === group }
    foldedGroups += 1
    if group.gift.merges, let place = folds.firstIndex(where: { $0.group.gift.merges && $0.key == group.key })
    {
      folds[place].count += group.pending
      return
    }
    folds.append(Fold(key: group.key, group: group, count: group.pending))
    if foldDeadline == nil {
      foldDeadline = max(now, lastFold.map { $0 + plan.foldEveryMilliseconds } ?? now)
    }
    if folds.count >= plan.maxFoldItems { sendFolds() }
  }

  private mutating func sendFolds() {
    let gifts = folds.reduce(0) { $0 + $1.count }
    let senders = Set(folds.map { $0.group.gift.sender }).count
    let items = folds.map { "\($0.group.name)x\($0.count)" }.joined(separator: ",")
    say("gift/fold fold groups=\(foldedGroups) gifts=\(gifts) senders=\(senders) \(items)")
    folds = []
    foldedGroups = 0
    foldDeadline = nil
    lastFold = now
  }

  // MARK: Measures

  private func couldUse(_ index: Int) -> Int {
    waiting.filter { $0.priority >= tracks[index].minPriority }.count
  }

  private func effective(_ group: Group) -> Int64 {
    guard plan.agingMilliseconds > 0 else { return Int64(group.priority) }
    return min(9, Int64(group.priority) + (now - group.arrival) / plan.agingMilliseconds)
  }

  private func paced(_ length: Int64) -> Int64 {
    let (waiting, count) = (Int64(waiting.count), Int64(tracks.count))
    if waiting <= count { return length }
    return length * max(plan.minPacePermille, 1000 * count / waiting) / 1000
  }

  private func runLength(_ steps: Int) -> Int64 {
    let step = paced(plan.stepMilliseconds)
    return min(Int64(steps) * step, max(step, paced(plan.catchUpMilliseconds)))
  }

  private mutating func sayHold(_ index: Int) {
    guard let group = tracks[index].group else { return }
    tracks[index].saidUntil = tracks[index].end
    say("gift/\(index) hold \(group.number) x\(group.count) until=\(tracks[index].end)")
  }

  private mutating func say(_ text: String) { lines.append("\(now) \(text)") }
}
