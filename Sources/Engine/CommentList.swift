import Base

/// The comment list of a room: what is new collects and goes out in paced `append` commands.
struct CommentList {
  private struct NewComment {
    var id: TextSlice
    var sender: Party
    var color: Int
    var text: TextSlice

    /// All its texts, in the order in which they lie.
    var texts: InlineArray<5, TextSlice> { [id, sender.id, sender.name, sender.avatar, text] }
  }

  /// New comments, oldest first, from `firstNew`; those before it were skipped.
  private var new: [NewComment] = []
  private var firstNew = 0
  /// Their texts.
  private var bytes: [UInt8] = []
  private var skipped = 0
  /// How many lines the list has.
  private(set) var listed = 0
  private var colors = NameColors()
  private var madeIDs = Sequence()
  var sequence = Sequence()
  private var last: Instant?
  /// When the new comments go out; nil if there are none.
  private(set) var deadline: Instant?

  /// True if nothing new waits to be sent.
  var isIdle: Bool { deadline == nil }

  /// Bytes of the texts that collect.
  var textByteCount: Int { bytes.count }

  /// A comment arrives: it gets its colour now and goes out at the end of the batch or later.
  mutating func receive(
    _ event: Event, in batch: [UInt8], sender: KeyDigest, turn: Turn, plan: CommentPlan,
    counters: inout EngineCounters
  ) {
    let color = colors.color(of: sender, plan: plan, counters: &counters)
    let arena = batch.span
    let id = event.id.isAbsent ? makeID(epoch: turn.epoch) : bytes.append(event.id, of: arena)
    var author = event.sender
    author.id = bytes.append(event.sender.id, of: arena)
    author.name = bytes.append(event.sender.name, of: arena)
    author.avatar = bytes.append(CommandSize.picture(event.sender.avatar), of: arena)
    let text = bytes.append(event.text, of: arena)
    new.append(NewComment(id: id, sender: author, color: color, text: text))
    skipSurplus(plan: plan, counters: &counters)
    if deadline == nil {
      deadline = last.map { max(turn.now, $0 + plan.flushMilliseconds) } ?? turn.now
    }
  }

  /// Of more new comments than the list has lines the oldest never reach it.
  mutating func skipSurplus(plan: CommentPlan, counters: inout EngineCounters) {
    while new.count - firstNew > plan.maxItems {
      firstNew += 1
      skipped += 1
      counters.commentsSkipped += 1
      if firstNew > plan.maxItems { compact() }
    }
  }

  /// Sends what is new, in as many commands as its size needs.
  mutating func send(turn: Turn, plan: RoomPlan, output: inout CommandBuffer) {
    let limit = plan.limits.maxCommandBytes - CommandSize.overhead
    let offset = output.bytes.count
    output.bytes.append(contentsOf: bytes)
    let mustSplit = !CommandSize.surelyFits(
      items: new.count - firstNew, textBytes: bytes.count, limit: limit)
    var first = output.commentItems.count
    var size = 0
    for comment in new[firstNew...] {
      let item = CommentItem(
        id: comment.id.moved(by: offset), sender: comment.sender.moved(by: offset),
        color: output.bytes.append(text: plan.comment.colors[comment.color % plan.comment.colors.count]),
        text: comment.text.moved(by: offset))
      let itemSize = mustSplit ? CommandSize.item(item, in: output.bytes) : 0
      if size + itemSize > limit, output.commentItems.count > first {
        emit(itemsFrom: first, turn: turn, plan: plan.comment, output: &output)
        first = output.commentItems.count
        size = 0
      }
      size += itemSize
      output.commentItems.append(item)
    }
    emit(itemsFrom: first, turn: turn, plan: plan.comment, output: &output)
    let isUsual = bytes.count <= CommentList.keptBytes
    new.removeAll(keepingCapacity: isUsual)
    bytes.removeAll(keepingCapacity: isUsual)
    firstNew = 0
    deadline = nil
    last = turn.now
  }

  /// Moves its instants by a length.
  mutating func shift(by milliseconds: Int64) {
    last? += milliseconds
    deadline? += milliseconds
  }

  /// Memory kept between commands; a flood's goes back.
  private static let keptBytes = 16_384

  private mutating func emit(
    itemsFrom first: Int, turn: Turn, plan: CommentPlan, output: inout CommandBuffer
  ) {
    let items = first..<output.commentItems.count
    let evicted = max(0, listed + items.count - plan.maxItems)
    listed += items.count - evicted
    output.emit(turn, .comment, &sequence, .append(items: items, evicted: evicted, skipped: skipped))
    skipped = 0
  }

  /// An id that is unique in the room, for a comment that has none.
  private mutating func makeID(epoch: Instant) -> TextSlice {
    let start = bytes.count
    bytes.append(contentsOf: "lc-".utf8)
    bytes.append(decimal: epoch)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: Int64(madeIDs.next()))
    return TextSlice(start: start, count: bytes.count - start)
  }

  /// Drops the skipped comments' texts.
  private mutating func compact() {
    let dropped = firstNew < new.count ? Int(new[firstNew].id.start) : bytes.count
    bytes.removeFirst(dropped)
    new.removeFirst(firstNew)
    firstNew = 0
    for place in new.indices {
      new[place].id = new[place].id.moved(by: -dropped)
      new[place].sender = new[place].sender.moved(by: -dropped)
      new[place].text = new[place].text.moved(by: -dropped)
    }
  }
}

extension CommentList {
  /// Writes it. The texts of the comments that are new lie one after the other, so they are written as one.
  func save(to writer: inout StateWriter) {
    writer.write(count: listed)
    writer.write(count: skipped)
    writer.write(count: madeIDs.last)
    writer.write(count: sequence.last)
    writer.write(instant: last)
    writer.write(instant: deadline)
    writer.write(count: new.count - firstNew)
    for comment in new[firstNew...] {
      writer.write(count: comment.color)
      writer.write(comment.sender.level) { $0.write(signed: $1) }
      for part in 0..<5 { writer.write(count: Int(comment.texts[part].count)) }
    }
    let start = firstNew < new.count ? Int(new[firstNew].id.start) : bytes.count
    writer.bytes.append(contentsOf: bytes[start...])
    colors.save(to: &writer)
  }

  /// Reads it.
  init(from reader: inout StateReader) throws(StateFault) {
    listed = try reader.count()
    skipped = try reader.count()
    madeIDs = Sequence(last: try reader.count())
    sequence = Sequence(last: try reader.count())
    last = try reader.optionalInstant()
    deadline = try reader.optionalInstant()
    let count = try reader.count(ofThings: 7)
    new.reserveCapacity(count)
    var end = 0
    for _ in 0..<count {
      let color = try reader.count(upTo: Int(Int32.max))
      var sender = Party()
      sender.level = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
      let id = try CommentList.text(from: &reader, after: &end)
      sender.id = try CommentList.text(from: &reader, after: &end)
      sender.name = try CommentList.text(from: &reader, after: &end)
      sender.avatar = try CommentList.text(from: &reader, after: &end)
      let text = try CommentList.text(from: &reader, after: &end)
      new.append(NewComment(id: id, sender: sender, color: color, text: text))
    }
    bytes.append(contentsOf: reader.bytes[try reader.pass(end)])
    colors = try NameColors(from: &reader)
  }

  /// The next text, of which the length is read; the bytes follow later.
  private static func text(
    from reader: inout StateReader, after end: inout Int
  ) throws(StateFault) -> TextSlice {
    let count = try reader.count(upTo: reader.remaining)
    defer { end += count }
    return TextSlice(start: end, count: count)
  }
}

extension TextSlice {
  /// The same text in an arena where it lies `offset` bytes later.
  fileprivate func moved(by offset: Int) -> TextSlice {
    isAbsent ? .absent : TextSlice(start: Int(start) + offset, count: Int(count))
  }
}

extension Party {
  fileprivate func moved(by offset: Int) -> Party {
    var moved = self
    moved.id = id.moved(by: offset)
    moved.name = name.moved(by: offset)
    moved.avatar = avatar.moved(by: offset)
    return moved
  }
}
