package import Glibc

/// A loopback address with a port.
package func loopbackAddress(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// Calls a system call that takes a socket address.
package func withAddress<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
  var address = loopbackAddress(port)
  return unsafe withUnsafePointer(to: &address) {
    unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

/// A loopback port that nobody listens on at the moment.
///
/// It lies below the range from which the kernel takes ports for outgoing connections, so that none of these
/// can take it while a broker restarts.
public func findFreePort() throws(ProcessFault) -> UInt16 {
  for _ in 0..<200 {
    let port = UInt16.random(in: 15_000..<32_000)
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard probe >= 0 else { throw .call("socket") }
    defer { close(probe) }
    if unsafe withAddress(port, { unsafe bind(probe, $0, $1) }) == 0 { return port }
  }
  throw ProcessFault("no free port found")
}
