import EventLoop
import Glibc

/// The last moments of a connection that we leave cleanly: the other side of the library's closed socket.
///
/// The library closes its descriptor as soon as DISCONNECT is written. If the broker has sent something that
/// we have not read, the system answers with a reset, and the broker throws away what it had not read of
/// ours: our last acknowledgements, so that it sends messages again that are done. So a second descriptor of
/// the same socket stays open until the broker has closed its side; what still comes is not ours any more and
/// is read away.
///
/// Source: RFC 1122, section 4.2.2.13: a close with unread data sends a reset.
final class Farewell {
  private let descriptor: Int32
  private let loop: EventLoop
  private var space = [UInt8](repeating: 0, count: 1 << 14)

  /// Takes a second descriptor of a socket, before the first is closed; nil if the process has none left.
  init?(socket: Int32, loop: EventLoop) {
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    self.loop = loop
  }

  deinit {
    loop.unregister(descriptor)
    close(descriptor)
  }

  /// Calls `isReady` whenever something can be read, and until `isWritten` whenever something can be written.
  func watch(_ isReady: @escaping () -> Void) throws(EventLoopFault) {
    try loop.register(descriptor, for: [.read, .write]) { _ in isReady() }
  }

  /// DISCONNECT is on its way: nothing more comes from us. May be called again.
  func isWritten() throws(EventLoopFault) {
    _ = shutdown(descriptor, Int32(SHUT_WR))
    try loop.change(descriptor, to: .read)
  }

  /// Reads away what came. Returns true if nothing more will.
  func isOver() -> Bool {
    while true {
      let count = unsafe recv(descriptor, &space, space.count, Int32(MSG_DONTWAIT))
      if count == 0 { return true }
      if count < 0 && errno != EINTR { return errno != EAGAIN }
    }
  }
}
