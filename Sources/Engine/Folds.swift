import Base

/// Groups that left the queue unseen, collected into summary commands.
struct Folds {
  private struct Item {
    var gift: StoredGift
    var sender: UInt64
    var count: Int
    var groups: Int
    var isTest: Bool
  }

  /// In order of first fold.
  private var items: [Item] = []
  /// The item of each key that merges.
  private var places = DigestTable<Int32>()
  var sequence = Sequence()
  private var last: Instant?
  /// When the command goes out; nil if nothing collects.
  private(set) var deadline: Instant?

  /// True if nothing collects.
  var isEmpty: Bool { items.isEmpty }

  /// True if so many have collected that they go out at once.
  func isFull(plan: GiftPlan) -> Bool { !isEmpty && items.count >= plan.maxFoldItems }

  /// Adds a group, which has left its store, and sends all if enough have collected.
  mutating func add(
    _ group: Group, turn: Turn, plan: RoomPlan, texts: inout TextStore, output: inout CommandBuffer
  ) {
    if group.merges, let entry = places.find(group.key) {
      let place = Int(places[entry])
      items[place].count += group.pending
      items[place].groups += 1
      group.gift.free(in: &texts)
      return
    }
    if items.isEmpty {
      deadline = last.map { max(turn.now, $0 + plan.gift.foldEveryMilliseconds) } ?? turn.now
    }
    if group.merges { places.insert(group.key, Int32(items.count)) }
    items.append(
      Item(gift: group.gift, sender: group.sender, count: group.pending, groups: 1, isTest: group.isTest))
    if isFull(plan: plan.gift) {
      send(turn: turn, plan: plan, texts: &texts, output: &output)
    }
  }

  /// Sends what has collected, in as many commands as its size needs.
  mutating func send(turn: Turn, plan: RoomPlan, texts: inout TextStore, output: inout CommandBuffer) {
    let limit = plan.limits.maxCommandBytes - CommandSize.overhead
    var first = 0
    var size = 0
    let start = output.foldItems.count
    for place in items.indices {
      let (sender, gift, receiver) = items[place].gift.append(from: texts, to: &output.bytes)
      let item = FoldItem(
        sender: sender, gift: gift, receiver: receiver, count: items[place].count,
        isTest: items[place].isTest)
      let itemSize = CommandSize.item(item, in: output.bytes)
      if size + itemSize > limit, place > first {
        emit(first..<place, itemsFrom: start, turn: turn, output: &output)
        first = place
        size = 0
      }
      size += itemSize
      output.foldItems.append(item)
      items[place].gift.free(in: &texts)
    }
    emit(first..<items.count, itemsFrom: start, turn: turn, output: &output)
    items.removeAll(keepingCapacity: true)
    places.removeAll()
    deadline = nil
    last = turn.now
  }

  /// Moves its instants by a length.
  mutating func shift(by milliseconds: Int64) {
    last? += milliseconds
    deadline? += milliseconds
  }

  private mutating func emit(
    _ part: Range<Int>, itemsFrom start: Int, turn: Turn, output: inout CommandBuffer
  ) {
    var groups = 0
    var gifts = 0
    for item in items[part] {
      groups += item.groups
      gifts += item.count
    }
    output.emit(
      turn, .fold, &sequence,
      .fold(
        groups: groups, gifts: gifts, senders: distinctSenders(in: part),
        items: start + part.lowerBound..<start + part.upperBound))
  }

  private func distinctSenders(in part: Range<Int>) -> Int {
    // A command has a hundred items or so: to look through them costs less than memory to sort them in.
    part.count { place in
      !items[part.lowerBound..<place].contains { $0.sender == items[place].sender }
    }
  }
}

extension Folds {
  /// Writes them.
  func save(to writer: inout StateWriter, texts: TextStore) {
    writer.write(count: sequence.last)
    writer.write(instant: last)
    writer.write(instant: deadline)
    writer.write(count: items.count)
    for item in items {
      writer.write(word: item.sender)
      writer.write(count: item.count)
      writer.write(count: item.groups)
      writer.write(flag: item.isTest)
      item.gift.save(to: &writer, texts: texts)
    }
    places.save(to: &writer) { writer, place in writer.write(count: Int(place)) }
  }

  /// Reads them and puts their texts into a store.
  init(from reader: inout StateReader, texts: inout TextStore) throws(StateFault) {
    sequence = Sequence(last: try reader.count())
    last = try reader.optionalInstant()
    deadline = try reader.optionalInstant()
    let count = try reader.count(ofThings: 23)
    guard (count > 0) == (deadline != nil) else { throw reader.fault(.contradiction) }
    items.reserveCapacity(count)
    for _ in 0..<count {
      let sender = try reader.word()
      let count = try reader.count()
      let groups = try reader.count()
      let isTest = try reader.flag()
      let gift = try StoredGift(from: &reader, store: &texts)
      items.append(Item(gift: gift, sender: sender, count: count, groups: groups, isTest: isTest))
    }
    // Each item has a key of its own, or none; the keys are in the order of the items.
    var next = 0
    places = try DigestTable(from: &reader, valuesOf: 1) { (reader) throws(StateFault) in
      let start = reader.offset
      let place = try reader.count()
      guard place >= next, place < count else { throw StateFault(.contradiction, at: start) }
      next = place + 1
      return Int32(place)
    }
  }
}
