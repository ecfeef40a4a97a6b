/// What the daemon's clock shows, as far as its messages tell.
///
/// A message was made at its own instant or later and took some time to come, so the daemon's clock is ahead
/// of ours by at least the difference; the largest of the last minutes is the best guess.
public struct DaemonClock: Sendable {
  /// Clocks drift apart: what was seen longer ago than two of these no longer counts.
  private static let windowMilliseconds: Int64 = 60_000

  private var offset: Int64?
  private var earlierOffset: Int64?
  private var windowStart: Instant = 0
  /// What a message that the broker had kept tells: the clock may be much further by now.
  private var leastOffset: Int64 = 0

  /// A clock of which nothing is known yet.
  public init() {}

  /// A message that was made just now carries an instant.
  public mutating func note(_ instant: Instant, at now: Instant) {
    let difference = instant - now
    if offset == nil || now - windowStart > Self.windowMilliseconds {
      earlierOffset = offset
      offset = difference
      windowStart = now
    } else {
      offset = max(offset ?? difference, difference)
    }
  }

  /// A message that the broker had kept carries an instant.
  public mutating func noteKept(_ instant: Instant, at now: Instant) {
    leastOffset = max(leastOffset, instant - now)
  }

  /// True if a message that was made just now has told.
  public var isKnown: Bool { offset != nil }

  /// The daemon's present instant. Before its first word its clock is taken for ours.
  public func instant(at now: Instant) -> Instant {
    guard let offset else { return now + leastOffset }
    return now + max(offset, earlierOffset ?? offset)
  }
}
