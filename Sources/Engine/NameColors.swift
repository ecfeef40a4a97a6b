import Base

/// Which colour each sender's name has: the next in turn at the first comment, and the same from then on.
struct NameColors {
  private var colors = DigestTable<Int32>()
  private var turn = 0

  /// How many senders are remembered.
  var count: Int { colors.count }

  /// The index of a sender's colour in the plan.
  mutating func color(of sender: KeyDigest, plan: CommentPlan, counters: inout EngineCounters) -> Int {
    if let place = colors.find(sender) {
      colors.touch(place)
      return Int(colors[place]) % plan.colors.count
    }
    while colors.count >= plan.maxSenders, let oldest = colors.oldest {
      colors.remove(at: oldest)
      counters.colorsEvicted += 1
    }
    let color = turn % plan.colors.count
    turn = (color + 1) % plan.colors.count
    colors.insert(sender, Int32(color))
    return color
  }
}

extension NameColors {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: turn)
    colors.save(to: &writer) { writer, color in writer.write(count: Int(color)) }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    turn = try reader.count(upTo: Int(Int32.max))
    colors = try DigestTable(from: &reader, valuesOf: 1) { (reader) throws(StateFault) in
      Int32(try reader.count(upTo: Int(Int32.max)))
    }
  }
}
