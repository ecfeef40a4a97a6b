import CLinux
import Glibc

/// One timerfd on CLOCK_BOOTTIME: readable from the nanosecond on that it is set to.
final class Alarm {
  let descriptor: Int32
  private var setting: Int64 = 0

  init() throws(EventLoopFault) {
    descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    guard descriptor >= 0 else { throw EventLoopFault("timerfd_create") }
  }

  deinit { close(descriptor) }

  /// Sets it to a reading of the boot clock, or with 0 to never. No system call if it is set to that already.
  func set(nanoseconds: Int64) {
    guard nanoseconds != setting else { return }
    setting = nanoseconds
    var specification = itimerspec()
    specification.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    specification.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    let result = unsafe timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &specification, nil)
    precondition(result == 0, "the alarm cannot be set")
  }

  /// Makes it silent after it rang; it has to be set again.
  func silence() {
    var rings: UInt64 = 0
    _ = unsafe read(descriptor, &rings, MemoryLayout<UInt64>.size)
    setting = 0
  }
}
