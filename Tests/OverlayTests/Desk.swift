import Base
import Configuration
import EventLoop
import MQTT
import Overlay
import PrivateBroker
import Telemetry
import TestSupport
import Testing

/// A broker, a gateway, and a client that plays the daemon and hears what the gateway says, in one loop.
final class Desk {
  let loop: EventLoop
  let broker: PrivateBroker
  let gateway: Gateway
  let daemon: Client

  static let now: Instant = 1_000_000

  /// `kept`: a snapshot of the room r that the broker kept from earlier.
  init(token: String? = nil, kept: String? = nil, _ change: (inout OverlayPlan) -> Void = { _ in }) throws {
    loop = try EventLoop(clock: WallClock(startingAt: Desk.now))
    broker = try PrivateBroker()
    var plan = OverlayPlan()
    plan.listen = .port4(0)
    change(&plan)
    var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "overlay")
    settings.sessionExpirySeconds = 0
    daemon = try Client(
      "daemon", filters: ["cue/+/feedback", "cue/+/control"], port: broker.port, loop: loop)
    let lines = Lines()
    gateway = try Gateway(
      plan, outputs: OutputPlan(), settings: settings, token: token.map { Array($0.utf8) }, loop: loop,
      log: Log(threshold: .debug, format: .plain, repeatMilliseconds: 0) { line in
        lines.text += String(decoding: copy line, as: UTF8.self)
        return true
      }, generator: SystemRandomNumberGenerator())
    self.lines = lines
    if let kept { daemon.publish(Array(kept.utf8), to: "cue/r/snapshot", retain: true) }
    let isDaemonReady = loop.turn { [unowned self] in daemon.isReady && daemon.isDone }
    try #require(isDaemonReady)
    gateway.start()
    let isReady = loop.turn { [unowned self] in gateway.isSubscribed }
    try #require(isReady)
  }

  private final class Lines { var text = "" }
  private let lines: Lines
  var log: String { lines.text }

  /// Publishes a command of a room.
  func command(_ track: String, _ sequence: Int, at instant: Instant = Desk.now, room: String = "r") {
    daemon.publish(
      #"{"v":1,"room":"\#(room)","track":"\#(track)","epoch":1,"seq":\#(sequence),"at":\#(instant),"op":"x"}"#,
      to: "cue/\(room)/\(track)")
  }

  /// Publishes a snapshot of a room.
  func snapshot(_ mark: Int, room: String = "r") {
    daemon.publish(
      #"{"v":1,"room":"\#(room)","epoch":1,"at":1,"now":\#(Desk.now),"waiting":\#(mark)}"#,
      to: "cue/\(room)/snapshot")
  }

  /// A client that asks, with headers that a browser of this machine sends.
  func client(_ method: String, _ path: String, _ headers: [String] = [], body: String = "") throws
    -> SocketClient
  {
    let client = try SocketClient(to: gateway.address, loop: loop)
    var lines = ["\(method) \(path) HTTP/1.1"] + headers
    if !headers.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: \(gateway.address)") }
    if method == "POST" { lines.append("Content-Length: \(body.utf8.count)") }
    client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return client
  }

  /// The answer to a question whose connection then ends.
  func ask(_ method: String, _ path: String, _ headers: [String] = [], body: String = "") throws -> String {
    let client = try client(method, path, headers + ["Connection: close"], body: body)
    let isAnswered = loop.turn { client.isClosed }
    try #require(isAnswered)
    return client.text
  }

  /// A reader of a room's stream whose first words have come.
  func reader(_ path: String = "/rooms/r/events", lastID: String? = nil) throws -> SocketClient {
    let reader = try SocketClient(to: gateway.address, loop: loop, roomBytes: 1 << 20)
    // HTTP/1.0: what comes is not in pieces.
    let last = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    reader.send("GET \(path) HTTP/1.0\r\nHost: localhost\r\n\(last)\r\n")
    let hasBegun = loop.turn { reader.text.contains("retry: 300\n") }
    try #require(hasBegun, "\(reader.text)")
    return reader
  }

  /// What a page of ours carries.
  func pageToken() throws -> String {
    let page = try ask("GET", "/overlay")
    let start = try #require(page.range(of: "name=\"page-token\" content=\""))
    return String(page[start.upperBound...].prefix { $0 != "\"" })
  }
}

extension String {
  /// Where a text first stands in it.
  func range(of part: String) -> Range<String.Index>? {
    guard let start = indices.first(where: { self[$0...].hasPrefix(part) }) else { return nil }
    return start..<index(start, offsetBy: part.count)
  }
}

extension SocketClient {
  /// The marks of what came, in order: `s7` for a snapshot with 7 waiting, `gift/0:3` for command 3 of a
  /// track.
  var marks: [String] {
    received.split(separator: 10).filter { $0.starts(with: Array("data: {\"v\"".utf8)) }.map { line in
      let head = String(decoding: line.prefix(300), as: UTF8.self)
      func after(_ name: String) -> Substring? {
        head.range(of: name).map { head[$0.upperBound...].prefix { !",\"}".contains($0) } }
      }
      if let waiting = after("\"waiting\":") { return "s\(waiting)" }
      return "\(after("\"track\":\"") ?? ""):\(after("\"seq\":") ?? "")"
    }
  }

  /// The number of the last event.
  var lastID: String {
    let line = text.split(separator: "\n").last { $0.hasPrefix("id: ") } ?? ""
    return String(line.dropFirst(4)).split(separator: "\r").first.map(String.init) ?? ""
  }
}
