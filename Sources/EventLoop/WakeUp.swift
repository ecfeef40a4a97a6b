import CLinux
import Glibc

/// A bell that any thread may ring to make a loop call a handler on its own thread.
///
/// Rings before the loop turns count as one. Made by `EventLoop.makeWakeUp`.
public final class WakeUp: Sendable {
  let descriptor: Int32

  init() throws(EventLoopFault) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    guard descriptor >= 0 else { throw EventLoopFault("eventfd") }
  }

  deinit { close(descriptor) }

  /// Rings the bell. Never blocks; safe from any thread and from a signal handler.
  public func wake() {
    // The only failure is EAGAIN at 2^64 − 2 rings that nobody heard: then it rings already.
    _ = eventfd_write(descriptor, 1)
  }

  /// Silences the bell before the handler runs, so that a ring during the handler is heard.
  func clear() {
    var rings: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &rings)
  }
}
