import Base

/// Senders of whom nothing is shown until an operator says otherwise.
struct MutedSenders {
  private var senders = DigestTable<UInt8>()

  /// True if nobody is muted, which nearly always is so.
  var isEmpty: Bool { senders.count == 0 }

  /// True if a sender is muted.
  func contains(_ sender: KeyDigest) -> Bool { senders.count > 0 && senders.find(sender) != nil }

  /// Mutes a sender. False if there are `limit` already.
  mutating func insert(_ sender: KeyDigest, limit: Int) -> Bool {
    if contains(sender) { return true }
    guard senders.count < limit else { return false }
    senders.insert(sender, 0)
    return true
  }

  /// Lets a sender be seen again.
  mutating func remove(_ sender: KeyDigest) {
    if let place = senders.find(sender) { senders.remove(at: place) }
  }
}

extension MutedSenders {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    senders.save(to: &writer) { _, _ in }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    senders = try DigestTable(from: &reader, valuesOf: 0) { (_) throws(StateFault) in 0 }
  }
}
