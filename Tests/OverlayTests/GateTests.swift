import Base
import Configuration
import EventLoop
import Glibc
import Overlay
import PrivateBroker
import TestSupport
import Testing
import Wire

/// Who may read, and who may change something.
@Suite struct GateTests {
  private let json = "Content-Type: application/json"

  private func status(_ answer: String) -> String {
    answer.split(separator: " ").dropFirst().first.map(String.init) ?? ""
  }

  @Test func onlyNamesOfThisMachineAreServedWithoutAToken() throws {
    let desk = try Desk { $0.hosts = ["Studio.example"] }
    for host in ["localhost", "localhost:1", "127.0.0.1:9760", "[::1]:5", "LOCALHOST", "studio.example:80"] {
      #expect(status(try desk.ask("GET", "/overlay", ["Host: \(host)"])) == "200", "\(host)")
    }
    for host in [
      "evil.example", "evil.example:9760", "localhost.evil.example", "127.0.0.1.evil.example", "x@localhost",
      "localhost:1 evil", "[::1]:evil", "localhost:1:2",
    ] {
      for path in ["/", "/overlay", "/rooms", "/rooms/r/events"] {
        #expect(status(try desk.ask("GET", path, ["Host: \(host)"])) == "421", "\(host) \(path)")
      }
    }
  }

  @Test func aForeignPageTakesNoPlaceOfAReader() throws {
    let desk = try Desk()
    let foreign = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]
    #expect(status(try desk.ask("GET", "/rooms/r/events", foreign)) == "403")
    #expect(status(try desk.ask("GET", "/overlay", foreign)) == "403")
    #expect(
      status(try desk.ask("GET", "/overlay", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]))
        == "200")
    #expect(
      status(try desk.ask("GET", "/overlay", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"]))
        == "200")
    #expect(desk.gateway.readerCount == 0 && desk.gateway.roomNames.isEmpty)
  }

  @Test func aGiantBodyIsRefusedBeforeItIsRead() throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    let client = try SocketClient(to: desk.gateway.address, loop: desk.loop)
    let head = ["POST /rooms/r/control HTTP/1.1", "Host: localhost", "Content-Length: 99999999999"] + headers
    client.send(head.joined(separator: "\r\n") + "\r\n\r\n{")
    #expect(desk.loop.turn { status(client.text) == "413" })
    let deep = String(repeating: "[", count: 60_000)
    #expect(status(try desk.ask("POST", "/rooms/r/control", headers, body: deep)) == "400")
    #expect(desk.daemon.messages.isEmpty)
  }

  @Test func halfRequestsKeepNoReaderOut() throws {
    let desk = try Desk { $0.maxReaders = 20 }
    let first = try desk.reader()
    var halves: [SocketClient] = []
    for _ in 0..<60 {
      let half = try SocketClient(to: desk.gateway.address, loop: desk.loop)
      half.send("GET /rooms/r/events HTTP/1.1\r\nHost: ")
      halves.append(half)
    }
    let second = try desk.reader()
    desk.command("like", 1)
    #expect(desk.loop.turn { first.marks == ["like:1"] && second.marks == ["like:1"] })
    withExtendedLifetime(halves) {}
  }

  @Test func readersKeepNobodyElseOut() throws {
    let desk = try Desk { $0.maxReaders = 2 }
    let readers = [try desk.reader(), try desk.reader()]
    // More than there are places.
    for _ in 0..<40 {
      let answer = try desk.ask("GET", "/rooms/r/events")
      #expect(status(answer) == "503" && answer.contains("(overlay.maxReaders)"))
    }
    #expect(status(try desk.ask("GET", "/healthz")) == "200")
    #expect(try desk.ask("GET", "/metrics").contains("\nlivecue_overlay_refused_readers_total 40\n"))
    #expect(desk.log.contains("too many readers") && desk.log.contains("maxReaders=2"))
    readers[0].close()
    #expect(desk.loop.turn { desk.gateway.readerCount == 1 })
    _ = try desk.reader()
  }

  @Test func aChangeNeedsJSONTheSameOriginAndThePageToken() throws {
    let desk = try Desk()
    let token = "X-Page-Token: \(try desk.pageToken())"
    let click = #"{"op":"click","group":3,"renderer":"left"}"#
    let path = "/rooms/r/feedback"
    #expect(status(try desk.ask("POST", path, [token], body: click)) == "415")
    #expect(status(try desk.ask("POST", path, [token, "Content-Type: text/plain"], body: click)) == "415")
    let likeJSON = [token, "Content-Type: application/jsonp"]
    #expect(status(try desk.ask("POST", path, likeJSON, body: click)) == "415")
    #expect(status(try desk.ask("POST", path, [json], body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, "X-Page-Token: x"], body: click)) == "403")
    let foreign = [json, token, "Origin: http://evil.example"]
    #expect(status(try desk.ask("POST", path, foreign, body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, token, "Origin: null"], body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, token, "Host: evil.example"], body: click)) == "421")
    #expect(desk.daemon.messages.isEmpty)
    let own = [json + " ; charset=utf-8", token, "Origin: http://\(desk.gateway.address)"]
    #expect(status(try desk.ask("POST", path, own, body: click)) == "202")
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/feedback").count == 1 })
    #expect(desk.daemon.payloads("cue/r/feedback") == [#"{"group":3,"op":"click","renderer":"left"}"#])
  }

  @Test func anOperatorsCommandIsAnsweredWithTheDaemonsReply() throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    let client = try desk.client(
      "POST", "/rooms/r/control", headers + ["Connection: close"], body: #"{"op":"skip","track":"gift/1"}"#)
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/control").count == 1 })
    let command = try #require(desk.daemon.messages.first)
    #expect(command["op"]?.string == "skip" && command["track"]?.string == "gift/1")
    let id = try #require(command["id"]?.string)
    // Replies to others are none of ours.
    desk.daemon.publish(#"{"id":"other","ok":true}"#, to: "cue/r/control/reply")
    desk.daemon.publish("no JSON", to: "cue/r/control/reply")
    let reply = #"{"id":"\#(id)","ok":false,"error":"no-such-track","detail":"x"}"#
    desk.daemon.publish(reply, to: "cue/r/control/reply")
    #expect(desk.loop.turn { client.isClosed })
    #expect(status(client.text) == "200")
    #expect(client.text.contains(reply))
    #expect(!client.text.contains("other"))
  }

  @Test func aTestGoesToControlAsOftenAsWanted() throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    let body = #"{"op":"test","event":{"type":"gift","sender":"Ann","gift":"rose"},"times":10}"#
    let client = try desk.client("POST", "/rooms/r/control", headers, body: body)
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/control").count == 10 })
    let control = try #require(desk.daemon.messages.first)
    #expect(control["op"]?.string == "test")
    #expect(control["event"]?["gift"]?.string == "rose")
    // The daemon's clock is not known yet, and by ours it might be late.
    #expect(control["time"] == nil && control["times"] == nil)
    desk.command("like", 1, at: 5_000_000)
    #expect(desk.loop.turn { desk.gateway.estimatedInstant >= 5_000_000 })
    let late = try desk.client("POST", "/rooms/r/control", headers, body: body)
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/control").count == 20 })
    #expect((desk.daemon.messages.last?["time"]?.integer ?? 0) >= 5_000_000)
    withExtendedLifetime((client, late)) {}
  }

  @Test func commandsWithoutReplyAreBounded() throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    var clients: [SocketClient] = []
    for count in stride(from: 40, through: 200, by: 40) {
      for _ in 0..<40 {
        clients.append(try desk.client("POST", "/rooms/r/control", headers, body: #"{"op":"pause"}"#))
      }
      let areThere = desk.loop.turn { desk.daemon.payloads("cue/r/control").count == count }
      try #require(areThere)
    }
    #expect(status(try desk.ask("POST", "/rooms/r/control", headers, body: #"{"op":"pause"}"#)) == "503")
    // One that is answered makes room.
    let id = try #require(desk.daemon.messages.last?["id"]?.string)
    desk.daemon.publish(#"{"id":"\#(id)","ok":true}"#, to: "cue/r/control/reply")
    #expect(desk.loop.turn { clients.contains { $0.text.contains(id) } })
    clients.append(try desk.client("POST", "/rooms/r/control", headers, body: #"{"op":"pause"}"#))
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/control").count == 201 })
  }

  @Test(arguments: [
    ("/rooms/r/feedback", "{", "400"), ("/rooms/r/feedback", #"{"op":"dance","group":1}"#, "400"),
    ("/rooms/r/feedback", #"{"op":"click"}"#, "400"), ("/rooms/r/feedback", "[]", "400"),
    ("/rooms/r/control", #"{"op":"test","times":3}"#, "400"), ("/rooms/r/control", "[]", "400"),
    ("/rooms/r/control", #"{"op":"test","event":{},"times":0}"#, "400"),
    ("/rooms/r/control", #"{"op":"test","event":{},"times":101}"#, "400"),
    ("/rooms/r/control", #"{"op":"test","event":"x"}"#, "400"), ("/rooms/r/control", "{}", "400"),
    ("/rooms/r/control", #"{"op":"pause","times":2}"#, "400"), ("/rooms/r/control", #"{"op":"fly"}"#, "400"),
    ("/rooms/r/control", #"{"op":"mute"}"#, "400"),
    ("/rooms/r/control", #"{"op":"pause","room":"s"}"#, "400"),
    ("/rooms/r/test", "{}", "404"), ("/rooms/a/b/control", "{}", "404"), ("/rooms/%2B/control", "{}", "404"),
    ("/rooms/%23/feedback", #"{"op":"resync"}"#, "404"),
  ])
  func whatMakesNoSenseIsRefused(path: String, body: String, wanted: String) throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    #expect(status(try desk.ask("POST", path, headers, body: body)) == wanted)
    #expect(desk.daemon.messages.isEmpty)
  }

  @Test func aTokenIsAskedOfEveryReaderWhateverTheName() throws {
    let desk = try Desk(token: "secret")
    let host = "Host: any.example"
    for path in ["/", "/overlay", "/rooms", "/rooms/r/events", "/minimal"] {
      #expect(status(try desk.ask("GET", path, [host])) == "401", "\(path)")
      #expect(status(try desk.ask("GET", "\(path)?token=wrong!", [host])) == "401", "\(path)")
      #expect(status(try desk.ask("GET", path, [host, "Authorization: Bearer secre"])) == "401", "\(path)")
    }
    #expect(status(try desk.ask("GET", "/overlay", [host, "Authorization: Bearer secret"])) == "200")
    #expect(status(try desk.ask("GET", "/overlay?token=secret", [host])) == "200")
    // An author's own program needs no page.
    let bearer = [host, json, "Authorization: Bearer secret"]
    let click = #"{"op":"click","group":3}"#
    #expect(status(try desk.ask("POST", "/rooms/r/feedback", bearer, body: click)) == "202")
    #expect(
      status(try desk.ask("POST", "/rooms/r/feedback?token=secret", [host, json], body: click)) == "403")
  }

  @Test func aPageRunsNothingButOurScripts() throws {
    let desk = try Desk()
    for path in [
      "/", "/overlay", "/page/main.js", "/page/overlay.css", "/page/feed-worker.js", "/themes/neon.js",
      "/docs/README.md",
    ] {
      let answer = try desk.ask("GET", path)
      #expect(status(answer) == "200", "\(path)")
      #expect(answer.contains("script-src 'self'; "), "\(path)")
      #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"), "\(path)")
    }
    #expect(!(try desk.ask("GET", "/overlay")).contains("{{page-token}}"))
    #expect(status(try desk.ask("GET", "/page/../secret")) == "404")
    #expect(status(try desk.ask("GET", "/page/none.js")) == "404")
  }

  @Test func picturesComeFromTheHostsOfTheConfiguration() throws {
    let open = try Desk().ask("GET", "/overlay")
    #expect(open.contains("img-src 'self' data: http: https:; media-src 'self' http: https:;"))
    #expect(open.contains(#"name="picture-hosts" content="*""#))
    let chosen = try Desk { $0.pictureHosts = ["cdn.example", "*.pics.example:8443"] }.ask("GET", "/overlay")
    #expect(chosen.contains("img-src 'self' data: cdn.example *.pics.example:8443; media-src 'self' cdn"))
    #expect(chosen.contains(#"name="picture-hosts" content="cdn.example *.pics.example:8443""#))
    let closed = try Desk { $0.pictureHosts = [] }.ask("GET", "/")
    #expect(closed.contains("img-src 'self' data:; media-src 'self';"))
  }

  @Test func themesAreTheProgramsAndTheFilesOfOneFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write(":root { --accent: red }", to: "mine.css")
    try folder.write("export function show() {}", to: "loud.js")
    try folder.write("body {}", to: "loud.css")
    try folder.write("body {}", to: ".hidden.css")
    try folder.write("secret", to: "notes.txt")
    try folder.write("not ours", to: "neon.css")
    // No files, though they are called so; a link to one is one.
    #expect(unsafe mkdir("\(folder.path)/folder.css", 0o700) == 0)
    #expect(unsafe mkfifo("\(folder.path)/pipe.css", 0o600) == 0)
    #expect(unsafe symlink("loud.css", "\(folder.path)/linked.css") == 0)
    let desk = try Desk { $0.themes = folder.path }
    #expect(try desk.ask("GET", "/themes").hasSuffix(#"["classic","neon","linked","loud","mine"]"#))
    #expect(try desk.ask("GET", "/themes/mine.css").hasSuffix(":root { --accent: red }"))
    #expect(try desk.ask("GET", "/themes/mine.js").hasSuffix("export {};\n"))
    #expect(try desk.ask("GET", "/themes/classic.js").hasSuffix("export {};\n"))
    #expect(try desk.ask("GET", "/themes/loud.js").hasSuffix("export function show() {}"))
    #expect(!(try desk.ask("GET", "/themes/neon.css")).contains("not ours"))
    for file in [
      "notes.txt", ".hidden.css", "none.css", "none.js", "folder.css", "pipe.css", "..%2Fmine.css",
      "../mine.css", "a/mine.css",
      "mine", ".css", "mine.CSS", "%2E%2E/%2E%2E/etc/passwd",
    ] {
      #expect(status(try desk.ask("GET", "/themes/\(file)")) == "404", "\(file)")
    }
    let bare = try Desk { $0.themes = "\(folder.path)/none" }
    #expect(try bare.ask("GET", "/themes").hasSuffix(#"["classic","neon"]"#))
  }
}
