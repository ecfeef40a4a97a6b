import Base

extension Room {
  /// Does what an operator wants, at an instant to which the timers have been advanced. `batch` holds the
  /// events of a test.
  ///
  /// - Returns: Why it did nothing; nil if all is well.
  mutating func control(
    _ operation: ControlOperation, batch: borrowing EventBatch, at now: Instant, output: inout CommandBuffer
  ) -> ControlFault? {
    if operation == .test {
      receive(batch, isTest: true, at: now, output: &output)
      return nil
    }
    let turn = Turn(now: now, room: output.bytes.append(text: name), epoch: epoch)
    // What is refused changes nothing, and is nothing for a snapshot to show.
    if let fault = carryOut(operation, turn: turn, output: &output) { return fault }
    lastActivity = now
    snapshots.noteChange(at: now, plan: plan.snapshot)
    sendPaced(turn: turn, output: &output)
    return nil
  }

  /// A renderer says something, at an instant to which the timers have been advanced.
  mutating func feedback(
    _ operation: FeedbackOperation, renderer: [UInt8], at now: Instant, output: inout CommandBuffer
  ) {
    let turn = Turn(now: now, room: output.bytes.append(text: name), epoch: epoch)
    let said = output.commands.count
    switch operation {
    case .done(let group):
      answer(.done, group: group, renderer: renderer, turn: turn, output: &output)
    case .failed(let group):
      answer(.failed, group: group, renderer: renderer, turn: turn, output: &output)
    case .click(let group): click(group, renderer: renderer, turn: turn, output: &output)
    case .resync:
      output.counters.resyncs += 1
      snapshots.ask(at: now)
    }
    // A renderer that only listens does not keep a room.
    if output.commands.count > said {
      lastActivity = now
      snapshots.noteChange(at: now, plan: plan.snapshot)
    }
    if let deadline = snapshots.deadline, deadline <= now { sendSnapshot(turn: turn, output: &output) }
  }

  /// All that stands still goes on. False if nothing did.
  mutating func resumeAll(turn: Turn, output: inout CommandBuffer) -> Bool {
    guard RoomPart.allCases.contains(where: { pausedSince($0) != nil }) else { return false }
    for part in RoomPart.allCases { resume(part, turn: turn, output: &output) }
    return true
  }

  /// An event of an operator's: it is shown whatever came before, under a key that only tests have.
  mutating func test(_ event: Event, in bytes: [UInt8], turn: Turn, output: inout CommandBuffer) {
    var digester = KeyDigester(seed: UInt64(bitPattern: birth))
    digester.add(event.sender.id, in: bytes.span)
    let sender = digester.digest()
    switch event.kind {
    case .gift:
      digester.add(event.gift.id, in: bytes.span)
      digester.add(event.receiver.id, in: bytes.span)
      digester.add(1)
      let count = event.count ?? event.total ?? 1
      output.counters.giftsTested += count
      show(
        event, in: bytes, key: digester.digest(), sender: sender, count: count, base: 0, isTest: true,
        turn: turn, output: &output)
    case .comment:
      comments.receive(
        event, in: bytes, sender: sender, isTest: true, turn: turn, plan: plan.comment,
        counters: &output.counters)
    case .like: likes.receive(event, isTest: true, turn: turn, plan: plan.like)
    // There is nothing to see of it.
    case .remove: break
    }
  }

  private mutating func carryOut(
    _ operation: ControlOperation, turn: Turn, output: inout CommandBuffer
  ) -> ControlFault? {
    switch operation {
    case .pause(let part): for part in Room.parts(part) { pause(part, turn: turn, output: &output) }
    case .resume(let part): for part in Room.parts(part) { resume(part, turn: turn, output: &output) }
    case .clear(let part): for part in Room.parts(part) { clear(part, turn: turn, output: &output) }
    case .skip(.gift(let track)):
      guard gifts.tracks.indices.contains(track) else { return .noSuchTrack }
      gifts.skip(track, turn: turn, plan: plan, output: &output)
    case .skip(.stage): stage.end(.skipped, turn: turn, output: &output)
    case .skip: return .noSuchTrack
    case .mute(let sender): return mute(sender, turn: turn, output: &output)
    case .unmute(let sender): muted.remove(digest(ofSender: sender.span))
    case .remove(let ids):
      let unwanted = Set(ids)
      comments.remove(
        where: { id, _ in unwanted.contains(Array(id)) }, turn: turn, plan: plan, output: &output)
    case .removeAll(let sender): removeComments(ofSender: sender, turn: turn, output: &output)
    case .test: break
    }
    return nil
  }

  private static func parts(_ part: RoomPart?) -> [RoomPart] { part.map { [$0] } ?? RoomPart.allCases }

  /// Since when a part stands still; nil: it does not.
  func pausedSince(_ part: RoomPart) -> Instant? {
    switch part {
    case .gift: gifts.pausedSince
    case .stage: stage.pausedSince
    case .comment: comments.pausedSince
    case .like: likes.pausedSince
    }
  }

  private mutating func pause(_ part: RoomPart, turn: Turn, output: inout CommandBuffer) {
    switch part {
    case .gift: gifts.pause(turn: turn, output: &output)
    case .stage: stage.pause(turn: turn, output: &output)
    case .comment: comments.pause(turn: turn, output: &output)
    case .like: likes.pause(turn: turn, output: &output)
    }
  }

  private mutating func resume(_ part: RoomPart, turn: Turn, output: inout CommandBuffer) {
    switch part {
    case .gift: gifts.resume(turn: turn, plan: plan, output: &output)
    case .stage: stage.resume(turn: turn, output: &output)
    case .comment: comments.resume(turn: turn, output: &output)
    case .like: likes.resume(turn: turn, output: &output)
    }
  }

  private mutating func clear(_ part: RoomPart, turn: Turn, output: inout CommandBuffer) {
    switch part {
    case .gift: gifts.clear(turn: turn, plan: plan, output: &output)
    case .stage: stage.clear(turn: turn, output: &output)
    case .comment:
      comments.remove(where: { _, _ in true }, turn: turn, plan: plan, output: &output)
    case .like: likes.clear(turn: turn, output: &output)
    }
  }

  private mutating func mute(
    _ id: [UInt8], turn: Turn, output: inout CommandBuffer
  ) -> ControlFault? {
    let sender = digest(ofSender: id.span)
    guard muted.insert(sender, limit: plan.limits.maxMuted) else { return .tooManyMuted }
    gifts.mute(sender.low, turn: turn, plan: plan, output: &output)
    stage.mute(sender.low, turn: turn, output: &output)
    removeComments(ofSender: id, turn: turn, output: &output)
    return nil
  }

  private mutating func removeComments(ofSender id: [UInt8], turn: Turn, output: inout CommandBuffer) {
    let author = digest(ofSender: id.span).low
    comments.remove(where: { _, other in other == author }, turn: turn, plan: plan, output: &output)
  }

  private mutating func answer(
    _ reason: EndReason, group: Int, renderer: [UInt8], turn: Turn, output: inout CommandBuffer
  ) {
    guard !plan.stage.leader.isEmpty, plan.stage.leader == renderer else {
      output.counters.feedbackOfOthers += 1
      return
    }
    if !stage.answer(reason, group: group, turn: turn, output: &output) {
      output.counters.feedbackOutOfPlace += 1
    }
  }

  /// What a click hit may have left the screen while it was under way: then it hit nothing.
  private mutating func click(
    _ number: Int, renderer: [UInt8], turn: Turn, output: inout CommandBuffer
  ) {
    let shown: (gift: StoredGift, count: Int, texts: TextStore, isTest: Bool)
    if let group = gifts.shownGroup(number) {
      shown = (group.gift, group.count, gifts.texts, group.isTest)
    } else if let play = stage.current, play.number == number {
      shown = (play.gift, play.count, stage.texts, play.isTest)
    } else {
      output.counters.clicksMissed += 1
      return
    }
    output.counters.clicks += 1
    let parties = shown.gift.append(from: shown.texts, to: &output.bytes)
    output.emit(
      turn, .click, &clickSequence,
      .click(
        group: number, sender: parties.sender, gift: parties.gift, receiver: parties.receiver,
        count: shown.count, renderer: output.bytes.append(text: renderer)), isTest: shown.isTest)
  }
}
