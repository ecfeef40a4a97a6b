public import Base
public import EventLoop
import Glibc
import PrivateBroker

/// A client of a test's server that sends bytes and keeps what comes.
public final class SocketClient {
  /// All that came.
  public private(set) var received: [UInt8] = []
  /// True if the server has closed the connection.
  public private(set) var isClosed = false
  private let descriptor: Int32
  private let loop: EventLoop

  /// Connects. `isReading` false: it takes nothing of what comes. `roomBytes`: what the kernel keeps for it.
  public init(
    to address: ListenAddress, loop: EventLoop, isReading: Bool = true, roomBytes: Int32 = 4096
  ) throws {
    self.loop = loop
    let family = if case .socket = address { AF_UNIX } else { AF_INET }
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ProcessFault.call("socket") }
    var size = roomBytes
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    // The kernel of this machine takes a connection at once, whether the server is awake or not.
    guard connectSocket(descriptor, address) == 0 else { throw ProcessFault.call("connect") }
    if isReading { try loop.register(descriptor, for: .read) { [unowned self] _ in read() } }
  }

  deinit { close() }

  /// What came, as text.
  public var text: String { String(decoding: received, as: UTF8.self) }

  /// Sends text.
  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(
          descriptor, $0.baseAddress.map { unsafe $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
      }
      // The server may have closed it: then nobody is told.
      guard count > 0 else { return }
      start += count
    }
  }

  /// Leaves.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unregister(descriptor)
    Glibc.close(descriptor)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] } else { close() }
  }
}

private func connectSocket(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
  switch address {
  case .port4(let port), .port6(let port), .open4(_, let port):
    return unsafe withAddress(port) { unsafe connect(descriptor, $0, $1) }
  case .socket(let path):
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    return unsafe withUnsafePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
