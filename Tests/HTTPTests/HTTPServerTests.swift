import Base
import EventLoop
import Glibc
import HTTP
import PrivateBroker
import TestSupport
import Testing

/// A server and its clients, in one loop.
private struct Desk {
  let loop: EventLoop
  let server: HTTPServer

  init(at address: ListenAddress = .port4(0), _ change: (inout HTTPSettings) -> Void = { _ in }) throws {
    loop = try EventLoop.forTest()
    var settings = HTTPSettings()
    change(&settings)
    server = try HTTPServer(at: address, settings, loop: loop)
    server.route("GET", "/hello") { _ in HTTPResponse("hello\n") }
    server.route("POST", "/echo") { HTTPResponse(type: "application/octet-stream", bytes: $0.body) }
    server.route("GET", "/page/*") { request in
      HTTPResponse("\(request.path) \(request.argument("a") ?? "-") \(request.header("x-word") ?? "-")")
    }
  }

  func client(isReading: Bool = true) throws -> SocketClient {
    try SocketClient(to: server.address, loop: loop, isReading: isReading)
  }

  /// What is answered to a question whose connection then ends.
  func ask(_ question: String) throws -> String {
    let client = try client()
    client.send(question)
    #expect(loop.turn { client.isClosed })
    return client.text
  }

  func get(_ path: String, _ headers: String = "") throws -> String {
    try ask("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)\r\n")
  }
}

@Suite struct HTTPServerTests {
  @Test func aRouteAnswersItsPath() throws {
    let desk = try Desk()
    let answer = try desk.get("/hello")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("Content-Type: text/plain; charset=utf-8\r\n"))
    #expect(answer.contains("Content-Length: 6\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nhello\n"))
    #expect(desk.server.counters.requests == 1)
  }

  @Test func aConnectionServesSeveralRequests() throws {
    let desk = try Desk()
    let client = try desk.client()
    for count in 1...3 {
      client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(desk.loop.turn { client.text.components("hello\n") == count })
    }
    #expect(!client.isClosed)
    #expect(desk.server.connectionCount == 1)
  }

  @Test func aSocketFileServesToo() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/http"
    let desk = try Desk(at: .socket(path: path))
    #expect(try desk.get("/hello").hasSuffix("hello\n"))
    desk.server.stop()
    #expect(!exists("\(folder.path)/http"))
  }

  @Test func aSocketFileOfADeadServerIsReplacedAndThatOfALiveOneIsNot() throws {
    let folder = try TemporaryFolder()
    let address = ListenAddress.socket(path: "\(folder.path)/http")
    let dead = try ChildProcess([
      "/usr/bin/python3", "-c",
      "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()",
      "\(folder.path)/http",
    ])
    #expect(try dead.wait(milliseconds: 10_000) == 0)
    #expect(exists("\(folder.path)/http"))
    let desk = try Desk(at: address)
    #expect(throws: HTTPFault.addressInUse(address)) { try HTTPServer(at: address, loop: desk.loop) }
    #expect(try desk.get("/hello").hasSuffix("hello\n"))
    try folder.write("no socket", to: "file")
    let file = ListenAddress.socket(path: "\(folder.path)/file")
    #expect(throws: HTTPFault.addressInUse(file)) { try HTTPServer(at: file, loop: desk.loop) }
    #expect(folder.read("file") == "no socket")
  }

  @Test func aPortThatIsTakenIsSaid() throws {
    let desk = try Desk()
    let fault = HTTPFault.addressInUse(desk.server.address)
    #expect(throws: fault) { try HTTPServer(at: desk.server.address, loop: desk.loop) }
    #expect(fault.description == "\(desk.server.address) is taken: something listens there already")
    desk.server.stop()
    let next = try HTTPServer(at: desk.server.address, loop: desk.loop)
    #expect(next.address == desk.server.address)
  }

  @Test func pathArgumentsAndHeadersReachTheRoute() throws {
    let answer = try Desk().get("/page/a%20b?a=1%2F2&c", "X-Word: w\r\n")
    #expect(answer.hasSuffix("\r\n\r\n/page/a b 1/2 w"))
  }

  @Test func whatNoRouteAnswersIsRefusedInWords() throws {
    let desk = try Desk()
    #expect(try desk.get("/nothing").hasPrefix("HTTP/1.1 404 "))
    let wrong = try desk.ask(
      "POST /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    #expect(wrong.hasPrefix("HTTP/1.1 405 "))
    #expect(wrong.contains("Allow: GET\r\n"))
    let head = try desk.ask("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    #expect(head.hasPrefix("HTTP/1.1 200 "))
    #expect(head.hasSuffix("\r\n\r\n"))
    #expect((desk.server.counters.requests, desk.server.counters.refusals) == (1, 2))
  }

  @Test func aBodyUpToItsLimitIsReadAndALongerOneRefused() throws {
    let desk = try Desk { $0.maxBodyBytes = 40_000 }
    let head = "POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    for count in [0, 1, 40_000] {
      let body = String(repeating: "b", count: count)
      let answer = try desk.ask("\(head)Content-Length: \(count)\r\n\r\n\(body)")
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\n\(body)"))
    }
    let long = try desk.ask("\(head)Content-Length: 40001\r\n\r\n")
    #expect(long.hasPrefix("HTTP/1.1 413 "))
    #expect(long.hasSuffix("expected a body of at most 40000 bytes\n"))
    let piece = "2710\r\n\(String(repeating: "b", count: 10_000))\r\n"
    let untold = try desk.ask(
      "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(repeating: piece, count: 5))0\r\n\r\n")
    #expect(untold.hasPrefix("HTTP/1.1 413 ") && untold.hasSuffix("expected a body of at most 40000 bytes\n"))
    let endless = try desk.ask(
      "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(repeating: piece, count: 120))")
    #expect(endless == "")
    #expect((desk.server.counters.requests, desk.server.counters.refusals) == (3, 3))
  }

  /// A second request stands where one of the two ways to read the first has its body.
  @Test(arguments: [
    ("Content-Length: 6\r\nTransfer-Encoding: chunked", "Content-Length"),
    ("Content-Length: 0\r\nContent-Length: 40", "Content-Length"),
    ("Content-Length: 0\r\nHost: y", "Host"),
    ("Transfer-Encoding: gzip, chunked", "chunked"), ("Transfer-Encoding: xchunked", "chunked"),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "chunked"),
  ])
  func whatCanBeReadInTwoWaysIsRefusedAndNothingAfterItIsRead(headers: String, named: String) throws {
    let desk = try Desk()
    let answer = try desk.ask(
      "POST /echo HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
    let start = named == "chunked" ? "HTTP/1.1 501 " : "HTTP/1.1 400 "
    let words = named == "chunked" ? "expected chunked as the only" : "expected one \(named)"
    #expect(answer.hasPrefix(start) && answer.contains(words))
    #expect(answer.components("HTTP/1.1") == 1)
    #expect((desk.server.counters.requests, desk.server.counters.refusals) == (0, 1))
  }

  /// Who takes the name without its space, or goes on with the line, has the second request for the body of
  /// the first.
  @Test(arguments: [
    "Content-Length : 36", "Content-Length\t: 36", "Transfer-Encoding\t: chunked", "Host : y",
    "Content-Length:\r\n 36",
    "Content-Length: 3\r\n 6", "Transfer-Encoding:\r\n\tchunked",
  ])
  func aHeaderThatOthersReadOtherwiseIsRefused(header: String) throws {
    let desk = try Desk()
    let answer = try desk.ask(
      "GET /hello HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(
      answer.hasPrefix("HTTP/1.1 400 ") && answer.hasSuffix("names, on a line each\n"), "\(answer)")
    #expect(answer.components("HTTP/1.1") == 1)
    #expect((desk.server.counters.requests, desk.server.counters.refusals) == (0, 1))
  }

  @Test func aPathThatIsNoTextIsRefused() throws {
    let desk = try Desk()
    #expect(try desk.get("/page/%C3%A9").hasSuffix("/page/é - -"))
    for path in ["/page/%ff", "/page/%C3", "/page/%ED%A0%80", "/hello%00", "/page/a%00b%00"] {
      let answer = try desk.get(path)
      #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.hasSuffix("expected a path in UTF-8\n"), "\(path)")
    }
  }

  @Test func headersOverTheLimitAreRefused() throws {
    let answer = try Desk { $0.maxHeadBytes = 4096 }.get(
      "/hello", "X-Long: \(String(repeating: "x", count: 8000))\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 431 "))
  }

  @Test func noBytesOfAnyKindEndTheServer() throws {
    let desk = try Desk()
    for bytes in [
      "\r\n\r\n", "\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    ] {
      let client = try desk.client()
      client.send(bytes)
      client.close()
    }
    #expect(try desk.get("/hello").hasSuffix("hello\n"))
  }

  @Test func clientsThatAskForNothingKeepNobodyWaiting() throws {
    let desk = try Desk { $0.maxConnections = 4 }
    let slow = try (0..<40).map { _ in try desk.client() }
    for (place, client) in slow.enumerated() { client.send(place % 2 == 0 ? "" : "GET /hello HT") }
    for _ in 0..<3 { #expect(try desk.get("/hello").hasSuffix("hello\n")) }
    // The last places are the newest's.
    #expect(desk.loop.turn { slow.count { !$0.isClosed } <= 3 })
    #expect(desk.server.connectionCount <= 3)
    #expect(desk.server.counters.idleClients >= 37)
  }

  @Test func oneClientTooManyWaitsUntilAStreamIsOver() throws {
    let desk = try Desk { $0.maxConnections = 2 }
    var streams: [HTTPStream] = []
    desk.server.route("GET", "/stream") { _ in
      streams.append(HTTPStream())
      return HTTPResponse(streams.last!)
    }
    for count in 1...2 {
      try desk.client().send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(desk.loop.turn { streams.count == count })
    }
    let third = try desk.client()
    third.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
    desk.loop.turn(for: 100)
    #expect(third.text == "")
    streams[0].finish()
    #expect(desk.loop.turn { third.text.hasSuffix("hello\n") })
    #expect(desk.server.counters.idleClients == 0)
  }

  @Test func aClientThatSaysNothingIsDropped() throws {
    let desk = try Desk { $0.timeoutSeconds = 1 }
    let client = try desk.client()
    client.send("GET /hello HT")
    #expect(desk.loop.turn { client.isClosed })
    #expect(desk.server.connectionCount == 0)
  }
}

extension String {
  /// How often a text stands in it.
  func components(_ part: String) -> Int {
    indices.count { self[$0...].hasPrefix(part) }
  }
}

private func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
