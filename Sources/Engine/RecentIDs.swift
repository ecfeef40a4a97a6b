import Base

/// The ids of the events that a room took lately, to know an event that comes twice.
struct RecentIDs {
  private var gifts = DigestQueue(isExact: true)
  /// One of ten thousand comments that is taken for another is no loss of money.
  private var others = DigestQueue(isExact: false)

  /// How many are remembered.
  var count: Int { gifts.count + others.count }

  /// True if a key was taken before and is still remembered.
  mutating func contains(_ key: KeyDigest, kind: EventKind, now: Instant, limits: RoomLimits) -> Bool {
    guard kind == .gift else { return others.contains(key) }
    while let oldest = gifts.oldest, now - oldest >= limits.giftIDMilliseconds { gifts.removeOldest() }
    return gifts.contains(key)
  }

  /// Remembers a key that is not there; the eldest makes room.
  mutating func insert(
    _ key: KeyDigest, kind: EventKind, now: Instant, limits: RoomLimits, counters: inout EngineCounters
  ) {
    if kind == .gift {
      while gifts.count > 0, gifts.count >= limits.maxGiftIDs {
        gifts.removeOldest()
        counters.youngGiftIDsEvicted += 1
      }
      gifts.append(key, at: now)
    } else {
      while others.count > 0, others.count >= limits.maxOtherIDs { others.removeOldest() }
      others.append(key, at: now)
    }
  }
}

extension RecentIDs {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    gifts.save(to: &writer)
    others.save(to: &writer)
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    gifts = try DigestQueue(isExact: true, from: &reader)
    others = try DigestQueue(isExact: false, from: &reader)
  }
}
