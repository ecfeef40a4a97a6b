import Base

/// A gift event after deduplication and counting: what the tracks need to know of it.
struct AcceptedGift {
  /// The event, whose texts lie in `bytes`.
  var event: Event
  /// The arena of the event's batch.
  var bytes: [UInt8]
  /// Digest of (sender, gift, receiver).
  var key: KeyDigest
  /// Digest of the sender's id.
  var sender: KeyDigest
  /// How many it adds, 1 or more.
  var count: Int
  /// The streak's total before; 0 for a source of deltas.
  var base: Int
  /// By the plan's rules, 0 … 9.
  var priority: Int

  /// True for a test of an operator's.
  var isTest = false

  /// False: a group of its own, which nothing joins.
  var merges: Bool { event.merges }
}
