import CMicrohttpd

/// A request, read whole.
public struct HTTPRequest: Equatable, Sendable {
  /// `GET`, `POST`, …
  public let method: String
  /// The path without the query, unescaped: it begins with `/`.
  public let path: String
  /// The body; empty without one.
  public let body: [UInt8]
  private let headers: [Pair]
  private let arguments: [Pair]

  private struct Pair: Equatable, Sendable {
    let name: String
    let value: String
  }

  /// The value of the first header of a name, in whatever case it is written.
  public func header(_ name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }

  /// The value of the first argument of a name in the query; empty if it has none.
  public func argument(_ name: String) -> String? { arguments.first { $0.name == name }?.value }

  /// Reads what the library knows of a request.
  @safe
  init(method: String, path: String, body: [UInt8], of connection: OpaquePointer) {
    self.method = method
    self.path = path
    self.body = body
    headers = unsafe HTTPRequest.pairs(.HEADER_KIND, of: connection)
    arguments = unsafe HTTPRequest.pairs(.GET_ARGUMENT_KIND, of: connection)
  }

  /// The values of all headers of a name, in whatever case it is written.
  @safe
  static func headers(_ name: String, of connection: OpaquePointer) -> [String] {
    let wanted = name.lowercased()
    return unsafe pairs(.HEADER_KIND, of: connection).filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// True if the name of a header is one that others may read as Content-Length or Transfer-Encoding: the
  /// library keeps a space before the colon, and puts a line that is continued behind the name.
  @safe
  static func hasDoubtfulHeaderName(of connection: OpaquePointer) -> Bool {
    let framing = ["content-length", "transfer-encoding"]
    return unsafe pairs(.HEADER_KIND, of: connection).contains { pair in
      let name = pair.name.lowercased()
      return name.contains { $0 == " " || $0 == "\t" }
        || framing.contains { name.hasPrefix($0) && name != $0 }
    }
  }

  private static func pairs(_ kind: MHD_ValueKind, of connection: OpaquePointer) -> [Pair] {
    var pairs: [Pair] = []
    unsafe withUnsafeMutablePointer(to: &pairs) { pointer in
      _ = unsafe MHD_get_connection_values(
        connection, kind,
        { pairs, _, name, value in
          guard let name = unsafe name else { return .YES }
          let pair = unsafe Pair(
            name: String(cString: name), value: value.map { unsafe String(cString: $0) } ?? "")
          unsafe pairs?.assumingMemoryBound(to: [Pair].self).pointee.append(pair)
          return .YES
        }, pointer)
    }
    return pairs
  }
}
