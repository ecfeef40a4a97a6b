/// How often a value fell into each of some fixed ranges. Adding allocates nothing.
public struct Histogram: Equatable, Sendable {
  /// The upper ends of the ranges, rising; a value that is equal belongs to the range.
  public let bounds: [Int64]
  /// How many units of the values are a second.
  public let unitsPerSecond: Int64
  /// How many values fell into each range; the last one has no end.
  public private(set) var counts: [Int]
  /// The sum of all values; saturates.
  public private(set) var sum: Int64 = 0

  /// A histogram without values.
  public init(bounds: [Int64], unitsPerSecond: Int64) {
    precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<), "the ranges rise")
    self.bounds = bounds
    self.unitsPerSecond = unitsPerSecond
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// From 10 ms to 2 min, for what viewers see.
  public static var ofMilliseconds: Histogram {
    Histogram(
      bounds: [10, 50, 100, 250, 500, 1000, 2000, 3000, 5000, 10_000, 30_000, 120_000], unitsPerSecond: 1000)
  }

  /// From 50 µs to 5 s, for what the machine does.
  public static var ofMicroseconds: Histogram {
    Histogram(
      bounds: [
        50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000,
      ], unitsPerSecond: 1_000_000)
  }

  /// How many values there are.
  public var count: Int { counts.reduce(0, +) }

  /// Adds a value.
  public mutating func add(_ value: Int64) {
    var range = 0
    while range < bounds.count, value > bounds[range] { range += 1 }
    counts[range] += 1
    let (total, overflow) = sum.addingReportingOverflow(value)
    sum = overflow ? .max : total
  }
}
