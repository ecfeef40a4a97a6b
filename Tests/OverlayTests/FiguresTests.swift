import Base
import Configuration
import Overlay
import PrivateBroker
import TestSupport
import Testing

/// `/metrics`, `/readyz` and `/healthz` of the overlay.
@Suite struct FiguresTests {
  /// The figures of a scrape: names with their labels.
  private func scrape(_ desk: Desk) throws -> [String: Double] {
    var figures: [String: Double] = [:]
    for line in try desk.ask("GET", "/metrics").split(whereSeparator: \.isNewline)
    where line.hasPrefix("livecue_") {
      guard let space = line.lastIndex(of: " ") else { continue }
      figures[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
    return figures
  }

  @Test func theyAreWhatHappened() throws {
    let desk = try Desk { $0.maxRooms = 2 }
    let reader = try desk.reader()
    for sequence in 1...3 { desk.command("gift/0", sequence) }
    for room in ["a", "b", "c"] { desk.snapshot(1, room: room) }
    #expect(
      desk.loop.turn { reader.marks.contains("gift/0:3") && desk.log.split(separator: "\n").count == 2 })
    _ = try desk.ask("GET", "/rooms", ["Host: evil.example"])
    _ = try desk.ask("GET", "/nothing")
    let figures = try scrape(desk)
    let expected: [String: Double] = [
      "livecue_overlay_subscribed": 1, "livecue_overlay_readers": 1, "livecue_overlay_rooms": 2,
      "livecue_overlay_messages_total": 6, "livecue_overlay_rooms_not_kept_total": 2,
      "livecue_overlay_refused_requests_total": 1,
      "livecue_http_refusals_total": 1, "livecue_overlay_slow_readers_total": 0,
      "livecue_overlay_refused_messages_total": 0, "livecue_overlay_connection_losses_total": 0,
    ]
    for (name, value) in expected { #expect(figures[name] == value, "\(name)") }
    #expect(desk.log.contains("too many rooms") && desk.log.contains("maxRooms=2"))
  }

  @Test func itIsReadyOnlyWhileTheBrokerDelivers() throws {
    let desk = try Desk()
    #expect(try desk.ask("GET", "/readyz").hasSuffix("\r\n\r\nready\n"))
    try desk.broker.stop()
    #expect(desk.loop.turn { !desk.gateway.isSubscribed })
    let answer = try desk.ask("GET", "/readyz")
    #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("the broker delivers no commands"))
    #expect(try desk.ask("GET", "/healthz").hasSuffix("live\n"))
    #expect(try scrape(desk)["livecue_overlay_subscribed"] == 0)
  }

  @Test func itTellsWhichDaemonsServe() throws {
    let desk = try Desk()
    func instances() throws -> String {
      let answer = try desk.ask("GET", "/status")
      return String(answer[try #require(answer.range(of: "\r\n\r\n")).upperBound...])
    }
    #expect(try instances() == #"{"instances":{},"subscribed":true}"#)
    desk.daemon.publish(
      Array(#"{"state":"online","version":"1"}"#.utf8), to: "livecue/main/status", retain: true)
    desk.daemon.publish(#"{"state":"offline"}"#, to: "livecue/left/status")
    desk.daemon.publish("no JSON", to: "livecue/bad/status")
    desk.daemon.publish(#"{"state":3}"#, to: "livecue/odd/status")
    desk.daemon.publish(#"{"state":"\#(String(repeating: "x", count: 65))"}"#, to: "livecue/long/status")
    #expect(desk.loop.turn { desk.gateway.refusedMessages == 3 && desk.gateway.instances.count == 2 })
    #expect(try instances() == #"{"instances":{"left":"offline","main":"online"},"subscribed":true}"#)
    #expect(try scrape(desk)["livecue_overlay_daemons_online"] == 1)
    // What is known is the broker's word, which is gone with it.
    try desk.broker.stop()
    #expect(desk.loop.turn { !desk.gateway.isSubscribed })
    #expect(try instances() == #"{"instances":{},"subscribed":false}"#)
    try desk.broker.start()
    #expect(desk.loop.turn { desk.gateway.instances == ["main": "online"] })
    desk.daemon.publish([], to: "livecue/main/status", retain: true)
    #expect(desk.loop.turn { desk.gateway.instances.isEmpty })
  }

  @Test func alertsNameOnlyWhatThereIs() throws {
    let known = Set(try scrape(Desk()).keys)
    let alerts = String(decoding: readBytes(checkoutPath("config/alerts.yaml")), as: UTF8.self)
    let mentioned = Set(
      alerts.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init).filter {
        $0.hasPrefix("livecue_overlay_")
      })
    #expect(!mentioned.isEmpty && mentioned.isSubset(of: known))
  }

  @Test func promtoolAcceptsAScrape() throws {
    let desk = try Desk()
    let answer = try desk.ask("GET", "/metrics")
    let head = try #require(answer.range(of: "\r\n\r\n"))
    let folder = try TemporaryFolder()
    try folder.write(String(answer[head.upperBound...]), to: "scrape")
    let tool = try ChildProcess([
      "sh", "-c", #"cd "$0" && promtool check metrics <scrape >output 2>&1"#, folder.path,
    ])
    #expect(try tool.wait(milliseconds: 20_000) == 0, "\(folder.read("output"))")
    #expect(folder.read("output") == "")
  }
}
