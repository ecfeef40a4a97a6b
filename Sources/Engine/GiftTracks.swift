import Base

/// The gift tracks of a room with their queue: rules 1–10.
struct GiftTracks {
  /// One for each of the plan's tracks, and those beyond from a plan that had more.
  var tracks: [GiftTrack]
  /// All groups, waiting or on a track.
  var groups = GroupStore()
  /// Those that have no track yet.
  var waiting = WaitingQueue()
  /// For each key the group that its next gift joins: it waits, or shows, counts or holds.
  var joinable = DigestTable<Int32>()
  /// Where interrupted combos go on from.
  var leftNumbers = LeftNumbers()
  /// What was taken out of the queue.
  var folds = Folds()
  /// The texts of groups and folds.
  var texts = TextStore()
  var groupNumbers = Sequence()
  /// Since when they stand still; nil: they do not.
  var pausedSince: Instant?

  /// Idle tracks for a plan.
  init(plan: GiftPlan) {
    tracks = Array(repeating: GiftTrack(), count: plan.trackMinPriorities.count)
  }

  /// Commands are numbered from 1 again.
  mutating func restartSequences() {
    for track in tracks.indices { tracks[track].sequence = Sequence() }
    folds.sequence = Sequence()
  }

  /// True if no group waits, shows or folds.
  var isIdle: Bool { groups.count == 0 && folds.isEmpty }

  /// A gift that counts for `count` (rules 1–3).
  mutating func receive(
    _ gift: AcceptedGift, turn: Turn, plan: RoomPlan, output: inout CommandBuffer
  ) {
    let turn = turn.standing(at: pausedSince)
    if gift.merges, let entry = joinable.find(gift.key) {
      join(Int(joinable[entry]), gift, turn: turn, plan: plan.gift, output: &output)
    } else {
      var base = gift.base
      if gift.merges { base = max(base, leftNumbers.number(of: gift.key, now: turn.now)) }
      let group = Group(
        number: groupNumbers.next(), key: gift.key, sender: gift.sender.low,
        gift: StoredGift(gift.event, in: gift.bytes, store: &texts), merges: gift.merges,
        isTest: gift.isTest, priority: gift.priority, pending: gift.count, count: base, arrival: turn.now)
      enqueue(group)
      output.note(
        .joined(index: gift.event.index, group: group.number, count: gift.count), room: turn.room,
        epoch: turn.epoch)
    }
    settle(turn: turn, plan: plan, output: &output)
  }

  /// The track whose phase ends first, lowest index first, and when.
  var nextPhaseEnd: (track: Int, deadline: Instant)? {
    var next: (track: Int, deadline: Instant)?
    for track in tracks.indices {
      guard let deadline = tracks[track].phase.deadline else { continue }
      if let current = next, current.deadline <= deadline { continue }
      next = (track, deadline)
    }
    return next
  }

  /// When the eldest waiting group that may fold has waited long enough.
  func nextFoldByWait(plan: GiftPlan) -> Instant? {
    guard plan.foldAfterMilliseconds > 0, waiting.count > 0,
      let eldest = waiting.eldest(below: plan.protectPriority, in: groups)
    else { return nil }
    return groups[eldest].arrival + plan.foldAfterMilliseconds
  }

  /// The phase of a track ends now.
  mutating func endPhase(of track: Int, turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    switch tracks[track].phase {
    case .idle: preconditionFailure("an idle track has no deadline")
    case .showing: startRun(on: track, turn: turn, plan: plan.gift, output: &output)
    case .counting: endRun(on: track, turn: turn, plan: plan, output: &output)
    case .holding(let since, _):
      output.counters.holds.add(turn.now - since)
      hide(track, .expired, heldSince: since, turn: turn, plan: plan, output: &output)
    case .hiding:
      groups[tracks[track].group].gift.free(in: &texts)
      groups.remove(at: tracks[track].group)
      tracks[track].group = -1
      tracks[track].phase = .idle
    }
    settle(turn: turn, plan: plan, output: &output)
  }

  /// The eldest waiting group that may fold does.
  mutating func foldByWait(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    guard let eldest = waiting.eldest(below: plan.gift.protectPriority, in: groups) else {
      preconditionFailure("a fold by waiting has a group")
    }
    output.counters.groupsFoldedByWait += 1
    fold(eldest, turn: turn, plan: plan, output: &output)
    settle(turn: turn, plan: plan, output: &output)
  }

  /// Rules 1 and 2.
  private mutating func join(
    _ place: Int, _ gift: AcceptedGift, turn: Turn, plan: GiftPlan, output: inout CommandBuffer
  ) {
    groups[place].pending += gift.count
    output.note(
      .joined(index: gift.event.index, group: groups[place].number, count: gift.count), room: turn.room,
      epoch: turn.epoch)
    let rises = gift.priority > groups[place].priority
    guard let track = groups[place].track else {
      if rises { waiting.raise(place, to: gift.priority, in: &groups) }
      return
    }
    if rises { groups[place].priority = gift.priority }
    if pausedSince == nil, case .holding = tracks[track].phase {
      startRun(on: track, turn: turn, plan: plan, output: &output)
    }
  }

  private mutating func enqueue(_ group: Group) {
    let place = groups.insert(group)
    if group.merges { joinable.insert(group.key, Int32(place)) }
    waiting.append(place, in: &groups)
  }

  /// Rule 5.
  mutating func startRun(on track: Int, turn: Turn, plan: GiftPlan, output: inout CommandBuffer) {
    let place = tracks[track].group
    let steps = plan.countsPerStep ? 1 : groups[place].pending
    let from = groups[place].count
    groups[place].pending -= steps
    groups[place].count += steps
    let length = Pace(waiting: waiting.count, plan: plan).runLength(steps: steps, plan: plan)
    let end = turn.now + length
    tracks[track].phase = .counting(until: end)
    tracks[track].since = turn.now
    tracks[track].runFrom = from
    output.counters.giftsShown += steps
    output.emit(
      turn, .gift(track), &tracks[track].sequence,
      .count(
        group: groups[place].number, from: from, to: from + steps, duration: length,
        until: end + plan.holdMilliseconds))
  }

  /// Rules 5, 6 and 8: the run is over, what next?
  private mutating func endRun(
    on track: Int, turn: Turn, plan: RoomPlan, output: inout CommandBuffer
  ) {
    let place = tracks[track].group
    if isOverdue(place, on: track, now: turn.now, plan: plan.gift) {
      output.counters.groupsCut += 1
      if var rest = hide(track, .cut, heldSince: turn.now, turn: turn, plan: plan, output: &output) {
        let cut = rest.number
        rest.number = groupNumbers.next()
        enqueue(rest)
        output.note(.cut(group: cut, rest: rest.number), room: turn.room, epoch: turn.epoch)
      }
    } else if groups[place].pending > 0 {
      startRun(on: track, turn: turn, plan: plan.gift, output: &output)
    } else {
      tracks[track].phase = .holding(since: turn.now, until: turn.now + plan.gift.holdMilliseconds)
      tracks[track].holdIsUnsent = true
      tracks[track].since = turn.now
    }
  }

  private func isOverdue(_ place: Int, on track: Int, now: Instant, plan: GiftPlan) -> Bool {
    plan.maxGroupMilliseconds > 0 && now - groups[place].shownAt >= plan.maxGroupMilliseconds
      && waiting.count(usable: plan.minPriority(ofTrack: track)) > 0
  }

  /// Rules 7 and 8. `heldSince`: from when its number is left behind for a combo window; nil: it is not.
  ///
  /// - Returns: What is pending of it, as a group of its own that waits nowhere yet and goes on from its
  ///   number.
  @discardableResult
  mutating func hide(
    _ track: Int, _ reason: HideReason, heldSince: Instant?, turn: Turn, plan: RoomPlan,
    output: inout CommandBuffer
  ) -> Group? {
    let place = tracks[track].group
    let group = groups[place]
    let length = Pace(waiting: waiting.count, plan: plan.gift).scaled(plan.gift.hideMilliseconds)
    tracks[track].phase = .hiding(until: turn.now + length)
    tracks[track].since = turn.now
    output.emit(
      turn, .gift(track), &tracks[track].sequence,
      .hide(group: group.number, count: group.count, reason: reason, duration: length))
    if group.merges, let entry = joinable.find(group.key) {
      joinable.remove(at: entry)
      if plan.gift.leavesNumber, let heldSince {
        leftNumbers.leave(
          group.count, of: group.key, until: heldSince + plan.gift.holdMilliseconds, now: turn.now,
          limit: plan.gift.maxLeftNumbers, counters: &output.counters)
      }
    }
    guard group.pending > 0 else { return nil }
    groups[place].pending = 0
    var rest = group
    rest.gift = group.gift.copy(in: &texts)
    rest.arrival = turn.now
    rest.track = nil
    return rest
  }

  /// Puts a waiting group on an idle track (rule 4).
  mutating func show(
    _ place: Int, on track: Int, turn: Turn, plan: GiftPlan, output: inout CommandBuffer
  ) {
    waiting.remove(place, in: &groups)
    let pace = Pace(waiting: waiting.count, plan: plan)
    let length = pace.scaled(plan.showMilliseconds)
    let group = groups[place]
    groups[place].track = track
    groups[place].shownAt = turn.now
    tracks[track].group = place
    tracks[track].phase = .showing(until: turn.now + length)
    output.waits.append(turn.now - group.arrival)
    let firstRun = pace.runLength(steps: plan.countsPerStep ? 1 : group.pending, plan: plan)
    let until = turn.now + length + firstRun + plan.holdMilliseconds
    tracks[track].since = turn.now
    tracks[track].base = group.count
    tracks[track].priority = group.priority
    tracks[track].showLength = length
    tracks[track].showUntil = until
    tracks[track].runFrom = group.count
    let parties = group.gift.append(from: texts, to: &output.bytes)
    output.emit(
      turn, .gift(track), &tracks[track].sequence,
      .show(
        group: group.number, sender: parties.sender, gift: parties.gift, receiver: parties.receiver,
        combo: group.merges, base: group.count, priority: group.priority, duration: length,
        until: until), isTest: group.isTest)
  }

  /// Takes a waiting group out of the queue into the summary.
  mutating func fold(_ place: Int, turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let group = groups[place]
    waiting.remove(place, in: &groups)
    if group.merges, let entry = joinable.find(group.key) { joinable.remove(at: entry) }
    groups.remove(at: place)
    output.waits.append(turn.now - group.arrival)
    output.counters.giftsFolded += group.pending
    output.note(.folded(group: group.number, count: group.pending), room: turn.room, epoch: turn.epoch)
    folds.add(group, turn: turn, plan: plan, texts: &texts, output: &output)
  }
}
