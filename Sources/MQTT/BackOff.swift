/// How long to wait before the next attempt: twice as long each time, half of it by chance.
///
/// The jitter keeps a thousand clients of a restarted broker from coming back at once.
struct BackOff: Equatable {
  private let shortest: Int64
  private let longest: Int64
  private var next: Int64
  /// Attempts that may still follow each other after the shortest wait.
  private var promptLeft = Self.promptAttempts

  /// A broker that is started anew is there within seconds, and until we have subscribed again it may have
  /// nowhere to keep what is sent to us.
  private static let promptAttempts = 30

  init(shortest: Int64, longest: Int64) {
    self.shortest = shortest
    self.longest = longest
    next = shortest
  }

  /// The next wait in milliseconds: between half of what is due and all of it. `isAway`: nothing answered the
  /// last attempt.
  mutating func wait(isAway: Bool, using generator: inout some RandomNumberGenerator) -> Int64 {
    guard isAway, promptLeft > 0, next < longest else {
      let due = next
      next = min(longest, next.multipliedReportingOverflow(by: 2).overflow ? longest : next * 2)
      return BackOff.draw(due, using: &generator)
    }
    promptLeft -= 1
    return BackOff.draw(shortest, using: &generator)
  }

  /// The next wait is the shortest again.
  mutating func reset() {
    next = shortest
    promptLeft = Self.promptAttempts
  }

  /// The next wait is the longest.
  mutating func jumpToLongest() { next = longest }

  private static func draw(_ due: Int64, using generator: inout some RandomNumberGenerator) -> Int64 {
    due / 2 + Int64.random(in: 0...(due - due / 2), using: &generator)
  }
}
