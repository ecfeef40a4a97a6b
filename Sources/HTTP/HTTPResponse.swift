/// What a route answers.
public struct HTTPResponse {
  enum Body {
    case bytes([UInt8])
    case stream(HTTPStream)
  }

  /// The status code.
  public var status: Int
  /// Further headers.
  public var headers: [(name: String, value: String)] = []
  let contentType: String
  let body: Body

  /// An answer of bytes.
  public init(status: Int = 200, type: String = "text/plain; charset=utf-8", bytes: [UInt8]) {
    self.status = status
    contentType = type
    body = .bytes(bytes)
  }

  /// An answer of text.
  public init(status: Int = 200, type: String = "text/plain; charset=utf-8", _ text: String) {
    self.init(status: status, type: type, bytes: Array(text.utf8))
  }

  /// An answer that goes on for as long as its owner writes to it; server-sent events by default. Each
  /// request needs a stream of its own.
  public init(type: String = "text/event-stream", _ stream: HTTPStream) {
    status = 200
    contentType = type
    body = .stream(stream)
  }
}
