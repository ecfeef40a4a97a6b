import Glibc

/// The benchmark's clock.
enum Clock {
  /// Seconds since some instant; only goes forward.
  static var seconds: Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The counter of allocations.c, where that is preloaded.
enum Allocations {
  private typealias Counter = @convention(c) () -> UInt64

  private static let counter: Counter? = {
    guard let symbol = unsafe dlsym(nil, "livecue_allocations") else { return nil }
    return unsafe unsafeBitCast(symbol, to: Counter.self)
  }()

  /// Allocations so far; nil if nobody counts.
  static var count: UInt64? { counter?() }
}
