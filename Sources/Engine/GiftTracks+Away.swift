import Base

extension GiftTracks {
  /// Moves every instant by a length, and says the combo windows' new ends.
  mutating func shift(by milliseconds: Int64, turn: Turn, output: inout CommandBuffer) {
    move(by: milliseconds)
    for track in tracks.indices {
      guard case .holding(_, let until) = tracks[track].phase else { continue }
      let group = groups[tracks[track].group]
      output.emit(
        turn, .gift(track), &tracks[track].sequence,
        .hold(group: group.number, count: group.count, until: until))
    }
  }

  /// Moves every instant by a length.
  mutating func move(by milliseconds: Int64) {
    waiting.forEach(in: groups) { groups[$0].arrival += milliseconds }
    leftNumbers.shift(by: milliseconds)
    folds.shift(by: milliseconds)
    for track in tracks.indices where tracks[track].phase != .idle {
      tracks[track].phase = tracks[track].phase.shifted(by: milliseconds)
      tracks[track].since += milliseconds
      tracks[track].showUntil += milliseconds
      groups[tracks[track].group].shownAt += milliseconds
    }
  }

  /// All that waits folds, the eldest first: it waited too long to be worth showing.
  mutating func foldAll(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    while let eldest = waiting.eldest(below: WaitingQueue.levels, in: groups) {
      output.counters.groupsFoldedByWait += 1
      fold(eldest, turn: turn, plan: plan, output: &output)
    }
  }

  /// Sends the folds that have collected.
  mutating func sendFolds(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    folds.send(turn: turn, plan: plan, texts: &texts, output: &output)
  }
}
