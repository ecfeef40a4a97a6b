import CSystemd
import Glibc

/// Tells systemd how the service is (`Type=notify` or `notify-reload`). Outside systemd every call does
/// nothing.
public struct SystemdNotifier: Sendable {
  /// Milliseconds within which systemd wants to hear `watchdog`, or nil if it does not. Call it twice as
  /// often.
  public let watchdogMilliseconds: Int64?

  /// A notifier for the environment that the service was started in.
  public init() {
    var microseconds: UInt64 = 0
    // "sd_watchdog_enabled: > 0 if the watchdog is enabled for this process".
    let isWatched = unsafe sd_watchdog_enabled(0, &microseconds) > 0
    watchdogMilliseconds = isWatched ? Int64(clamping: microseconds / 1000) : nil
  }

  /// The service is up, or done with reloading.
  @discardableResult public func ready() -> Bool { notify("READY=1") }

  /// One line about what it is doing, for `systemctl status`.
  @discardableResult public func status(_ text: String) -> Bool {
    // A newline would begin another assignment.
    notify("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
  }

  /// It reads its configuration again; `ready` says that it is done.
  @discardableResult public func reloading() -> Bool {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    // `Type=notify-reload` wants to know when, on CLOCK_MONOTONIC, to tell this reload from an older one.
    return notify("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  /// It is going down.
  @discardableResult public func stopping() -> Bool { notify("STOPPING=1") }

  /// It is alive.
  @discardableResult public func watchdog() -> Bool { notify("WATCHDOG=1") }

  /// True if systemd was told; false outside systemd, and when its socket does not take it.
  private func notify(_ state: String) -> Bool {
    unsafe sd_notify(0, state) > 0
  }
}
