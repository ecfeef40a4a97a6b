import Base

/// The ids of the events that a room took lately, to know an event that comes twice.
struct RecentIDs {
  private var gifts = DigestTable<Instant>()
  private var others = DigestTable<Instant>()

  /// How many are remembered.
  var count: Int { gifts.count + others.count }

  /// True if a key was taken before and is still remembered.
  mutating func contains(_ key: KeyDigest, kind: EventKind, now: Instant, limits: RoomLimits) -> Bool {
    guard kind == .gift else { return others.find(key) != nil }
    while let oldest = gifts.oldest, now - gifts[oldest] >= limits.giftIDMilliseconds {
      gifts.remove(at: oldest)
    }
    return gifts.find(key) != nil
  }

  /// Remembers a key that is not there; the eldest makes room.
  mutating func insert(
    _ key: KeyDigest, kind: EventKind, now: Instant, limits: RoomLimits, counters: inout EngineCounters
  ) {
    if kind == .gift {
      while gifts.count >= limits.maxGiftIDs, let oldest = gifts.oldest {
        gifts.remove(at: oldest)
        counters.youngGiftIDsEvicted += 1
      }
      gifts.insert(key, now)
    } else {
      while others.count >= limits.maxOtherIDs, let oldest = others.oldest { others.remove(at: oldest) }
      others.insert(key, now)
    }
  }
}

extension RecentIDs {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    RecentIDs.save(gifts, to: &writer)
    RecentIDs.save(others, to: &writer)
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    gifts = try RecentIDs.read(from: &reader)
    others = try RecentIDs.read(from: &reader)
  }

  /// Each instant as its distance from the one before: mostly a byte or two.
  private static func save(_ ids: DigestTable<Instant>, to writer: inout StateWriter) {
    var previous = writer.origin
    ids.save(to: &writer) { writer, instant in
      writer.write(signed: instant &- previous)
      previous = instant
    }
  }

  private static func read(from reader: inout StateReader) throws(StateFault) -> DigestTable<Instant> {
    let origin = reader.origin
    defer { reader.origin = origin }
    return try DigestTable(from: &reader, valuesOf: 1) { (reader) throws(StateFault) in
      let instant = try reader.instant()
      reader.origin = instant
      return instant
    }
  }
}
