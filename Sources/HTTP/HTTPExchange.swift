import CMicrohttpd

/// One request and its answer, for as long as the library is concerned with it.
@safe
final class HTTPExchange {
  /// Gone while the server's own end ends its requests.
  private weak var server: HTTPServer?
  private let connection: OpaquePointer
  private let method: String
  private let path: String
  private var body: [UInt8] = []
  private var handler: ((HTTPRequest) -> HTTPResponse)?
  private var stream: HTTPStream?

  init(_ server: HTTPServer, _ connection: OpaquePointer, method: String, path: String) {
    self.server = server
    unsafe self.connection = connection
    self.method = method
    self.path = path
  }

  /// The headers are there. What is refused is refused before its body is read.
  func begin() -> MHD_Result {
    guard let server else { return .NO }
    let length = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
    if let length = unsafe length, unsafe Int(String(cString: length)) ?? .max > server.settings.maxBodyBytes
    {
      return refuse(
        Refusal(status: 413, text: "expected a body of at most \(server.settings.maxBodyBytes) bytes\n"))
    }
    switch server.answer(method: method, path: path) {
    case .success(let handler):
      self.handler = handler
      return .YES
    case .failure(let refusal): return refuse(refusal)
    }
  }

  /// A piece of the body. A body of untold length that is too long ends the connection: nobody reads it to
  /// its end.
  func append(_ piece: UnsafeBufferPointer<CChar>) -> MHD_Result {
    guard let server, body.count + piece.count <= server.settings.maxBodyBytes else {
      server?.counters.refusals += 1
      return .NO
    }
    unsafe body.append(contentsOf: piece.map { UInt8(bitPattern: $0) })
    return .YES
  }

  /// The request is whole.
  func finish() -> MHD_Result {
    guard let handler, let server else { return .NO }
    server.counters.requests += 1
    unsafe server.clients.noteRequest(of: connection)
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
    return send(refusal.response)
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
      server, connection, method: String(cString: method), path: String(cString: url))
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
