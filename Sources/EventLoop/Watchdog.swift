import Base

/// Tells somebody at intervals that the loop still turns. One that hangs tells nothing, and systemd starts it
/// anew.
public final class Watchdog {
  private let intervalMilliseconds: Int64
  private let loop: EventLoop
  private let tell: () -> Void

  /// A watchdog that does nothing before `start`.
  ///
  /// - Parameter limitMilliseconds: How long it may be silent at most; it tells twice as often, as
  ///   sd_watchdog_enabled(3) recommends.
  public init(limitMilliseconds: Int64, loop: EventLoop, tell: @escaping () -> Void) {
    intervalMilliseconds = max(1, limitMilliseconds / 2)
    self.loop = loop
    self.tell = tell
  }

  /// Tells now, and from then on for as long as it lives.
  public func start() {
    tell()
    // Scheduled by the turn that fired, never by a clock of its own: only a loop that turns can tell.
    loop.schedule(at: loop.clock.now + intervalMilliseconds) { [weak self] in self?.start() }
  }
}
