import Base

/// Which colour each sender's name has: the next in turn at the first comment, and the same from then on.
struct NameColors {
  private var colors = KeyTable<UInt64, UInt16>()
  private var turn = 0

  /// How many senders are remembered.
  var count: Int { colors.count }

  /// The index of a sender's colour in the plan.
  mutating func color(of sender: KeyDigest, plan: CommentPlan, counters: inout EngineCounters) -> Int {
    // Two of ten thousand senders that share half a digest would share a colour, as most do anyway.
    if let place = colors.find(sender.low) {
      colors.touch(place)
      return Int(colors[place]) % plan.colors.count
    }
    while colors.count >= plan.maxSenders, let oldest = colors.oldest {
      colors.remove(at: oldest)
      counters.colorsEvicted += 1
    }
    let colorCount = min(plan.colors.count, CommentLine.maxColors)
    let color = turn % colorCount
    turn = (color + 1) % colorCount
    colors.insert(sender.low, UInt16(color))
    return color
  }
}

extension NameColors {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: turn)
    writer.write(count: colors.count)
    colors.forEach { sender, color in
      writer.write(word: sender)
      writer.write(count: Int(color))
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    turn = try reader.count(upTo: Int(Int32.max))
    let count = try reader.count(ofThings: 9)
    colors = KeyTable(capacity: count)
    for _ in 0..<count {
      let offset = reader.offset
      let sender = try reader.word()
      guard colors.find(sender) == nil else { throw StateFault(.contradiction, at: offset) }
      colors.insert(sender, UInt16(try reader.count(upTo: CommentLine.maxColors - 1)))
    }
  }
}
