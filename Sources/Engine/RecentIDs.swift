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
      if gifts.count >= limits.maxGiftIDs, let oldest = gifts.oldest {
        gifts.remove(at: oldest)
        counters.youngGiftIDsEvicted += 1
      }
      gifts.insert(key, now)
    } else {
      if others.count >= limits.maxOtherIDs, let oldest = others.oldest { others.remove(at: oldest) }
      others.insert(key, now)
    }
  }
}
