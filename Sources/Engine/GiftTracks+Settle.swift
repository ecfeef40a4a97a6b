import Base

extension GiftTracks {
  /// Rule 4: after every event and every timer, fill, then shorten, then bound. While they are paused only
  /// bound.
  mutating func settle(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    if pausedSince == nil {
      fill(turn: turn, plan: plan.gift, output: &output)
      shorten(turn: turn, plan: plan.gift, output: &output)
    }
    bound(turn: turn, plan: plan, output: &output)
  }

  /// Waiting groups take the idle tracks that they may use.
  private mutating func fill(turn: Turn, plan: GiftPlan, output: inout CommandBuffer) {
    while waiting.count > 0 {
      guard let usable = lowestIdlePriority(plan: plan),
        let place = waiting.next(usable: usable, now: turn.now, plan: plan, in: groups),
        let track = idleTrack(for: groups[place].priority, plan: plan)
      else { return }
      show(place, on: track, turn: turn, plan: plan, output: &output)
    }
  }

  private func lowestIdlePriority(plan: GiftPlan) -> Int? {
    var lowest: Int?
    for track in tracks.indices where tracks[track].phase == .idle {
      let minPriority = plan.minPriority(ofTrack: track)
      if let current = lowest, current <= minPriority { continue }
      lowest = minPriority
    }
    return lowest
  }

  /// The idle track of highest `minPriority` that a priority may use, then of lowest index.
  private func idleTrack(for priority: Int, plan: GiftPlan) -> Int? {
    var best: Int?
    for track in tracks.indices where tracks[track].phase == .idle {
      let minPriority = plan.minPriority(ofTrack: track)
      if minPriority > priority { continue }
      if let current = best, plan.minPriority(ofTrack: current) >= minPriority { continue }
      best = track
    }
    return best
  }

  /// Rule 6: one combo window is shortened for each group that waits for it, the longest held first.
  private mutating func shorten(turn: Turn, plan: GiftPlan, output: inout CommandBuffer) {
    // Nearly always there is nothing to do: nobody waits, or nobody holds.
    guard tracks.contains(where: { waiting.count > 0 ? $0.isHolding : $0.holdIsUnsent }) else { return }
    let busy = Pace(waiting: waiting.count, plan: plan).scaled(plan.holdBusyMilliseconds)
    var shortened = 0
    var previous: (since: Instant, track: Int)?
    while let (since, until, track) = nextHolding(after: previous) {
      previous = (since, track)
      var newUntil = until
      if waiting.count(usable: plan.minPriority(ofTrack: track)) > shortened {
        newUntil = min(until, max(turn.now, since + busy))
        shortened += 1
      }
      guard newUntil != until || tracks[track].holdIsUnsent else { continue }
      tracks[track].phase = .holding(since: since, until: newUntil)
      tracks[track].holdIsUnsent = false
      let group = groups[tracks[track].group]
      output.emit(
        turn, .gift(track), &tracks[track].sequence,
        .hold(group: group.number, count: group.count, until: newUntil))
    }
  }

  /// The holding track that follows another in the order of held since, then index.
  private func nextHolding(
    after previous: (since: Instant, track: Int)?
  ) -> (since: Instant, until: Instant, track: Int)? {
    var next: (since: Instant, until: Instant, track: Int)?
    for track in tracks.indices {
      guard case .holding(let since, let until) = tracks[track].phase else { continue }
      if let previous, (since, track) <= previous { continue }
      if let current = next, current.since <= since { continue }
      next = (since, until, track)
    }
    return next
  }

  /// Rule 10: what waits beyond `maxWaiting` folds.
  private mutating func bound(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    while waiting.count > plan.gift.maxWaiting, let lowest = waiting.lowest {
      output.counters.groupsFoldedByBound += 1
      fold(lowest, turn: turn, plan: plan, output: &output)
    }
  }
}
