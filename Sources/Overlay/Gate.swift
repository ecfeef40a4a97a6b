import HTTP

/// Who may read, and who may change something.
struct Gate {
  /// What every reader must show; nil: the address is enough, since only this machine reaches it.
  let token: [UInt8]?
  /// What our own pages carry, so that a form of a foreign page cannot change anything.
  let pageToken: String
  /// Names under which browsers may reach us.
  let hosts: [String]

  private static let ownHosts = ["localhost", "127.0.0.1", "[::1]"]

  /// The answer for who may not read; nil: welcome.
  func refusal(_ request: HTTPRequest) -> HTTPResponse? {
    // A foreign page could read nothing of an answer, but could take places from readers. It may link to us.
    if request.header("sec-fetch-site") == "cross-site", request.header("sec-fetch-mode") != "navigate" {
      return Gate.refusal(403, "another site's page gets nothing here")
    }
    if token != nil {
      return showsToken(request)
        ? nil
        : Gate.refusal(
          401, "expected the token of overlay.tokenFile, as Authorization: Bearer or ?token=",
          [("WWW-Authenticate", "Bearer")])
    }
    // A page of a foreign name that resolves to our address (DNS rebinding) would be one origin with us.
    guard let host = request.header("host").map(Gate.name),
      Gate.ownHosts.contains(host) || hosts.contains(host)
    else {
      return Gate.refusal(421, "this name is not served, expected localhost or one of overlay.hosts")
    }
    return nil
  }

  /// The answer for who may not change anything; nil: go on.
  func changeRefusal(_ request: HTTPRequest) -> HTTPResponse? {
    if let refusal = refusal(request) { return refusal }
    guard let type = request.header("content-type"), Gate.isJSON(type) else {
      return Gate.refusal(415, "expected application/json")
    }
    if let origin = request.header("origin") {
      let host = request.header("host") ?? ""
      guard origin == "http://\(host)" || origin == "https://\(host)" else {
        return Gate.refusal(403, "another page may not change anything here")
      }
    }
    // Who has the token needs no page of ours.
    if token != nil, request.header("authorization") != nil { return nil }
    guard let shown = request.header("x-page-token"),
      Gate.isEqual(Array(shown.utf8), Array(pageToken.utf8))
    else {
      return Gate.refusal(403, "expected X-Page-Token, which the pages carry; load the page again")
    }
    return nil
  }

  private func showsToken(_ request: HTTPRequest) -> Bool {
    guard let token else { return true }
    let bearer = "Bearer "
    if let header = request.header("authorization") {
      return header.hasPrefix(bearer) && Gate.isEqual(Array(header.dropFirst(bearer.count).utf8), token)
    }
    // EventSource and OBS can send nothing but an address.
    return request.argument("token").map { Gate.isEqual(Array($0.utf8), token) } ?? false
  }

  /// True for `application/json`, whatever parameters follow.
  private static func isJSON(_ type: String) -> Bool {
    let words = type.prefix { $0 != ";" }.lowercased().split { $0 == " " || $0 == "\t" }
    return words == ["application/json"]
  }

  /// The name of `name:port`, with the brackets of an IPv6 address.
  private static func name(_ host: String) -> String {
    let host = host.lowercased()
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy({ "0"..."9" ~= $0 })
    else { return host }
    return String(host[..<colon])
  }

  /// Compares in a time that does not tell how much is right.
  private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  static func refusal(
    _ status: Int, _ text: String, _ headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    var response = HTTPResponse(status: status, "\(text)\n")
    response.headers = headers
    return response
  }
}
