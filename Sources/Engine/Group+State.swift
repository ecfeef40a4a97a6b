import Base

extension Group {
  /// The fewest bytes that a group takes.
  static var leastSavedBytes: Int { 42 }

  /// Writes it with its texts. Its track and its neighbours are told by where it is written.
  func save(to writer: inout StateWriter, texts: TextStore) {
    writer.write(count: number)
    writer.write(key)
    writer.write(word: sender)
    writer.write(flag: merges)
    writer.write(flag: isTest)
    writer.write(count: priority)
    writer.write(count: pending)
    writer.write(count: count)
    writer.write(instant: arrival)
    if track != nil { writer.write(instant: shownAt) }
    gift.save(to: &writer, texts: texts)
  }

  /// Reads it and puts its texts into a store.
  init(from reader: inout StateReader, track: Int?, texts: inout TextStore) throws(StateFault) {
    number = try reader.count()
    key = try reader.digest()
    sender = try reader.word()
    merges = try reader.flag()
    isTest = try reader.flag()
    priority = try reader.count(upTo: WaitingQueue.levels - 1)
    pending = try reader.count()
    count = try reader.count()
    arrival = try reader.instant()
    if track != nil { shownAt = try reader.instant() }
    gift = try StoredGift(from: &reader, store: &texts)
    self.track = track
  }
}
