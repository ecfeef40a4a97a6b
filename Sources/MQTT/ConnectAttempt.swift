import EventLoop
import Glibc
import Synchronization

/// What came of looking up the name and connecting.
enum ConnectOutcome: Equatable, Sendable {
  case connected
  case failed(DisconnectReason)
}

/// One attempt to connect, on a thread of its own, because name look-up and connect can block for minutes.
///
/// The thread owns the handle until `isDone`. An attempt that takes too long is simply let go: when the
/// thread comes back it drops the last reference, and with it the handle and its socket.
final class ConnectAttempt: @unchecked Sendable {
  /// Not to be touched before `isDone`.
  let handle: MosquittoHandle
  /// Rings when the attempt is done.
  let wakeUp: WakeUp
  private var result = ConnectOutcome.connected
  // The thread writes `result` before it releases, and the loop reads it after it acquires.
  private let done = Atomic<Bool>(false)

  /// An attempt that has not begun.
  init(_ handle: MosquittoHandle, wakeUp: WakeUp) {
    self.handle = handle
    self.wakeUp = wakeUp
  }

  /// True once the thread has finished with the handle.
  var isDone: Bool { done.load(ordering: .acquiring) }

  /// What came of it. Only after `isDone`.
  var outcome: ConnectOutcome {
    precondition(isDone, "an attempt is asked for its outcome while it is under way")
    return result
  }

  /// Starts the thread. Returns 0, or the code of `pthread_create`.
  func begin() -> Int32 {
    var thread = pthread_t()
    let reference = unsafe Unmanaged.passRetained(self)
    let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      guard let argument = unsafe argument else { return nil }
      let attempt = unsafe Unmanaged<ConnectAttempt>.fromOpaque(argument).takeRetainedValue()
      attempt.result = attempt.handle.connect()
      attempt.done.store(true, ordering: .releasing)
      attempt.wakeUp.wake()
      return nil
    }
    let code = unsafe pthread_create(&thread, nil, body, reference.toOpaque())
    guard code == 0 else {
      unsafe reference.release()
      return code
    }
    // Nobody joins it: it may be blocked for longer than we live.
    return pthread_detach(thread)
  }
}
