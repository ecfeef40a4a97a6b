import Base

/// One live room: the unit of isolation. Everything it knows is in here.
struct Room {
  /// Its name, as in the topics.
  let name: [UInt8]
  /// How it behaves.
  var plan: RoomPlan
  /// The instant at which it was made. The digests of its keys are seeded with it.
  let birth: Instant
  /// The instant at which its commands began to be numbered from 1: its birth, or a new epoch since.
  private(set) var epoch: Instant
  /// Its place in the order in which rooms appeared.
  let order: Int
  /// The tracks and the queue.
  var gifts: GiftTracks
  /// The comment list.
  var comments = CommentList()
  /// The likes.
  var likes = Likes()
  /// Big gifts, full-screen.
  var stage = Stage()
  /// Senders of whom nothing is shown.
  var muted = MutedSenders()
  /// When its snapshot is written.
  var snapshots = SnapshotTimes()
  /// The numbers of the clicks that came out.
  var clickSequence = Sequence()
  /// What cumulative sources counted so far.
  var streaks = Streaks()
  /// Events that were taken lately.
  var recentIDs = RecentIDs()
  /// True if the engine counts it among those that wait for more than to leave.
  var isBusy = false
  /// How what was saved of it stands to what it is.
  var saving = Saving.changed
  /// When something happened last: an input or a timer.
  var lastActivity: Instant
  /// How long we were away since it was made.
  var awayMilliseconds: Int64 = 0

  /// A new room.
  init(name: [UInt8], plan: RoomPlan, birth: Instant, order: Int) {
    self.name = name
    self.plan = plan
    self.birth = birth
    self.order = order
    epoch = birth
    gifts = GiftTracks(plan: plan.gift)
    lastActivity = birth
  }

  /// What stands at a place that no room has.
  static let vacant: Room = {
    var room = Room(name: [], plan: RoomPlan(), birth: 0, order: -1)
    room.saving = .saved
    return room
  }()

  /// True at a place that no room has.
  var isVacant: Bool { name.isEmpty }

  /// True if nothing waits, shows or falls.
  var isQuiet: Bool { gifts.isIdle && stage.isIdle && comments.isIdle && likes.isIdle }

  /// Handles a batch whole at one instant, to which the timers have been advanced. `isTest`: its events are
  /// shown, marked, and counted nowhere.
  mutating func receive(
    _ batch: borrowing EventBatch, isTest: Bool = false, at now: Instant, output: inout CommandBuffer
  ) {
    let turn = Turn(now: now, room: output.bytes.append(text: name), epoch: epoch)
    lastActivity = now
    var place = 0
    while place < batch.events.count {
      if isTest {
        test(batch.events[place], in: batch.bytes, turn: turn, output: &output)
      } else if batch.events[place].kind == .remove {
        place = receiveRemovals(from: place, of: batch, turn: turn, output: &output)
        continue
      } else {
        receive(batch.events[place], at: place, of: batch, turn: turn, output: &output)
      }
      place += 1
    }
    sendPaced(turn: turn, output: &output)
    snapshots.noteChange(at: now, plan: plan.snapshot)
  }

  /// The time between two instants does not count: every timer moves, and moved times are said again.
  mutating func skip(from: Instant, to: Instant, output: inout CommandBuffer) {
    let turn = Turn(now: to, room: output.bytes.append(text: name), epoch: epoch)
    let length = to - from
    awayMilliseconds += length
    lastActivity += length
    snapshots.shift(by: length)
    let said = output.commands.count
    defer { if output.commands.count > said { snapshots.noteChange(at: to, plan: plan.snapshot) } }
    // What is paused stands still anyway, and moves when it goes on.
    if comments.pausedSince == nil { comments.shift(by: length) }
    if gifts.pausedSince == nil { gifts.shift(by: length, turn: turn, output: &output) }
    if stage.pausedSince == nil { stage.shift(by: length, turn: turn, output: &output) }
    if likes.pausedSince == nil { likes.shift(by: length, turn: turn, output: &output) }
    if length > plan.limits.awayMaxMilliseconds, gifts.pausedSince == nil, gifts.waiting.count > 0 {
      lastActivity = to
      gifts.foldAll(turn: turn, plan: plan, output: &output)
    }
  }

  /// The numbers of its commands begin anew; what it shows and remembers goes on.
  mutating func beginEpoch(_ instant: Instant, now: Instant) {
    // An epoch names its commands' numbers: it is never one that was.
    epoch = max(instant, epoch + 1)
    gifts.restartSequences()
    comments.sequence = Sequence()
    likes.sequence = Sequence()
    stage.sequence = Sequence()
    clickSequence = Sequence()
    // What the broker keeps is of another epoch.
    if snapshots.isPublished { snapshots.ask(at: now) }
  }

  /// Goes on in an epoch that was saved.
  mutating func resume(epoch: Instant) { self.epoch = epoch }

  private mutating func receive(
    _ event: Event, at place: Int, of batch: borrowing EventBatch, turn: Turn, output: inout CommandBuffer
  ) {
    let id = event.id.isAbsent ? nil : idKey(of: event, in: batch)
    if let id, recentIDs.contains(id, kind: event.kind, now: turn.now, limits: plan.limits) {
      output.counters.duplicateIDs += 1
      output.note(.duplicate(index: event.index), room: turn.room, epoch: turn.epoch)
      return
    }
    let isTaken: Bool
    switch event.kind {
    case .gift:
      isTaken = receiveGift(event, at: place, in: batch.bytes, turn: turn, output: &output)
    case .comment:
      output.counters.commentEvents += 1
      let sender = digest(ofSender: batch.bytes.span.extracting(event.sender.id.range))
      if muted.contains(sender) {
        output.counters.commentsMuted += 1
        output.note(.muted(index: event.index), room: turn.room, epoch: turn.epoch)
      } else {
        comments.receive(
          event, in: batch.bytes, sender: sender, turn: turn, plan: plan.comment,
          counters: &output.counters)
        output.note(.taken(index: event.index), room: turn.room, epoch: turn.epoch)
      }
      isTaken = true
    case .like:
      output.counters.likeEvents += 1
      if !muted.isEmpty, muted.contains(digest(ofSender: batch.bytes.span.extracting(event.sender.id.range)))
      {
        output.counters.likesMuted += 1
        output.note(.muted(index: event.index), room: turn.room, epoch: turn.epoch)
      } else {
        likes.receive(event, turn: turn, plan: plan.like)
        output.note(.taken(index: event.index), room: turn.room, epoch: turn.epoch)
      }
      isTaken = true
    // A run of them is received as one.
    case .remove: isTaken = false
    }
    if isTaken, let id {
      recentIDs.insert(
        id, kind: event.kind, now: turn.now, limits: plan.limits, counters: &output.counters)
    }
  }

  /// False if the gift was refused: then it may come again.
  private mutating func receiveGift(
    _ event: Event, at place: Int, in bytes: [UInt8], turn: Turn, output: inout CommandBuffer
  ) -> Bool {
    var digester = KeyDigester(seed: UInt64(bitPattern: birth))
    digester.add(event.sender.id, in: bytes.span)
    let sender = digester.digest()
    digester.add(event.gift.id, in: bytes.span)
    digester.add(event.receiver.id, in: bytes.span)
    let key = digester.digest()
    var count = event.count ?? 1
    var base = 0
    if event.total != nil || event.streakRole != .own {
      digester.add(event.streak, in: bytes.span)
      switch measure(event, key: digester.digest(), turn: turn, counters: &output.counters) {
      case .adds(let added, let before):
        count = added
        base = before
      case .nothing:
        output.counters.giftEvents += 1
        output.counters.framesWithoutGift += 1
        output.note(.repeated(index: event.index), room: turn.room, epoch: turn.epoch)
        return true
      case .full:
        output.rejections.append(
          Rejection(
            index: event.index, reason: .tooManyStreaks,
            detail: "the room remembers maxStreaks streaks and none is past its gap"))
        return false
      }
    }
    output.counters.giftEvents += 1
    output.counters.giftsAccepted += count
    output.accepted.append(
      AcceptedCount(place: place, count: count, value: event.gift.value(of: count)))
    if muted.contains(sender) {
      output.counters.giftsMuted += count
      output.note(.muted(index: event.index), room: turn.room, epoch: turn.epoch)
      return true
    }
    show(
      event, in: bytes, key: key, sender: sender, count: count, base: base, turn: turn, output: &output)
    return true
  }

  /// What a gift adds that has to do with a streak.
  private mutating func measure(
    _ event: Event, key: KeyDigest, turn: Turn, counters: inout EngineCounters
  ) -> StreakOutcome {
    let arrival = turn.now - awayMilliseconds
    if event.streakRole == .corrects {
      guard let total = event.total, !event.streak.isAbsent else { return .nothing }
      return streaks.correction(total, event: event, key: key, arrival: arrival)
    }
    if let total = event.total {
      return streaks.frame(
        total: total, event: event, key: key, arrival: arrival, plan: plan.gift, counters: &counters)
    }
    let count = event.count ?? 1
    // Without a streak it is a delta like any other.
    if event.streak.isAbsent { return .adds(count: count, base: 0) }
    return streaks.delta(
      count, event: event, key: key, arrival: arrival, plan: plan.gift, counters: &counters)
  }

  /// A gift goes to the tracks, and to the stage if its rule says so.
  mutating func show(
    _ event: Event, in bytes: [UInt8], key: KeyDigest, sender: KeyDigest, count: Int, base: Int,
    isTest: Bool = false, turn: Turn, output: inout CommandBuffer
  ) {
    let standing = plan.standing(of: event, count: count, in: bytes)
    let gift = AcceptedGift(
      event: event, bytes: bytes, key: key, sender: sender, count: count, base: base,
      priority: standing.priority, isTest: isTest)
    gifts.receive(gift, turn: turn, plan: plan, output: &output)
    guard !standing.asset.isEmpty else { return }
    stage.receive(
      gift, standing: standing, numbers: &gifts.groupNumbers, turn: turn, plan: plan.stage, output: &output)
  }

  /// The digest by which a sender is known in the room.
  func digest(ofSender id: Span<UInt8>) -> KeyDigest {
    var digester = KeyDigester(seed: UInt64(bitPattern: birth))
    digester.add(id)
    return digester.digest()
  }

  func idKey(of event: Event, in batch: borrowing EventBatch) -> KeyDigest {
    var digester = KeyDigester(seed: UInt64(bitPattern: birth))
    digester.add(UInt64(batch.source) << 8 | UInt64(event.kind.rawValue))
    digester.add(event.id, in: batch.bytes.span)
    return digester.digest()
  }

  /// At the end of a batch the paced tracks send what they may.
  mutating func sendPaced(turn: Turn, output: inout CommandBuffer) {
    if comments.pausedSince == nil, let deadline = comments.deadline, deadline <= turn.now {
      comments.send(turn: turn, plan: plan, output: &output)
    }
    if likes.pausedSince == nil, let deadline = likes.burstDeadline, deadline <= turn.now {
      likes.sendBurst(turn: turn, plan: plan.like, output: &output)
    }
    if gifts.pausedSince == nil, let deadline = gifts.folds.deadline, deadline <= turn.now {
      gifts.sendFolds(turn: turn, plan: plan, output: &output)
    }
  }
}

extension Room {
  /// What happens in a room by itself, in the order that holds at one deadline.
  enum Timer: Equatable {
    case giftTrack(Int)
    case stage, foldByWait, folds, comments, burst, likeStop
    /// The room's visible state is written.
    case snapshot
    /// The room has been idle long enough.
    case leave
  }

  /// What happens next, and when. A room always has a next: at last it leaves.
  var nextTimer: (timer: Timer, deadline: Instant) {
    var next: (timer: Timer, deadline: Instant)?
    func consider(_ timer: Timer, _ deadline: Instant?) {
      guard let deadline else { return }
      if let current = next, current.deadline <= deadline { return }
      next = (timer, deadline)
    }
    let giftsMove = gifts.pausedSince == nil
    if giftsMove, let phase = gifts.nextPhaseEnd { consider(.giftTrack(phase.track), phase.deadline) }
    if stage.pausedSince == nil { consider(.stage, stage.deadline) }
    if giftsMove {
      consider(.foldByWait, gifts.nextFoldByWait(plan: plan.gift))
      consider(.folds, gifts.folds.deadline)
    }
    if comments.pausedSince == nil { consider(.comments, comments.deadline) }
    if likes.pausedSince == nil {
      consider(.burst, likes.burstDeadline)
      consider(.likeStop, likes.stopDeadline)
    }
    let leave = lastActivity + plan.limits.roomIdleMilliseconds
    // A room that leaves needs no snapshot any more.
    if let deadline = snapshots.deadline, deadline < next?.deadline ?? leave { return (.snapshot, deadline) }
    return next ?? (.leave, leave)
  }

  /// Fires all timers of the deadline that is next. Returns true if the room leaves.
  mutating func fireTimers(at deadline: Instant, output: inout CommandBuffer) -> Bool {
    let turn = Turn(now: deadline, room: output.bytes.append(text: name), epoch: epoch)
    // Held once, and not anew for each timer.
    let plan = self.plan
    while true {
      let next = nextTimer
      guard next.deadline <= deadline else { return false }
      switch next.timer {
      case .giftTrack(let track):
        gifts.endPhase(of: track, turn: turn, plan: plan, output: &output)
      case .stage: stage.end(.expired, turn: turn, output: &output)
      case .foldByWait: gifts.foldByWait(turn: turn, plan: plan, output: &output)
      case .folds: gifts.sendFolds(turn: turn, plan: plan, output: &output)
      case .comments: comments.send(turn: turn, plan: plan, output: &output)
      case .burst: likes.sendBurst(turn: turn, plan: plan.like, output: &output)
      case .likeStop: likes.sendStop(turn: turn, output: &output)
      case .snapshot:
        // It changes nothing, and so keeps no room.
        sendSnapshot(turn: turn, output: &output)
        continue
      case .leave:
        if isQuiet {
          clearSnapshot(turn: turn, output: &output)
          return true
        }
        // Nobody thinks of a pause in which nothing happened for so long: it would keep the room for ever.
        if resumeAll(turn: turn, output: &output) { break }
        // What still waits after so long may use none of the tracks; folded, it is not lost.
        gifts.foldAll(turn: turn, plan: plan, output: &output)
      }
      lastActivity = deadline
      snapshots.noteChange(at: deadline, plan: plan.snapshot)
    }
  }
}
