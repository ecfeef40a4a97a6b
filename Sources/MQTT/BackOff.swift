/// How long to wait before the next attempt: twice as long each time, half of it by chance.
///
/// The jitter keeps a thousand clients of a restarted broker from coming back at once.
struct BackOff: Equatable {
  private let shortest: Int64
  private let longest: Int64
  private var next: Int64

  init(shortest: Int64, longest: Int64) {
    self.shortest = shortest
    self.longest = longest
    next = shortest
  }

  /// The next wait in milliseconds: between half of what is due and all of it.
  mutating func wait(using generator: inout some RandomNumberGenerator) -> Int64 {
    let due = next
    next = min(longest, next.multipliedReportingOverflow(by: 2).overflow ? longest : next * 2)
    return due / 2 + Int64.random(in: 0...(due - due / 2), using: &generator)
  }

  /// The next wait is the shortest again.
  mutating func reset() { next = shortest }

  /// The next wait is the longest.
  mutating func jumpToLongest() { next = longest }
}
