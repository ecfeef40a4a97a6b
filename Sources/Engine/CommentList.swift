import Base

/// The comment list of a room: what is new collects and goes out in paced `append` commands.
struct CommentList {
  private struct NewComment {
    var id: TextSlice
    var sender: Party
    var color: Int
    var text: TextSlice
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
  private var sequence = Sequence()
  private var last: Instant?
  /// When the new comments go out; nil if there are none.
  private(set) var deadline: Instant?

  /// True if nothing new waits to be sent.
  var isIdle: Bool { deadline == nil }

  /// How many senders' colours are remembered.
  var colorCount: Int { colors.count }

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
    if new.count - firstNew > plan.maxItems {
      firstNew += 1
      skipped += 1
      counters.commentsSkipped += 1
      if firstNew > plan.maxItems { compact() }
    }
    if deadline == nil {
      deadline = last.map { max(turn.now, $0 + plan.flushMilliseconds) } ?? turn.now
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
        color: output.bytes.append(text: plan.comment.colors[comment.color]),
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
