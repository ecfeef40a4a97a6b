import Base
import Configuration
import EventLoop
import Overlay
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
    ] {
      for path in ["/", "/overlay", "/rooms", "/rooms/r/events"] {
        #expect(status(try desk.ask("GET", path, ["Host: \(host)"])) == "421", "\(host) \(path)")
      }
    }
  }

  @Test func aChangeNeedsJSONTheSameOriginAndThePageToken() throws {
    let desk = try Desk()
    let token = "X-Page-Token: \(try desk.pageToken())"
    let click = #"{"op":"click","group":3,"renderer":"left"}"#
    let path = "/rooms/r/feedback"
    #expect(status(try desk.ask("POST", path, [token], body: click)) == "415")
    #expect(status(try desk.ask("POST", path, [token, "Content-Type: text/plain"], body: click)) == "415")
    #expect(status(try desk.ask("POST", path, [json], body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, "X-Page-Token: x"], body: click)) == "403")
    let foreign = [json, token, "Origin: http://evil.example"]
    #expect(status(try desk.ask("POST", path, foreign, body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, token, "Origin: null"], body: click)) == "403")
    #expect(status(try desk.ask("POST", path, [json, token, "Host: evil.example"], body: click)) == "421")
    #expect(desk.daemon.messages.isEmpty)
    let own = [json, token, "Origin: http://\(desk.gateway.address)"]
    #expect(status(try desk.ask("POST", path, own, body: click)) == "202")
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/feedback").count == 1 })
    #expect(desk.daemon.payloads("cue/r/feedback") == [#"{"group":3,"op":"click","renderer":"left"}"#])
  }

  @Test func aTestGoesToControlAsOftenAsWanted() throws {
    let desk = try Desk()
    let headers = [json, "X-Page-Token: \(try desk.pageToken())"]
    let body = #"{"event":{"type":"gift","sender":"Ann","gift":"rose"},"times":10}"#
    #expect(status(try desk.ask("POST", "/rooms/r/test", headers, body: body)) == "202")
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/control").count == 10 })
    let control = try #require(desk.daemon.messages.first)
    #expect(control["op"]?.string == "test")
    #expect(control["event"]?["gift"]?.string == "rose")
    #expect((control["time"]?.integer ?? 0) >= Desk.now)
  }

  @Test(arguments: [
    ("/rooms/r/feedback", "{", "400"), ("/rooms/r/feedback", #"{"op":"dance","group":1}"#, "400"),
    ("/rooms/r/feedback", #"{"op":"click"}"#, "400"), ("/rooms/r/feedback", "[]", "400"),
    ("/rooms/r/test", #"{"times":3}"#, "400"), ("/rooms/r/test", #"{"event":{},"times":0}"#, "400"),
    ("/rooms/r/test", #"{"event":{},"times":101}"#, "400"), ("/rooms/r/test", #"{"event":"x"}"#, "400"),
    ("/rooms/r/control", "{}", "404"), ("/rooms/a/b/test", "{}", "404"), ("/rooms/%2B/test", "{}", "404"),
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
    for path in ["/", "/overlay", "/page/main.js", "/page/overlay.css", "/page/feed-worker.js"] {
      let answer = try desk.ask("GET", path)
      #expect(status(answer) == "200", "\(path)")
      #expect(answer.contains("script-src 'self'; "), "\(path)")
      #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"), "\(path)")
    }
    #expect(!(try desk.ask("GET", "/overlay")).contains("{{page-token}}"))
    #expect(status(try desk.ask("GET", "/page/../secret")) == "404")
    #expect(status(try desk.ask("GET", "/page/none.js")) == "404")
  }
}
