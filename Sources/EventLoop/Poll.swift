import CLinux
import Glibc

/// One epoll descriptor, level-triggered, and the room for what it reports.
@safe
final class Poll {
  private let descriptor: Int32
  private var events = unsafe [epoll_event](repeating: epoll_event(), count: 64)

  init() throws(EventLoopFault) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw EventLoopFault("epoll_create1") }
  }

  deinit { close(descriptor) }

  /// Starts to watch `target`; `token` comes back with what happens to it.
  func add(_ target: Int32, _ interest: Interest, token: UInt64) throws(EventLoopFault) {
    try control(EPOLL_CTL_ADD, target, interest, token: token)
  }

  /// Changes what is wanted of `target`.
  func modify(_ target: Int32, _ interest: Interest, token: UInt64) throws(EventLoopFault) {
    try control(EPOLL_CTL_MOD, target, interest, token: token)
  }

  /// Stops watching `target`.
  func remove(_ target: Int32) {
    // A library may have closed it under us: then epoll has forgotten it, and EBADF or ENOENT is no fault.
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, target, nil)
  }

  /// Waits for something to happen. Returns how many reports there are; 0 after a signal.
  func wait() -> Int {
    let count = unsafe epoll_wait(descriptor, &events, Int32(events.count), -1)
    if count >= 0 { return Int(count) }
    precondition(errno == EINTR, "epoll_wait fails for a reason that is ours")
    return 0
  }

  /// One report of the last wait.
  func report(_ index: Int) -> (token: UInt64, readiness: Readiness) {
    let bits = unsafe events[index].events
    var readiness: Readiness = []
    if bits & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if bits & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if bits & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.hungUp) }
    return (unsafe events[index].data.u64, readiness)
  }

  private func control(
    _ operation: Int32, _ target: Int32, _ interest: Interest, token: UInt64
  ) throws(EventLoopFault) {
    var bits: UInt32 = 0
    if interest.contains(.read) { bits |= EPOLLIN.rawValue }
    if interest.contains(.write) { bits |= EPOLLOUT.rawValue }
    var event = unsafe epoll_event(events: bits, data: epoll_data_t(u64: token))
    guard unsafe epoll_ctl(descriptor, operation, target, &event) == 0 else {
      throw EventLoopFault("epoll_ctl")
    }
  }
}
