import Base

extension GiftTracks {
  /// Gifts of all groups that are neither shown nor folded yet.
  var pendingCount: Int {
    var sum = 0
    waiting.forEach(in: groups) { sum += groups[$0].pending }
    for track in tracks where track.phase != .idle { sum += groups[track.group].pending }
    return sum
  }

  /// What is broken between two steps; nil if all is well.
  func brokenInvariant(plan: GiftPlan) -> String? {
    let busy = tracks.filter { $0.phase != .idle }.count
    if waiting.count + busy != groups.count { return "a group is neither waiting nor on a track" }
    if waiting.count > plan.maxWaiting { return "more groups wait than may" }
    return brokenTrack ?? brokenQueue(plan: plan)
  }

  private var brokenTrack: String? {
    for track in tracks.indices where tracks[track].phase != .idle {
      let place = tracks[track].group
      let group = groups[place]
      if group.track != track { return "track \(track) and its group disagree" }
      if tracks[track].holdIsUnsent { return "track \(track) holds and has not said so" }
      switch tracks[track].phase {
      case .holding(let since, let until):
        if group.pending > 0, pausedSince == nil { return "track \(track) holds with gifts pending" }
        if until < since { return "track \(track) holds until before it held" }
      case .hiding:
        if group.pending > 0 { return "track \(track) hides with gifts pending" }
        continue
      case .showing: if group.pending == 0 { return "track \(track) shows nothing" }
      case .idle, .counting: break
      }
      guard group.merges else { continue }
      guard let entry = joinable.find(group.key), Int(joinable[entry]) == place else {
        return "the key on track \(track) is joined elsewhere: it is live twice or lost"
      }
    }
    return nil
  }

  private func brokenQueue(plan: GiftPlan) -> String? {
    var broken: String?
    var joinableCount = tracks.filter { track in
      switch track.phase {
      case .idle, .hiding: false
      case .showing, .counting, .holding: groups[track.group].merges
      }
    }.count
    var previous: (priority: Int, number: Int) = (-1, 0)
    waiting.forEach(in: groups) { place in
      let group = groups[place]
      if group.merges { joinableCount += 1 }
      if group.track != nil { broken = "group \(group.number) waits and has a track" }
      if group.pending == 0 { broken = "group \(group.number) waits with nothing pending" }
      if group.priority == previous.priority, group.number <= previous.number {
        broken = "the queue is out of order at group \(group.number)"
      }
      previous = (group.priority, group.number)
      for track in tracks.indices
      where pausedSince == nil && tracks[track].phase == .idle
        && plan.minPriority(ofTrack: track) <= group.priority
      {
        broken = "group \(group.number) waits and track \(track) is idle"
      }
    }
    if broken == nil, joinableCount != joinable.count {
      broken = "the keys that can be joined are not the groups"
    }
    return broken
  }
}
