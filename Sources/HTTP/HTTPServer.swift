public import Base
import CMicrohttpd
public import EventLoop
import Glibc

/// An HTTP server inside an event loop: no thread of its own, no handler that blocks.
///
/// Routes are closures that get a whole request and give an answer, of bytes or a stream that goes on. It
/// owns one handle of libmicrohttpd.
@safe
public final class HTTPServer {
  /// The limits.
  public let settings: HTTPSettings
  /// Where it listens; with port 0 the one that the system has chosen.
  public let address: ListenAddress
  /// What it counts.
  public internal(set) var counters = HTTPCounters()

  private struct Route {
    let method: String
    /// Without the star, where it ends with one.
    let path: String
    let hasStar: Bool
    let handler: (HTTPRequest) -> HTTPResponse
  }

  private let loop: EventLoop
  private var routes: [Route] = []
  private var daemon: OpaquePointer?
  private var descriptor: Int32 = -1
  private var timer: (id: TimerID, deadline: Instant)?
  private var streams: [ObjectIdentifier: HTTPStream] = [:]
  var clients = HTTPClients()

  /// Listens. Throws if the address is taken, or cannot be had.
  public init(
    at address: ListenAddress, _ settings: HTTPSettings = HTTPSettings(), loop: EventLoop
  ) throws(HTTPFault) {
    self.settings = settings
    self.loop = loop
    let socket = try ListeningSocket.open(address)
    self.address = socket.address
    // It frees the owner's registration with the handle; `stop` ends both.
    let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe daemon = start_http_server(
      socket.descriptor, answerRequest, requestCompleted, connectionChanged, owner,
      UInt32(settings.maxConnections), UInt32(settings.timeoutSeconds), settings.maxHeadBytes)
    guard let daemon = unsafe daemon else {
      close(socket.descriptor)
      throw .library(self.address)
    }
    descriptor = unsafe http_server_descriptor(daemon)
    do throws(EventLoopFault) {
      try loop.register(descriptor, for: .read) { [unowned self] _ in turn() }
    } catch {
      unsafe MHD_stop_daemon(daemon)
      unsafe self.daemon = nil
      throw .system(call: "epoll_ctl", code: error.code, address: self.address)
    }
  }

  deinit { stop() }

  /// Answers requests of a method and a path; a path that ends with `/*` stands for all below it. The first
  /// route that fits answers. HEAD is answered by the routes of GET.
  public func route(_ method: String, _ path: String, _ handler: @escaping (HTTPRequest) -> HTTPResponse) {
    let hasStar = path.hasSuffix("/*")
    routes.append(
      Route(
        method: method, path: hasStar ? String(path.dropLast()) : path, hasStar: hasStar, handler: handler))
  }

  /// How many clients are connected.
  public var connectionCount: Int {
    guard let daemon = unsafe daemon else { return 0 }
    return unsafe Int(http_server_connections(daemon))
  }

  /// Ends all connections and listens no more. Must not be called by a route.
  public func stop() {
    guard let daemon = unsafe daemon else { return }
    loop.unregister(descriptor)
    if let timer { loop.cancel(timer.id) }
    timer = nil
    // "MHD_stop_daemon() called while we have suspended connections" ends the process.
    for stream in Array(streams.values) { stream.drop() }
    unsafe MHD_stop_daemon(daemon)
    unsafe self.daemon = nil
    if case .socket(let path) = address { _ = unsafe unlink(path) }
  }

  /// Does what the library has to do, and comes back when it wants to.
  private func turn() {
    guard let daemon = unsafe daemon else { return }
    let before = connectionCount
    unsafe MHD_run(daemon)
    // At its limit the library stops listening; only its next turn after somebody has left takes the next
    // one.
    if connectionCount < before { turnSoon() }
    var milliseconds: UInt64 = 0
    guard unsafe MHD_get_timeout(daemon, &milliseconds) == .YES else { return }
    turn(at: loop.clock.now + Int64(clamping: min(milliseconds, 86_400_000)))
  }

  private func turn(at deadline: Instant) {
    // An early call does no harm and a late one does, so a timer only ever comes nearer.
    if let timer {
      if timer.deadline <= deadline { return }
      loop.cancel(timer.id)
    }
    let id = loop.schedule(at: deadline) { [unowned self] in
      timer = nil
      turn()
    }
    timer = (id, deadline)
  }

  // MARK: For the callbacks

  /// What answers a request; a refusal in words if nothing does.
  func answer(method: String, path: String) -> Result<(HTTPRequest) -> HTTPResponse, Refusal> {
    let bytes = path.utf8
    let fitting = routes.filter {
      $0.hasStar ? bytes.starts(with: $0.path.utf8) : bytes.elementsEqual($0.path.utf8)
    }
    let wanted = method == "HEAD" ? "GET" : method
    if let route = fitting.first(where: { $0.method == wanted }) { return .success(route.handler) }
    if fitting.isEmpty { return .failure(Refusal(status: 404, text: "no such page\n")) }
    let methods = Set(fitting.map(\.method)).sorted().joined(separator: ", ")
    return .failure(Refusal(status: 405, text: "expected \(methods)\n", allowed: methods))
  }

  func attach(_ stream: HTTPStream, to connection: OpaquePointer) {
    unsafe stream.attach(to: connection, of: self)
    streams[ObjectIdentifier(stream)] = stream
  }

  func forget(_ stream: HTTPStream) { streams[ObjectIdentifier(stream)] = nil }

  /// A client has come. The last place is never kept by one that asks for nothing: the next client would have
  /// to wait.
  func begin(_ connection: OpaquePointer) {
    unsafe clients.begin(connection)
    guard clients.count >= settings.maxConnections else { return }
    guard let idle = unsafe clients.takeLongestIdle() else { return }
    counters.idleClients += 1
    // The library has no call that ends a connection; it sees this as the client's own end.
    _ = unsafe shutdown(http_connection_socket(idle), Int32(SHUT_RDWR))
    turnSoon()
  }

  /// A connection was resumed. Without a thread of its own the library does not wake for that.
  func turnSoon() { turn(at: loop.clock.now) }
}

/// What the server itself answers to a request that no route gets.
struct Refusal: Error {
  let status: Int
  let text: String
  var allowed: String?

  var response: HTTPResponse {
    var response = HTTPResponse(status: status, text)
    if let allowed { response.headers = [("Allow", allowed)] }
    return response
  }
}
