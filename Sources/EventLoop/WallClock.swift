public import Base
import Glibc

/// The daemon's only clock: a start instant plus what CLOCK_BOOTTIME has counted since.
///
/// It never runs backwards and never jumps when the system's time is set, and it goes on while the machine
/// sleeps.
public struct WallClock: Sendable {
  /// The instant that `now` was when the clock was made.
  public let start: Instant
  private let originNanoseconds: Int64

  /// A clock that reads `start` now. The daemon passes the later of the system's time and its lease.
  public init(startingAt start: Instant) {
    self.start = start
    originNanoseconds = Self.nanoseconds(of: CLOCK_BOOTTIME)
  }

  /// The present instant; about 30 ns.
  public var now: Instant {
    start + (Self.nanoseconds(of: CLOCK_BOOTTIME) - originNanoseconds) / 1_000_000
  }

  /// The system's own idea of the time, which people and other programs may set at will.
  public static var systemTime: Instant { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

  /// The reading of CLOCK_BOOTTIME, in nanoseconds, at which `now` becomes `instant`; 1 at least.
  func bootNanoseconds(at instant: Instant) -> Int64 {
    // A far deadline must not trap; an hour short of the end of time is far enough.
    let (length, isFar) = instant.subtractingReportingOverflow(start)
    let (scaled, overflow) = length.multipliedReportingOverflow(by: 1_000_000)
    guard !isFar, !overflow else { return instant < start ? 1 : .max }
    let (sum, tooFar) = scaled.addingReportingOverflow(originNanoseconds)
    return tooFar ? .max : max(1, sum)
  }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "the kernel has no such clock")
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
