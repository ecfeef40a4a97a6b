import Base

// What an operator does with the gift tracks. While they are paused their time stands still: what arrives is
// kept, and nothing moves; only the queue stays bounded, and what the operator takes off hides even so.
extension GiftTracks {
  /// They stand still from now on.
  mutating func pause(turn: Turn, output: inout CommandBuffer) {
    guard pausedSince == nil else { return }
    pausedSince = turn.now
    tellAll(.pause, turn: turn, output: &output)
  }

  /// They go on: every instant is later by the length of the pause, and the combo windows' new ends are said.
  mutating func resume(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    guard let since = pausedSince else { return }
    pausedSince = nil
    tellAll(.resume, turn: turn, output: &output)
    move(by: turn.now - since)
    for track in tracks.indices where tracks[track].isHolding {
      if groups[tracks[track].group].pending > 0 {
        startRun(on: track, turn: turn, plan: plan.gift, output: &output)
      } else {
        tracks[track].holdIsUnsent = true
      }
    }
    settle(turn: turn, plan: plan, output: &output)
  }

  /// What a track shows hides at once; what is pending of it folds.
  mutating func skip(_ track: Int, turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let turn = turn.standing(at: pausedSince)
    takeOff(track, .skipped, leavesNumber: true, turn: turn, plan: plan, output: &output)
    settle(turn: turn, plan: plan, output: &output)
  }

  /// What waits folds, what is shown hides, and no number is left to go on from.
  mutating func clear(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let turn = turn.standing(at: pausedSince)
    while let eldest = waiting.eldest(below: WaitingQueue.levels, in: groups) {
      output.counters.groupsFoldedByControl += 1
      fold(eldest, turn: turn, plan: plan, output: &output)
    }
    for track in tracks.indices {
      takeOff(track, .cleared, leavesNumber: false, turn: turn, plan: plan, output: &output)
    }
    leftNumbers = LeftNumbers()
  }

  /// Nothing of a sender stays, but for tests: what waits or is pending counts as muted.
  mutating func mute(_ sender: UInt64, turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let turn = turn.standing(at: pausedSince)
    var places: [Int] = []
    waiting.forEach(in: groups) { place in
      if groups[place].sender == sender, !groups[place].isTest { places.append(place) }
    }
    for place in places {
      let group = groups[place]
      waiting.remove(place, in: &groups)
      if group.merges, let entry = joinable.find(group.key) { joinable.remove(at: entry) }
      groups.remove(at: place)
      output.counters.giftsMuted += group.pending
      group.gift.free(in: &texts)
    }
    for track in tracks.indices where tracks[track].isTaken {
      let group = groups[tracks[track].group]
      guard group.sender == sender, !group.isTest else { continue }
      let rest = hide(
        track, .skipped, heldSince: heldSince(track, now: turn.now), turn: turn, plan: plan, output: &output)
      guard let rest else { continue }
      output.counters.giftsMuted += rest.pending
      rest.gift.free(in: &texts)
    }
    settle(turn: turn, plan: plan, output: &output)
  }

  /// The group with a number, if it is on a track.
  func shownGroup(_ number: Int) -> Group? {
    for track in tracks where track.phase != .idle && groups[track.group].number == number {
      return groups[track.group]
    }
    return nil
  }

  private mutating func takeOff(
    _ track: Int, _ reason: HideReason, leavesNumber: Bool, turn: Turn, plan: RoomPlan,
    output: inout CommandBuffer
  ) {
    guard tracks[track].isTaken else { return }
    let since = leavesNumber ? heldSince(track, now: turn.now) : nil
    let rest = hide(track, reason, heldSince: since, turn: turn, plan: plan, output: &output)
    guard let rest else { return }
    output.counters.giftsFolded += rest.pending
    output.counters.groupsFoldedByControl += 1
    output.note(.folded(group: rest.number, count: rest.pending), room: turn.room, epoch: turn.epoch)
    folds.add(rest, turn: turn, plan: plan, texts: &texts, output: &output)
  }

  /// From when the combo window of a group that is taken off now counts (rule 7).
  private func heldSince(_ track: Int, now: Instant) -> Instant {
    if case .holding(let since, _) = tracks[track].phase { since } else { now }
  }

  private mutating func tellAll(_ operation: Operation, turn: Turn, output: inout CommandBuffer) {
    for track in tracks.indices {
      output.emit(turn, .gift(track), &tracks[track].sequence, operation)
    }
    output.emit(turn, .fold, &folds.sequence, operation)
  }
}
