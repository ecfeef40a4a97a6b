import CMicrohttpd

/// One request and its answer, for as long as the library is concerned with it.
@safe
final class HTTPExchange {
  /// Gone while the server's own end ends its requests.
  private weak var server: HTTPServer?
  private let connection: OpaquePointer
  private let method: String
  /// Nil if its bytes are no text.
  private let path: String?
  private var body: [UInt8] = []
  /// Bytes of a body over its limit that were read and not kept.
  private var excess = 0
  private var handler: ((HTTPRequest) -> HTTPResponse)?
  private var stream: HTTPStream?

  init(_ server: HTTPServer, _ connection: OpaquePointer, method: String, path: String?) {
    self.server = server
    unsafe self.connection = connection
    self.method = method
    self.path = path
  }

  /// The headers are there. What is refused is refused before its body is read.
  func begin() -> MHD_Result {
    guard let server else { return .NO }
    guard let path else { return refuse(Refusal(status: 400, text: "expected a path in UTF-8\n")) }
    if let refusal = framingRefusal() { return refuse(refusal) }
    switch server.answer(method: method, path: path) {
    case .success(let handler):
      self.handler = handler
      return .YES
    case .failure(let refusal): return refuse(refusal)
    }
  }

  /// A request whose end or receiver can be read in two ways is none: a proxy before us may read it in the
  /// other (RFC 9112, sections 3.2, 5.1 and 6.3).
  private func framingRefusal() -> Refusal? {
    let lengths = unsafe HTTPRequest.headers("Content-Length", of: connection)
    let codings = unsafe HTTPRequest.headers("Transfer-Encoding", of: connection)
    if unsafe HTTPRequest.headers("Host", of: connection).count > 1 {
      return Refusal(status: 400, text: "expected one Host\n")
    }
    if unsafe HTTPRequest.hasDoubtfulHeaderName(of: connection) {
      return Refusal(status: 400, text: "expected headers without spaces in their names, on a line each\n")
    }
    if lengths.count > 1 || (!lengths.isEmpty && !codings.isEmpty) {
      return Refusal(status: 400, text: "expected one Content-Length, and none with Transfer-Encoding\n")
    }
    if codings.contains(where: { $0.lowercased() != "chunked" }) || codings.count > 1 {
      return Refusal(status: 501, text: "expected chunked as the only Transfer-Encoding\n")
    }
    if let length = lengths.first, Int(length) ?? .max > maxBodyBytes { return tooLong }
    return nil
  }

  private var maxBodyBytes: Int { server?.settings.maxBodyBytes ?? 0 }
  private var tooLong: Refusal {
    Refusal(status: 413, text: "expected a body of at most \(maxBodyBytes) bytes\n")
  }

  /// A piece of the body. One of untold length that is too long must be read to its end to be answered; that
  /// of somebody who does not come to an end ends the connection.
  func append(_ piece: UnsafeBufferPointer<CChar>) -> MHD_Result {
    if excess == 0, body.count + piece.count <= maxBodyBytes {
      unsafe body.append(contentsOf: piece.map { UInt8(bitPattern: $0) })
      return .YES
    }
    body = []
    excess += piece.count
    guard excess <= HTTPExchange.maxExcess else {
      server?.counters.refusals += 1
      return .NO
    }
    return .YES
  }

  private static let maxExcess = 1 << 20

  /// The request is whole.
  func finish() -> MHD_Result {
    guard let handler, let path, let server else { return .NO }
    unsafe server.clients.noteRequest(of: connection)
    if excess > 0 { return refuse(tooLong) }
    server.counters.requests += 1
    return send(handler(unsafe HTTPRequest(method: method, path: path, body: body, of: connection)))
  }

  /// The library is done with it.
  func end() {
    unsafe server?.clients.noteAnswered(connection)
    guard let stream else { return }
    server?.forget(stream)
    stream.detach()
  }

  private func refuse(_ refusal: Refusal) -> MHD_Result {
    server?.counters.refusals += 1
    // What follows may be the body of what was refused, and must not be read as a request.
    var response = refusal.response
    response.headers.append(("Connection", "close"))
    return send(response)
  }

  private func send(_ response: HTTPResponse) -> MHD_Result {
    var queued: OpaquePointer?
    switch response.body {
    case .bytes(var bytes):
      unsafe queued = bytes.withUnsafeMutableBytes {
        unsafe MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      guard let server else { return .NO }
      unsafe server.attach(stream, to: connection)
      self.stream = stream
      // The response holds on to the stream until the library destroys it.
      unsafe queued = MHD_create_response_from_callback(
        .max, 16_384, readStream, Unmanaged.passRetained(stream).toOpaque(), releaseStream)
    }
    guard let queued = unsafe queued else { return .NO }
    defer { unsafe MHD_destroy_response(queued) }
    let headers = [("Content-Type", response.contentType), ("Cache-Control", "no-store")] + response.headers
    for (name, value) in headers where unsafe MHD_add_response_header(queued, name, value) == .NO {
      preconditionFailure("a header that a route gives is one")
    }
    return unsafe MHD_queue_response(connection, UInt32(response.status), queued)
  }
}

// MARK: What the library calls

/// "The first time only the headers are valid"; then come the pieces of the body, and at last a call without
/// one.
let answerRequest: MHD_AccessHandlerCallback = {
  owner, connection, url, method, _, upload, uploadSize, state in
  guard let owner = unsafe owner, let connection = unsafe connection, let url = unsafe url,
    let method = unsafe method, let state = unsafe state, let uploadSize = unsafe uploadSize
  else { return .NO }
  guard let known = unsafe state.pointee else {
    let server = unsafe Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
    let exchange = unsafe HTTPExchange(
      server, connection, method: String(cString: method), path: String(validatingCString: url))
    unsafe state.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return exchange.begin()
  }
  let exchange = unsafe Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
  guard unsafe uploadSize.pointee > 0 else { return exchange.finish() }
  let piece = unsafe UnsafeBufferPointer(start: upload, count: uploadSize.pointee)
  unsafe uploadSize.pointee = 0
  return unsafe exchange.append(piece)
}

/// The request is over, however it ended: what `answerRequest` kept for it is released.
let requestCompleted: MHD_RequestCompletedCallback = { _, _, state, _ in
  guard let kept = unsafe state?.pointee else { return }
  unsafe state?.pointee = nil
  unsafe Unmanaged<HTTPExchange>.fromOpaque(kept).takeRetainedValue().end()
}

/// A client has come or has left.
let connectionChanged: MHD_NotifyConnectionCallback = { owner, connection, _, change in
  guard let owner = unsafe owner, let connection = unsafe connection else { return }
  let server = unsafe Unmanaged<HTTPServer>.fromOpaque(owner).takeUnretainedValue()
  if change == .CONNECTION_NOTIFY_STARTED {
    unsafe server.begin(connection)
  } else {
    unsafe server.clients.end(connection)
  }
}

private let readStream: MHD_ContentReaderCallback = { stream, _, buffer, count in
  guard let stream = unsafe stream, let buffer = unsafe buffer else { return -2 }
  return unsafe Unmanaged<HTTPStream>.fromOpaque(stream).takeUnretainedValue().read(
    into: buffer, atMost: count)
}

private let releaseStream: MHD_ContentReaderFreeCallback = { stream in
  if let stream = unsafe stream { unsafe Unmanaged<HTTPStream>.fromOpaque(stream).release() }
}
