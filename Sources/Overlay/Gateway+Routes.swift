import Base
import Configuration
import EventLoop
import HTTP
import MQTT
import Wire

extension Gateway {
  /// What it answers: pages and their files, a room's stream, and what changes something.
  func addRoutes() {
    for (path, page) in [("/", PageFiles.studio), ("/overlay", PageFiles.overlay)] {
      guarded("GET", path) { [unowned self] _ in
        PageFiles.page(page, pageToken: gate.pageToken, pictureHosts: plan.pictureHosts)
      }
    }
    guarded("GET", "/minimal") { [unowned self] _ in
      PageFiles.pageOfOneFile(PageFiles.minimal, pageToken: gate.pageToken)
    }
    guarded("GET", "/rooms") { [unowned self] _ in roomList() }
    guarded("GET", "/rooms/*") { [unowned self] request in events(request) }
    guarded("GET", "/themes") { [unowned self] _ in
      var bytes: [UInt8] = []
      JSONValue.array(themes.names.map { .string($0) }).append(to: &bytes)
      return HTTPResponse(type: "application/json", bytes: bytes)
    }
    // Scripts and styles are no secret, and a module cannot show a token for those that it loads.
    server.route("GET", "/page/*") { request in
      PageFiles.file(String(request.path.dropFirst("/page/".count)))
        ?? Gate.refusal(404, "no such file")
    }
    server.route("GET", "/docs/*") { request in
      PageFiles.document(String(request.path.dropFirst("/docs/".count)))
        ?? Gate.refusal(404, "no such document")
    }
    server.route("GET", "/themes/*") { [unowned self] request in
      themes.file(String(request.path.dropFirst("/themes/".count)))
        ?? Gate.refusal(404, "no such theme in overlay.themes")
    }
    server.route("GET", "/favicon.ico") { _ in HTTPResponse(status: 204, "") }
    addStatusRoute()
    addHealthRoutes()
    server.route("POST", "/rooms/*") { [unowned self] request in
      counted(gate.changeRefusal(request)) ?? change(request)
    }
  }

  /// A route for who may read.
  func guarded(_ method: String, _ path: String, _ handler: @escaping (HTTPRequest) -> HTTPResponse) {
    server.route(method, path) { [unowned self] in counted(gate.refusal($0)) ?? handler($0) }
  }

  private func counted(_ refusal: HTTPResponse?) -> HTTPResponse? {
    if refusal != nil { refusedRequests += 1 }
    return refusal
  }

  /// `/rooms/{room}/{word}`.
  private func parts(_ request: HTTPRequest) -> (room: String, word: String)? {
    // By bytes: an accent that begins a room is one character with the slash before it.
    let levels = request.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard levels.count == 4 else { return nil }
    let name = Array(levels[2])
    guard TopicLayout.isRoomName(name.span, name.indices) else { return nil }
    return (String(Substring(levels[2])), String(Substring(levels[3])))
  }

  private func roomList() -> HTTPResponse {
    let list = roomNames.map { JSONValue.string($0) }
    var bytes: [UInt8] = []
    JSONValue.object([
      "rooms": .array(list), "readers": .integer(Int64(readerCount)),
      "slowReaders": .integer(Int64(server.counters.slowReaders)),
    ]).append(to: &bytes)
    return HTTPResponse(type: "application/json", bytes: bytes)
  }

  private func events(_ request: HTTPRequest) -> HTTPResponse {
    guard let (room, word) = parts(request), word == "events" else {
      return Gate.refusal(404, "expected /rooms/{room}/events")
    }
    // HEAD asks for the headers of a stream that would never end.
    guard request.method == "GET" else { return HTTPResponse(type: "text/event-stream", "") }
    if let refusal = readerRefusal() { return refusal }
    let lastID = request.header("last-event-id") ?? request.argument("lastEventId")
    return HTTPResponse(open(room, tracks: request.argument("tracks"), lastID: lastID).stream)
  }

  private func change(_ request: HTTPRequest) -> HTTPResponse {
    guard let (room, word) = parts(request), word == "feedback" || word == "control" else {
      return Gate.refusal(404, "expected /rooms/{room}/feedback or /rooms/{room}/control")
    }
    let body: JSONValue
    do throws(JSONFault) {
      body = try JSONValue(request.body.span, maxDepth: 8)
    } catch {
      return Gate.refusal(400, "the body is not JSON of at most 8 levels")
    }
    return word == "feedback" ? feedback(body, room) : control(body, room)
  }

  private func feedback(_ body: JSONValue, _ room: String) -> HTTPResponse {
    let group = body["group"]?.integer
    guard let operation = body["op"]?.string,
      operation == "resync" || (["click", "done", "failed"].contains(operation) && group != nil)
    else {
      return Gate.refusal(400, "expected op to be resync, or click, done or failed with a group")
    }
    if operation == "resync", let feed = rooms[Array(room.utf8)] {
      // The answer comes to all readers, so one question is enough for them.
      ask(feed)
      return HTTPResponse(status: 202, "asked\n")
    }
    var members: [String: JSONValue] = ["op": .string(operation)]
    if let group { members["group"] = .integer(group) }
    if let renderer = body["renderer"]?.string, !renderer.isEmpty {
      members["renderer"] = .string(String(renderer.prefix(64)))
    }
    return publish(.object(members), room, "feedback") ? HTTPResponse(status: 202, "sent\n") : Gateway.away
  }

  static var away: HTTPResponse {
    Gate.refusal(503, "the broker is away or has not taken the last messages yet")
  }
}
