import Base

/// When a room's snapshot is written.
struct SnapshotTimes {
  /// When it is; nil: nothing has changed, and nobody asked.
  private(set) var deadline: Instant?
  /// When it was last.
  private var last: Instant?
  /// True if the broker keeps one of this room.
  private(set) var isPublished = false

  /// The least time between two that renderers ask for: 20 a second.
  private static let resyncMilliseconds: Int64 = 50

  /// The room changed.
  mutating func noteChange(at now: Instant, plan: SnapshotPlan) {
    guard deadline == nil, plan.everyMilliseconds > 0 else { return }
    deadline = now + plan.everyMilliseconds
  }

  /// A renderer asks for one, or everything is to be said anew.
  mutating func ask(at now: Instant) {
    let soonest = last.map { max(now, $0 + SnapshotTimes.resyncMilliseconds) } ?? now
    deadline = min(deadline ?? soonest, soonest)
  }

  /// It is written.
  mutating func noteWritten(at now: Instant) {
    deadline = nil
    last = now
    isPublished = true
  }

  /// Moves its instants by a length.
  mutating func shift(by milliseconds: Int64) {
    deadline? += milliseconds
    last? += milliseconds
  }
}

extension SnapshotTimes {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(instant: deadline)
    writer.write(instant: last)
    writer.write(flag: isPublished)
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    deadline = try reader.optionalInstant()
    last = try reader.optionalInstant()
    isPublished = try reader.flag()
  }
}

extension Room {
  /// Writes the snapshot that is due, at a turn's instant.
  mutating func sendSnapshot(turn: Turn, output: inout CommandBuffer) {
    appendSnapshot(turn: turn, now: turn.at, output: &output)
    snapshots.noteWritten(at: turn.at)
    output.counters.snapshots += 1
  }

  /// The room leaves: what is kept of it is cleared.
  func clearSnapshot(turn: Turn, output: inout CommandBuffer) {
    guard snapshots.isPublished else { return }
    output.snapshots.append(
      RoomSnapshot(
        place: output.commands.count, room: turn.room, at: turn.at, now: turn.at, epoch: epoch,
        isThere: false))
  }

  /// Appends what is to be seen at a turn's instant. It is never longer than a command may be, unless names
  /// alone are: pictures are left out, and the oldest comments.
  func appendSnapshot(turn: Turn, now: Instant, output: inout CommandBuffer) {
    var budget = plan.limits.maxCommandBytes - CommandSize.overhead
    var snapshot = RoomSnapshot(
      place: output.commands.count, room: turn.room, at: turn.at, now: now, epoch: epoch, isThere: true)
    let first = output.snapshotTracks.count
    for track in gifts.tracks {
      output.snapshotTracks.append(gifts.snapshot(of: track, plan: plan, budget: &budget, output: &output))
    }
    snapshot.tracks = first..<output.snapshotTracks.count
    snapshot.play = stage.snapshot(budget: &budget, output: &output)
    snapshot.comments = appendComments(budget: budget, output: &output)
    snapshot.foldSequence = gifts.folds.sequence.last
    snapshot.stageSequence = stage.sequence.last
    snapshot.commentSequence = comments.sequence.last
    snapshot.likeSequence = likes.sequence.last
    snapshot.clickSequence = clickSequence.last
    snapshot.playsWaiting = stage.waiting.count
    snapshot.likeTotal = likes.total
    snapshot.burst = likes.stopDeadline.map { until in
      SnapshotBurst(
        count: likes.burst.count, particles: likes.burst.particles, until: until, isTest: likes.burst.isTest)
    }
    snapshot.waiting = gifts.waiting.count
    for part in RoomPart.allCases {
      if let since = pausedSince(part) { snapshot.paused.append(SnapshotPause(part: part, since: since)) }
    }
    output.snapshots.append(snapshot)
  }

  /// The newest comments of the list, as many as fit.
  private func appendComments(budget: Int, output: inout CommandBuffer) -> Range<Int> {
    let offset = output.bytes.count
    output.bytes.append(contentsOf: comments.recent.bytes)
    let lines = comments.recent.all
    var start = lines.startIndex
    if !CommandSize.surelyFits(
      items: lines.count, textBytes: comments.recent.bytes.count, limit: budget)
    {
      start = firstThatFits(lines, offset: offset, budget: budget, output: &output)
    }
    let first = output.snapshotComments.count
    for line in lines[start...] {
      output.snapshotComments.append(
        CommentList.item(of: line.moved(by: offset), plan: plan.comment, output: &output))
    }
    return first..<output.snapshotComments.count
  }

  private func firstThatFits(
    _ lines: ArraySlice<CommentLine>, offset: Int, budget: Int, output: inout CommandBuffer
  ) -> Int {
    var size = 0
    for place in lines.indices.reversed() {
      let item = CommentList.item(of: lines[place].moved(by: offset), plan: plan.comment, output: &output)
      size += CommandSize.item(item, in: output.bytes)
      if size > budget { return place + 1 }
    }
    return lines.startIndex
  }
}

extension GiftTracks {
  fileprivate func snapshot(
    of track: GiftTrack, plan: RoomPlan, budget: inout Int, output: inout CommandBuffer
  ) -> SnapshotTrack {
    let hold = plan.gift.holdMilliseconds
    let (state, until, holdUntil): (TrackState, Instant, Instant)
    switch track.phase {
    case .idle:
      return SnapshotTrack(
        sequence: track.sequence.last, state: .idle, since: 0, until: 0, holdUntil: 0, group: nil)
    case .showing(let end): (state, until, holdUntil) = (.showing, end, track.showUntil)
    case .counting(let end): (state, until, holdUntil) = (.counting, end, end + hold)
    case .holding(_, let end): (state, until, holdUntil) = (.holding, end, end)
    case .hiding(let end): (state, until, holdUntil) = (.hiding, end, end)
    }
    let group = groups[track.group]
    var parties = group.gift.append(from: texts, to: &output.bytes)
    CommandSize.fit(&parties, into: &budget, output.bytes)
    return SnapshotTrack(
      sequence: track.sequence.last, state: state, since: track.since, until: until, holdUntil: holdUntil,
      group: SnapshotGroup(
        number: group.number, sender: parties.sender, gift: parties.gift, receiver: parties.receiver,
        combo: group.merges, base: track.base, priority: track.priority, showDuration: track.showLength,
        showUntil: track.showUntil, runFrom: track.runFrom, count: group.count, isTest: group.isTest))
  }
}

extension Stage {
  fileprivate func snapshot(budget: inout Int, output: inout CommandBuffer) -> SnapshotPlay? {
    guard let play = current, let deadline else { return nil }
    var parties = play.gift.append(from: texts, to: &output.bytes)
    CommandSize.fit(&parties, into: &budget, output.bytes)
    return SnapshotPlay(
      number: play.number, sender: parties.sender, gift: parties.gift, receiver: parties.receiver,
      count: play.count, asset: output.bytes.append(text: play.asset), duration: play.duration,
      deadline: deadline, isTest: play.isTest)
  }
}

extension CommandSize {
  /// Takes what a group says out of a budget; without its pictures if they do not fit.
  fileprivate static func fit(
    _ parties: inout (sender: Party, gift: Gift, receiver: Party), into budget: inout Int, _ bytes: [UInt8]
  ) {
    func size() -> Int {
      2
        * item(
          FoldItem(sender: parties.sender, gift: parties.gift, receiver: parties.receiver, count: 0),
          in: bytes)
    }
    if size() > budget {
      parties.sender.avatar = .absent
      parties.gift.icon = .absent
      parties.receiver.avatar = .absent
    }
    budget -= size()
  }
}
