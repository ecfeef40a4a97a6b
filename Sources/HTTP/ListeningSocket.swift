import Base
import Glibc

/// Opens the socket of a server.
enum ListeningSocket {
  private static let sendBufferBytes: Int32 = 131_072

  /// A socket that listens, and where: with port 0 the system has chosen one. A socket file that a dead
  /// server has left is replaced; one that somebody listens on is not.
  static func open(_ address: ListenAddress) throws(HTTPFault) -> (descriptor: Int32, address: ListenAddress)
  {
    let descriptor = SocketAddress.makeSocket(for: address)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno, address: address) }
    // What the system holds for a slow reader counts too, and it would hold megabytes. Connections inherit
    // it.
    var size = sendBufferBytes
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    do throws(HTTPFault) {
      try bind(descriptor, address)
      guard listen(descriptor, 64) == 0 else { throw fault("listen", address) }
      return (descriptor, try SocketAddress.bound(descriptor, address))
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func bind(_ descriptor: Int32, _ address: ListenAddress) throws(HTTPFault) {
    if case .socket(let path) = address {
      // Who may reach it is who may enter the folder; the group may write to it.
      let mask = umask(0o007)
      defer { umask(mask) }
      if SocketAddress.bind(descriptor, address) == 0 { return }
      guard errno == EADDRINUSE, try isLeftOver(path, address) else { throw fault("bind", address) }
      _ = unsafe unlink(path)
    } else {
      // So that a restart need not wait for connections of the last run.
      var yes: Int32 = 1
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    guard SocketAddress.bind(descriptor, address) == 0 else { throw fault("bind", address) }
  }

  /// True if the file is a socket that nobody listens on.
  private static func isLeftOver(_ path: String, _ address: ListenAddress) throws(HTTPFault) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let probe = SocketAddress.makeSocket(for: address)
    guard probe >= 0 else { throw .system(call: "socket", code: errno, address: address) }
    defer { close(probe) }
    let isRefused = SocketAddress.connect(probe, address) != 0 && errno == ECONNREFUSED
    if !isRefused { errno = EADDRINUSE }
    return isRefused
  }

  private static func fault(_ call: String, _ address: ListenAddress) -> HTTPFault {
    errno == EADDRINUSE ? .addressInUse(address) : .system(call: call, code: errno, address: address)
  }
}

/// Addresses as the system takes them.
enum SocketAddress {
  static func makeSocket(for address: ListenAddress) -> Int32 {
    let family =
      switch address {
      case .port4, .open4: AF_INET
      case .port6: AF_INET6
      case .socket: AF_UNIX
      }
    // Not blocking: a client that goes between two calls must not keep us.
    return socket(
      family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
  }

  static func bind(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
    unsafe withAddress(address) { unsafe Glibc.bind(descriptor, $0, $1) }
  }

  static func connect(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
    unsafe withAddress(address) { unsafe Glibc.connect(descriptor, $0, $1) }
  }

  /// The address with the port that the system has given.
  static func bound(_ descriptor: Int32, _ address: ListenAddress) throws(HTTPFault) -> ListenAddress {
    if case .socket = address { return address }
    // The port lies at one place in both forms.
    var name = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = unsafe withUnsafeMutablePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size)
      }
    }
    guard code == 0 else { throw .system(call: "getsockname", code: errno, address: address) }
    let port = UInt16(bigEndian: name.sin6_port)
    switch address {
    case .port6: return .port6(port)
    case .open4(let bytes, _): return .open4(bytes, port: port)
    case .port4, .socket: return .port4(port)
    }
  }

  private static func withAddress(
    _ address: ListenAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    switch address {
    case .port4(let port): return unsafe withAddress4([127, 0, 0, 1], port, body)
    case .open4(let bytes, let port): return unsafe withAddress4(bytes, port, body)
    case .port6(let port):
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      name.sin6_addr = in6addr_loopback
      return unsafe call(&name, body)
    case .socket(let path):
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe call(&name, body)
    }
  }

  private static func withAddress4(
    _ bytes: [UInt8], _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
    return unsafe call(&name, body)
  }

  private static func call<Name>(
    _ name: inout Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    unsafe withUnsafePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Name>.size))
      }
    }
  }
}
