import Base

/// Sender, gift and receiver as in a group's first event, their texts packed into one block of the room's
/// store.
struct StoredGift {
  private var block: TextBlock
  /// Lengths of sender id, name, avatar; gift id, name, icon; receiver id, name, avatar.
  private var lengths: InlineArray<9, UInt16>
  private var senderLevel: Int64?
  private var receiverLevel: Int64?
  private var price: Int64?

  /// Copies what an event says into a store.
  init(_ event: Event, in bytes: [UInt8], store: inout TextStore) {
    let texts: InlineArray<9, TextSlice> = [
      event.sender.id, event.sender.name, CommandSize.picture(event.sender.avatar),
      event.gift.id, event.gift.name, CommandSize.picture(event.gift.icon),
      event.receiver.id, event.receiver.name, CommandSize.picture(event.receiver.avatar),
    ]
    var total = 0
    for part in 0..<9 { total += Int(texts[part].count) }
    block = store.allocate(total)
    lengths = .init(repeating: 0)
    var offset = 0
    for part in 0..<9 {
      store.write(texts[part], of: bytes, to: block, at: offset)
      lengths[part] = UInt16(texts[part].count)
      offset += Int(texts[part].count)
    }
    senderLevel = event.sender.level
    receiverLevel = event.receiver.level
    price = event.gift.price
  }

  /// Bytes of all its texts.
  var byteCount: Int {
    var total = 0
    for part in 0..<9 { total += Int(lengths[part]) }
    return total
  }

  /// Gives the texts back to the store they came from.
  func free(in store: inout TextStore) {
    store.free(block)
  }

  /// The same texts in a block of their own.
  func copy(in store: inout TextStore) -> StoredGift {
    var copy = self
    copy.block = store.copy(block, count: byteCount)
    return copy
  }

  /// Copies the texts to a command's arena and returns the parties that lie there.
  func append(
    from store: TextStore, to arena: inout [UInt8]
  ) -> (sender: Party, gift: Gift, receiver: Party) {
    var start = store.append(block, count: byteCount, to: &arena)
    var sender = Party()
    sender.id = next(0, &start)
    sender.name = next(1, &start)
    sender.avatar = next(2, &start)
    sender.level = senderLevel
    var gift = Gift()
    gift.id = next(3, &start)
    gift.name = next(4, &start)
    gift.icon = next(5, &start)
    gift.price = price
    var receiver = Party()
    receiver.id = next(6, &start)
    receiver.name = next(7, &start)
    receiver.avatar = next(8, &start)
    receiver.level = receiverLevel
    return (sender, gift, receiver)
  }

  private func next(_ part: Int, _ start: inout Int) -> TextSlice {
    let slice = TextSlice(start: start, count: Int(lengths[part]))
    start += Int(lengths[part])
    return slice
  }
}

extension StoredGift {
  /// Writes it with its texts.
  func save(to writer: inout StateWriter, texts: TextStore) {
    for part in 0..<9 { writer.write(count: Int(lengths[part])) }
    writer.write(senderLevel) { $0.write(signed: $1) }
    writer.write(receiverLevel) { $0.write(signed: $1) }
    writer.write(price) { $0.write(signed: $1) }
    _ = texts.append(block, count: byteCount, to: &writer.bytes)
  }

  /// Reads it and puts its texts into a store.
  init(from reader: inout StateReader, store: inout TextStore) throws(StateFault) {
    var total = 0
    lengths = .init(repeating: 0)
    for part in 0..<9 {
      let length = try reader.count(upTo: Int(UInt16.max))
      lengths[part] = UInt16(length)
      total += length
    }
    senderLevel = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
    receiverLevel = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
    price = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
    let text = try reader.pass(total)
    block = store.allocate(total)
    store.write(TextSlice(start: text.lowerBound, count: total), of: reader.bytes, to: block, at: 0)
  }
}
