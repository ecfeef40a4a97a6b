import Base

/// The comment list of a room: what is new collects and goes out in paced `append` commands.
struct CommentList {
  /// New comments, oldest first.
  private var new = CommentLines()
  private var skipped = 0
  /// The lines of the list.
  private var listed = ListedIDs()
  /// The newest lines of the list with all that they say, for who joins late.
  private(set) var recent = CommentLines()
  private var colors = NameColors()
  private var madeIDs = Sequence()
  var sequence = Sequence()
  private var last: Instant?
  /// When the new comments go out; nil if there are none.
  private(set) var deadline: Instant?
  /// Since when it stands still; nil: it does not.
  private(set) var pausedSince: Instant?

  /// Lines that a snapshot has.
  static let recentCount = 50

  /// True if nothing new waits to be sent.
  var isIdle: Bool { deadline == nil }

  /// Bytes of the texts that collect.
  var textByteCount: Int { new.bytes.count }

  /// A comment arrives: it gets its colour now and goes out at the end of the batch or later.
  mutating func receive(
    _ event: Event, in batch: [UInt8], sender: KeyDigest, isTest: Bool = false, turn: Turn, plan: CommentPlan,
    counters: inout EngineCounters
  ) {
    let turn = turn.standing(at: pausedSince)
    let color = colors.color(of: sender, plan: plan, counters: &counters)
    let number = event.id.isAbsent || isTest ? madeIDs.next() : 0
    let party = event.sender
    let byteCount = event.id.count + party.id.count + party.name.count + party.avatar.count + event.text.count
    new.append(byteCount: Int(byteCount)) { bytes in
      let arena = batch.span
      let id =
        number > 0
        ? CommentList.append(idOf: number, epoch: turn.epoch, to: &bytes) : bytes.append(event.id, of: arena)
      var author = event.sender
      author.id = bytes.append(event.sender.id, of: arena)
      author.name = bytes.append(event.sender.name, of: arena)
      author.avatar = bytes.append(CommandSize.picture(event.sender.avatar), of: arena)
      let text = bytes.append(event.text, of: arena)
      let style = bytes.append(event.style, of: arena)
      return CommentLine(
        id: id, sender: author, color: color, text: text, style: style, author: sender.low, isTest: isTest)
    }
    skipSurplus(plan: plan, counters: &counters)
    if deadline == nil {
      deadline = last.map { max(turn.now, $0 + plan.flushMilliseconds) } ?? turn.now
    }
  }

  /// Of more new comments than the list has lines the oldest never reach it.
  mutating func skipSurplus(plan: CommentPlan, counters: inout EngineCounters) {
    while new.count > plan.maxItems {
      skipped += 1
      counters.commentsSkipped += 1
      new.removeFirst()
    }
  }

  /// Sends what is new, in as many commands as its size needs.
  mutating func send(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let limit = plan.limits.maxCommandBytes - CommandSize.overhead
    let offset = output.bytes.count
    output.bytes.append(contentsOf: new.bytes)
    let mustSplit = !CommandSize.surelyFits(items: new.count, textBytes: new.bytes.count, limit: limit)
    var first = output.commentItems.count
    var size = 0
    for comment in new.all {
      let item = CommentList.item(of: comment.moved(by: offset), plan: plan.comment, output: &output)
      let itemSize = mustSplit ? CommandSize.item(item, in: output.bytes) : 0
      if size + itemSize > limit, output.commentItems.count > first {
        emit(itemsFrom: first, turn: turn, plan: plan.comment, output: &output)
        first = output.commentItems.count
        size = 0
      }
      size += itemSize
      output.commentItems.append(item)
      listed.append(comment.id, of: new.bytes, author: comment.author)
      recent.append(comment, of: new.bytes)
      if recent.count > CommentList.recentCount { recent.removeFirst() }
    }
    emit(itemsFrom: first, turn: turn, plan: plan.comment, output: &output)
    new.removeAll()
    deadline = nil
    last = turn.now
  }

  /// A line of an `append` or of a snapshot, whose texts lie in the output's arena.
  static func item(of line: CommentLine, plan: CommentPlan, output: inout CommandBuffer) -> CommentItem {
    CommentItem(
      id: line.id, sender: line.sender,
      color: output.bytes.append(text: plan.colors[line.color % plan.colors.count]), text: line.text,
      style: line.style, isTest: line.isTest)
  }

  /// Comments leave by id and author, those too that are still new, at once even while it is paused.
  mutating func remove(
    where isUnwanted: (ArraySlice<UInt8>, UInt64) -> Bool, turn: Turn, plan: RoomPlan,
    output: inout CommandBuffer
  ) {
    output.counters.commentsRemoved += new.removeAll { isUnwanted($1[$0.id.range], $0.author) }
    if new.count == 0 { deadline = nil }
    _ = recent.removeAll { isUnwanted($1[$0.id.range], $0.author) }
    let first = output.commentIDs.count
    listed.remove(where: isUnwanted) { id in
      output.commentIDs.append(output.bytes.append(text: id))
    }
    output.counters.commentsRemoved += output.commentIDs.count - first
    tellRemoved(from: first, turn: turn, plan: plan, output: &output)
  }

  /// It stands still from now on.
  mutating func pause(turn: Turn, output: inout CommandBuffer) {
    guard pausedSince == nil else { return }
    pausedSince = turn.now
    output.emit(turn, .comment, &sequence, .pause)
  }

  /// It goes on.
  mutating func resume(turn: Turn, output: inout CommandBuffer) {
    guard let since = pausedSince else { return }
    pausedSince = nil
    output.emit(turn, .comment, &sequence, .resume)
    shift(by: turn.now - since)
  }

  /// Moves its instants by a length.
  mutating func shift(by milliseconds: Int64) {
    last? += milliseconds
    deadline? += milliseconds
  }

  private mutating func emit(
    itemsFrom first: Int, turn: Turn, plan: CommentPlan, output: inout CommandBuffer
  ) {
    let items = first..<output.commentItems.count
    // Those of this command are listed already, and those of the commands before it.
    let evicted = max(0, listed.count - plan.maxItems)
    listed.removeFirst(evicted)
    while recent.count > listed.count { recent.removeFirst() }
    output.emit(turn, .comment, &sequence, .append(items: items, evicted: evicted, skipped: skipped))
    skipped = 0
  }

  private mutating func tellRemoved(
    from first: Int, turn: Turn, plan: RoomPlan, output: inout CommandBuffer
  ) {
    let limit = plan.limits.maxCommandBytes - CommandSize.overhead
    var start = first
    var size = 0
    for place in first..<output.commentIDs.count {
      let idSize = CommandSize.id(output.commentIDs[place], in: output.bytes)
      if size + idSize > limit, place > start {
        output.emit(turn, .comment, &sequence, .remove(ids: start..<place))
        start = place
        size = 0
      }
      size += idSize
    }
    if start < output.commentIDs.count {
      output.emit(turn, .comment, &sequence, .remove(ids: start..<output.commentIDs.count))
    }
  }

  /// Appends an id that is unique in the room, for a comment that has none.
  private static func append(idOf number: Int, epoch: Instant, to bytes: inout [UInt8]) -> TextSlice {
    let start = bytes.count
    bytes.append(contentsOf: "lc-".utf8)
    bytes.append(decimal: epoch)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: Int64(number))
    return TextSlice(start: start, count: bytes.count - start)
  }
}

extension CommentList {
  /// Writes it.
  func save(to writer: inout StateWriter) {
    writer.write(count: skipped)
    writer.write(count: madeIDs.last)
    writer.write(count: sequence.last)
    writer.write(instant: last)
    writer.write(instant: deadline)
    writer.write(instant: pausedSince)
    new.save(to: &writer)
    listed.save(to: &writer)
    recent.save(to: &writer)
    colors.save(to: &writer)
  }

  /// Reads it.
  init(from reader: inout StateReader) throws(StateFault) {
    skipped = try reader.count()
    madeIDs = Sequence(last: try reader.count())
    sequence = Sequence(last: try reader.count())
    last = try reader.optionalInstant()
    deadline = try reader.optionalInstant()
    pausedSince = try reader.optionalInstant()
    new = try CommentLines(from: &reader)
    listed = try ListedIDs(from: &reader)
    recent = try CommentLines(from: &reader)
    colors = try NameColors(from: &reader)
  }
}
