import Base

/// When a renderer asks for a snapshot: at once when it needs one, and again, ever more rarely, until it
/// comes.
struct ResyncWish {
  private static let firstMilliseconds: Int64 = 1000
  private static let mostMilliseconds: Int64 = 60_000

  /// When to ask next; nil: nothing is needed.
  private(set) var deadline: Instant?
  private var wait = firstMilliseconds
  private var lastAsked: Instant?

  /// One is needed.
  mutating func want(at now: Instant) {
    guard deadline == nil else { return }
    wait = Self.firstMilliseconds
    // Gap after gap is answered by one.
    deadline = lastAsked.map { max(now, $0 + Self.firstMilliseconds) } ?? now
  }

  /// It was asked for.
  mutating func noteAsked(at now: Instant) {
    lastAsked = now
    deadline = now + wait
    wait = min(wait * 2, Self.mostMilliseconds)
  }

  /// One came.
  mutating func noteAnswered() { deadline = nil }
}
