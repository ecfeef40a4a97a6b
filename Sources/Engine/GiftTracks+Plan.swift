import Base

extension GiftPlan {
  /// The lowest priority that may use a track. A track beyond the plan's, left from one that had more, may be
  /// used by nothing: its group stays to its end, and then it takes no other.
  func minPriority(ofTrack track: Int) -> Int {
    track < trackMinPriorities.count ? trackMinPriorities[track] : WaitingQueue.levels
  }
}

extension GiftTracks {
  /// Goes over to another plan. Phases that run keep their ends; what a new track may take, it takes at once.
  ///
  /// Tracks beyond the plan's are never dropped: if they come back, their numbers go on.
  mutating func adopt(_ plan: RoomPlan, turn: Turn, output: inout CommandBuffer) {
    while tracks.count < plan.gift.trackMinPriorities.count { tracks.append(GiftTrack()) }
    let turn = turn.standing(at: pausedSince)
    settle(turn: turn, plan: plan, output: &output)
    if folds.isFull(plan: plan.gift) { sendFolds(turn: turn, plan: plan, output: &output) }
  }
}

extension Room {
  /// Goes over to another plan, between two batches. Lengths of the new plan hold for phases that start from
  /// now on, lower bounds at once.
  ///
  /// - Returns: True if the room leaves: under the new plan it was idle for long enough.
  mutating func adopt(_ plan: RoomPlan, at now: Instant, output: inout CommandBuffer) -> Bool {
    self.plan = plan
    let said = output.commands.count
    let turn = Turn(now: now, room: output.bytes.append(text: name), epoch: epoch)
    comments.skipSurplus(plan: plan.comment, counters: &output.counters)
    gifts.adopt(plan, turn: turn, output: &output)
    stage.bound(plan: plan.stage, counters: &output.counters)
    if output.commands.count > said { lastActivity = now }
    snapshots.noteChange(at: now, plan: plan.snapshot)
    // What waits may have waited long enough, or the silence been long enough, for a while already.
    return fireTimers(at: now, output: &output)
  }
}
