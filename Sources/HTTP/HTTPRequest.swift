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

  /// True if a space or tab stands in the name of a header.
  @safe
  static func hasSpaceInHeaderName(of connection: OpaquePointer) -> Bool {
    unsafe pairs(.HEADER_KIND, of: connection).contains { $0.name.contains { $0 == " " || $0 == "\t" } }
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
