import Base

/// What the daemon's clock shows, as far as its messages tell.
///
/// A message was made at its own instant or later, and took some time to come: so that clock is ahead of ours by at least
/// the difference, and the largest difference of the last minutes is the best guess.
struct DaemonClock {
  /// Clocks drift apart: what was seen longer ago than two of these no longer counts.
  private static let windowMilliseconds: Int64 = 60_000

  private var lead: Int64?
  private var earlierLead: Int64?
  private var windowStart: Instant = 0
  /// What a message tells that the broker had kept: that clock may be much further by now.
  private var leastLead: Int64 = 0

  /// A message that was made just now names an instant.
  mutating func note(_ instant: Instant, at now: Instant) {
    let difference = instant - now
    guard let lead, now - windowStart <= Self.windowMilliseconds else {
      earlierLead = lead
      lead = difference
      windowStart = now
      return
    }
    self.lead = max(lead, difference)
  }

  /// A message that the broker had kept names an instant.
  mutating func noteKept(_ instant: Instant, at now: Instant) { leastLead = max(leastLead, instant - now) }

  /// The daemon's present instant. Before its first word its clock is taken for ours.
  func instant(at now: Instant) -> Instant {
    guard let lead else { return now + leastLead }
    return now + max(lead, earlierLead ?? lead)
  }
}
