import Store

/// Recognises what the broker sends again after a reconnect: the same message ids and payloads, in the same
/// order, as the last that were recorded (DESIGN.md, section 5).
///
/// After a session was resumed the broker sends what it believes unacknowledged first, in its old order. So
/// the first message is looked up among the recent pairs, and each that follows must be the next of them. The
/// first that is not ends the recognition: from then on everything is new.
struct RedeliveryPairs {
  private struct Pair: Equatable {
    var id: UInt16
    var digest: Digest
  }

  private enum State {
    /// Nothing can be a redelivery.
    case settled
    /// The session was resumed and nothing has come yet.
    case resumed
    /// Redeliveries come; the pair at this place is next.
    case following(Int)
  }

  /// The oldest first. Ids repeat after 65 535, so an older pair could be taken for a new message.
  private var pairs: [Pair] = []
  private var state = State.settled

  /// True if nothing was recorded in this session.
  var isEmpty: Bool { pairs.isEmpty }

  /// Remembers a recorded message.
  mutating func append(id: UInt16, digest: Digest) {
    guard id != 0 else { return }
    pairs.append(Pair(id: id, digest: digest))
    if pairs.count > 2 * RedeliveryPairs.limit { pairs.removeFirst(pairs.count - RedeliveryPairs.limit) }
  }

  /// The connection was opened; the broker kept our session, or did not.
  mutating func connectionOpened(sessionPresent: Bool) {
    if sessionPresent {
      state = pairs.isEmpty ? .settled : .resumed
    } else {
      pairs.removeAll()
      state = .settled
    }
  }

  /// True if a message was recorded before. To be asked of each message once, in order.
  mutating func isRedelivery(id: UInt16, digest: Digest) -> Bool {
    // Messages of QoS 0 are not sent again, and may come between those that are.
    guard id != 0 else { return false }
    let pair = Pair(id: id, digest: digest)
    switch state {
    case .settled: return false
    case .resumed:
      guard let place = pairs.suffix(RedeliveryPairs.limit).lastIndex(of: pair) else {
        state = .settled
        return false
      }
      follow(place + 1)
      return true
    case .following(let next):
      guard pairs[next] == pair else {
        state = .settled
        return false
      }
      follow(next + 1)
      return true
    }
  }

  private mutating func follow(_ next: Int) {
    state = next < pairs.count ? .following(next) : .settled
  }

  /// Half of all ids: so a message whose id has come round again is not found.
  private static let limit = 32_768
}
