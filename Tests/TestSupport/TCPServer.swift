public import EventLoop
import Glibc
public import PrivateBroker

/// A loopback server of a test: it answers bytes with bytes, or nothing at all.
public final class TCPServer {
  /// Where it listens.
  public let port: UInt16
  private let listener: Int32
  private let loop: EventLoop
  private var connections: [Int32] = []
  private let answer: ([UInt8]) -> [UInt8]

  /// A server whose connections are answered by `answer`, which gets each piece that arrives.
  public init(loop: EventLoop, answer: @escaping ([UInt8]) -> [UInt8]) throws {
    self.loop = loop
    self.answer = answer
    (listener, port) = try makeListener(backlog: 16)
    try loop.register(listener, for: .read) { [unowned self] _ in accept() }
  }

  deinit {
    for connection in connections + [listener] {
      loop.unregister(connection)
      close(connection)
    }
  }

  private func accept() {
    let connection = Glibc.accept(listener, nil, nil)
    guard connection >= 0 else { return }
    connections.append(connection)
    do {
      try loop.register(connection, for: .read) { [unowned self] _ in read(from: connection) }
    } catch {
      preconditionFailure("a connection of the test's server cannot be watched: \(error)")
    }
  }

  private func read(from connection: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(connection, &buffer, buffer.count, 0)
    guard count > 0 else {
      loop.unregister(connection)
      close(connection)
      connections.removeAll { $0 == connection }
      return
    }
    let reply = answer(Array(buffer[..<count]))
    if !reply.isEmpty { _ = unsafe send(connection, reply, reply.count, Int32(MSG_NOSIGNAL)) }
  }
}

/// A port on which the kernel answers no more connects, as behind a firewall that drops packets.
public final class BlackHole {
  /// Where nobody answers.
  public let port: UInt16
  private var descriptors: [Int32] = []

  /// Listens without accepting, and fills the queue of those who wait.
  public init() throws(ProcessFault) {
    let (listener, port) = try makeListener(backlog: 0)
    self.port = port
    descriptors = [listener]
    for _ in 0..<4 {
      let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      guard filler >= 0 else { throw .call("socket") }
      descriptors.append(filler)
      _ = unsafe withAddress(port) { unsafe connect(filler, $0, $1) }
    }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

/// A socket that listens on a loopback port that the kernel chooses.
func makeListener(backlog: Int32) throws(ProcessFault) -> (descriptor: Int32, port: UInt16) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard listener >= 0 else { throw .call("socket") }
  guard unsafe withAddress(0, { unsafe bind(listener, $0, $1) }) == 0, listen(listener, backlog) == 0 else {
    throw .call("listen")
  }
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = unsafe withUnsafeMutablePointer(to: &address) {
    unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(listener, $0, &size) }
  }
  guard code == 0 else { throw .call("getsockname") }
  return (listener, UInt16(bigEndian: address.sin_port))
}
