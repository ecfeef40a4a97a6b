public import EventLoop
import Glibc
import PrivateBroker

/// A wire between MQTT clients and their broker that a test may block or cut, for one client or for all.
public final class Relay {
  /// Where clients connect.
  public let port: UInt16
  private let listener: Int32
  private let serverPort: UInt16
  private let loop: EventLoop
  private var links: [Link] = []
  private var blocked: Set<String> = []

  /// A relay to a port of this machine.
  public init(loop: EventLoop, to serverPort: UInt16) throws {
    self.loop = loop
    self.serverPort = serverPort
    (listener, port) = try makeListener(backlog: 16)
    try loop.register(listener, for: .read) { [unowned self] _ in accept() }
  }

  deinit {
    loop.unregister(listener)
    close(listener)
    for link in links { link.close() }
  }

  /// From now on nothing passes for the client, in either direction, though its connection stands.
  public func block(_ client: String) {
    blocked.insert(client)
    for link in links { pump(link) }
  }

  /// Lets pass what waited, and all that comes.
  public func unblock(_ client: String) {
    blocked.remove(client)
    for link in links { pump(link) }
  }

  /// Ends the client's connection on both sides without a word of MQTT.
  public func cut(_ client: String) {
    for link in links where link.belongs(to: client) { link.close() }
    links.removeAll { $0.isClosed }
  }

  private func accept() {
    let client = Glibc.accept(listener, nil, nil)
    guard client >= 0 else { return }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard server >= 0, unsafe withAddress(serverPort, { unsafe connect(server, $0, $1) }) == 0 else {
      // The broker is not there: for the client it looks as if it had just gone.
      close(client)
      if server >= 0 { close(server) }
      return
    }
    let link = Link(client: client, server: server, loop: loop)
    links.append(link)
    for end in [client, server] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      var one: Int32 = 1
      _ = unsafe setsockopt(
        end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      do {
        try loop.register(end, for: .read) { [unowned self, unowned link] _ in pump(link) }
      } catch {
        preconditionFailure("a connection of the test's relay cannot be watched: \(error)")
      }
    }
  }

  private func pump(_ link: Link) {
    guard !link.isClosed else { return }
    link.isBlocked = blocked.contains { link.belongs(to: $0) }
    link.pump()
    links.removeAll { $0.isClosed }
  }
}

/// One connection that is passed on.
private final class Link {
  /// Bytes of one direction, from their source on their way.
  private struct Direction {
    let source: Int32
    let target: Int32
    var bytes: [UInt8] = []
    /// True if its source has said all.
    var isFinished = false
    /// True if its target knows that.
    var isClosed = false
  }

  private var toServer: Direction
  private var toClient: Direction
  private let loop: EventLoop
  /// What came first: CONNECT, with the client's id in it.
  private var greeting: [UInt8] = []
  var isBlocked = false
  private(set) var isClosed = false

  private static let mostBytes = 1 << 20

  init(client: Int32, server: Int32, loop: EventLoop) {
    toServer = Direction(source: client, target: server)
    toClient = Direction(source: server, target: client)
    self.loop = loop
  }

  func belongs(to client: String) -> Bool {
    String(decoding: greeting, as: UTF8.self).contains(client)
  }

  func pump() {
    guard !isBlocked else { return setInterest() }
    pass(&toServer)
    pass(&toClient)
    if toServer.isClosed && toClient.isClosed { close() } else { setInterest() }
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for end in [toServer.source, toServer.target] {
      loop.unregister(end)
      _ = Glibc.close(end)
    }
  }

  private func pass(_ direction: inout Direction) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while direction.bytes.count < Link.mostBytes, !direction.isFinished {
      let count = unsafe recv(direction.source, &piece, piece.count, 0)
      if count > 0 {
        direction.bytes += piece[..<count]
        if greeting.isEmpty { greeting = Array(piece[..<min(count, 512)]) }
      } else if count == 0 || errno != EAGAIN {
        direction.isFinished = true
      } else {
        break
      }
    }
    let bytes = direction.bytes
    let sent = unsafe send(direction.target, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    if sent > 0 { direction.bytes.removeFirst(sent) }
    // Who does not read any more will never get it.
    if sent < 0 && errno != EAGAIN { direction.bytes.removeAll() }
    if direction.isFinished, direction.bytes.isEmpty, !direction.isClosed {
      direction.isClosed = true
      _ = shutdown(direction.target, Int32(SHUT_WR))
    }
  }

  private func setInterest() {
    do {
      for (from, back) in [(toServer, toClient), (toClient, toServer)] {
        var interest: Interest = []
        if !isBlocked {
          if from.bytes.count < Link.mostBytes && !from.isFinished { interest.insert(.read) }
          if !back.bytes.isEmpty { interest.insert(.write) }
        }
        try loop.change(from.source, to: interest)
      }
    } catch {
      close()
    }
  }
}
