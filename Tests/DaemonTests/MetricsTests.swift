import Base
import Daemon
import EventLoop
import MQTT
import PrivateBroker
import TestSupport
import Testing
import Wire

private let withMetrics = "metrics: {listen: '127.0.0.1:0', statsSeconds: 0}"

extension Studio {
  /// What the daemon's metrics server answers: status and body.
  func get(_ path: String) throws -> (status: Int, body: String) {
    let client = try SocketClient(to: try #require(daemon.metricsAddress), loop: loop)
    client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let isClosed = loop.turn { client.isClosed }
    try #require(isClosed)
    let text = client.text.replacing("\r\n", with: "\n")
    let head = try #require(text.firstRange(of: "\n\n"))
    let status = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return (status, String(text[head.upperBound...]))
  }

  /// The figures of a scrape: names with their labels.
  func scrape() throws -> [String: Double] {
    var figures: [String: Double] = [:]
    for line in try get("/metrics").body.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      figures[String(parts[0])] = Double(parts[1])
    }
    return figures
  }

  /// Turns until `/readyz` answers with a status; it is asked again only when the last answer is there.
  func awaitReadiness(_ status: Int) throws -> String {
    let deadline = loop.clock.now + 5000
    while loop.clock.now < deadline {
      let answer = try get("/readyz")
      if answer.status == status { return answer.body }
    }
    Issue.record("/readyz did not answer \(status) within five seconds")
    return ""
  }
}

/// What the metrics server tells of a daemon that works.
@Suite struct MetricsTests {
  @Test func theFiguresAreWhatHappened() throws {
    let studio = try Studio("\(quickGifts)\n\(withMetrics)")
    try studio.open()
    studio.source.publish(
      #"[{"id":"1","sender":"a","gift":"g","count":3},{"id":"1","sender":"a","gift":"g"},{"sender":"b"}]"#,
      to: "im/r1/gift")
    studio.source.publish(#"{"sender":"a","gift":"h","total":5}"#, to: "im/r2/gift")
    studio.source.publish(#"{"sender":"a","gift":"h","total":5}"#, to: "im/r2/gift")
    studio.source.publish(#"{"sender":"a","text":"hello"}"#, to: "im/r1/comment")
    studio.source.publish(#"{"sender":"a","count":9}"#, to: "im/r1/like")
    studio.source.publish("nonsense", to: "im/r1/like")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 8 })
    #expect(
      studio.loop.turn { studio.viewer.renderer.commands.count { $0["op"] == .string("hide") } == 2 })
    let figures = try studio.scrape()
    let expected: [String: Double] = [
      "livecue_ready": 1, #"livecue_connected{connection="in"}"#: 1,
      #"livecue_connected{connection="out"}"#: 1, "livecue_batches_total": 6,
      #"livecue_events_total{kind="gift"}"#: 3, #"livecue_events_total{kind="comment"}"#: 1,
      #"livecue_events_total{kind="like"}"#: 1, #"livecue_rejections_total{reason="missing-gift"}"#: 1,
      #"livecue_rejections_total{reason="not-json"}"#: 1, #"livecue_rejections_total{reason="too-deep"}"#: 0,
      #"livecue_duplicates_total{layer="event_id"}"#: 1, #"livecue_duplicates_total{layer="streak"}"#: 1,
      "livecue_gifts_accepted_total": 8, "livecue_gifts_shown_total": 8, "livecue_gifts_pending": 0,
      #"livecue_commands_total{track="gift"}"#: 8, #"livecue_commands_total{track="comment"}"#: 1,
      "livecue_wait_seconds_count": 2, #"livecue_wait_seconds_bucket{le="+Inf"}"#: 2,
      "livecue_hold_seconds_count": 2, #"livecue_hold_seconds_bucket{le="0.05"}"#: 2, "livecue_rooms": 2,
      "livecue_rooms_opened_total": 2, "livecue_groups_waiting_most": 0, "livecue_recorded_total": 6,
      "livecue_outbox_messages": 0, "livecue_sessions_lost_total": 0, "livecue_store_writable": 1,
      #"livecue_build_info{version="1.2.3"}"#: 1,
    ]
    for (name, value) in expected { #expect(figures[name] == value, "\(name)") }
    #expect(figures["process_resident_memory_bytes"] ?? 0 > 1e6)
    #expect(figures["livecue_last_batch_timestamp_seconds"] ?? 0 >= 1_700_000_000)
    // No label grows with rooms or users.
    #expect(!figures.keys.contains { $0.contains("r1") || $0.contains("hello") })
  }

  @Test func promtoolAcceptsAScrape() throws {
    let studio = try Studio("\(quickGifts)\n\(withMetrics)")
    try studio.open()
    studio.source.publish(#"{"sender":"a","gift":"g"}"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 1 })
    let folder = try TemporaryFolder()
    try folder.write(try studio.get("/metrics").body, to: "scrape")
    let tool = try ChildProcess([
      "sh", "-c", #"cd "$0" && promtool check metrics <scrape >output 2>&1"#, folder.path,
    ])
    #expect(try tool.wait(milliseconds: 20_000) == 0, "\(folder.read("output"))")
    #expect(folder.read("output") == "")
  }

  @Test func waitingGroupsAreCountedInTheFullestRoom() throws {
    let studio = try Studio("gift: {showMs: 5000}\n\(withMetrics)")
    try studio.open()
    for (room, count) in [("r1", 5), ("r2", 8)] {
      for number in 0..<count {
        studio.source.publish(#"{"sender":"s\#(number)","gift":"g"}"#, to: "im/\(room)/gift")
      }
    }
    #expect(
      studio.loop.turn { studio.viewer.renderer.commands.count == 6 && studio.source.isDone })
    let figures = try studio.scrape()
    #expect(figures["livecue_groups_waiting"] == 7)
    #expect(figures["livecue_groups_waiting_most"] == 5)
    #expect(figures["livecue_gifts_pending"] == 13)
  }

  @Test func theBrokersDropsAreTold() throws {
    var options = PrivateBroker.Options()
    options.maxInflightMessages = 1
    options.extraLines = ["sys_interval 1", "max_queued_messages 1"]
    let studio = try Studio(withMetrics, options: options)
    try studio.open()
    // Somebody who is away, and whose queue is full.
    let away = try Client("away", filters: ["for/away"], port: studio.broker.port, loop: studio.loop)
    #expect(studio.loop.turn { away.isReady })
    away.connection.disconnect()
    #expect(studio.loop.turn { away.connection.isIdle })
    for _ in 0..<10 { studio.source.publish("x", to: "for/away") }
    let deadline = studio.loop.clock.now + 10_000
    var drops: Double = 0
    while drops == 0, studio.loop.clock.now < deadline {
      drops = try studio.scrape()["livecue_broker_dropped_messages_total"] ?? 0
    }
    #expect(drops >= 5)
  }
}

/// `/healthz`, `/readyz` and the address itself.
@Suite struct ReadinessTests {
  @Test func itIsReadyOnlyWhileTheBrokerIsThere() throws {
    let studio = try Studio("\(quickGifts)\n\(withMetrics)")
    try studio.open()
    #expect(try studio.get("/readyz") == (200, "ready\n"))
    try studio.broker.stop()
    let reasons = try studio.awaitReadiness(503)
    #expect(reasons.contains("not subscribed: ") || reasons.contains("not publishing: "))
    #expect(studio.loop.turn { !studio.daemon.isServing })
    #expect(try studio.get("/healthz") == (200, "live\n"))
    #expect(try studio.scrape()["livecue_ready"] == 0)
    try studio.broker.start()
    #expect(try studio.awaitReadiness(200) == "ready\n")
    #expect(try studio.scrape()[#"livecue_reconnects_total{connection="in"}"#] == 1)
  }

  @Test func aTakenAddressIsSaidAndTheDaemonServes() throws {
    let studio = try Studio(withMetrics)
    try studio.open()
    let address = try #require(studio.daemon.metricsAddress)
    let log = LogLines()
    let second = try makeDaemon(
      "instance: second\nmetrics: {listen: '\(address)', statsSeconds: 0}", port: studio.broker.port,
      loop: studio.loop, log: log)
    try second.start()
    #expect(studio.loop.turn { second.isServing })
    #expect(second.metricsAddress == nil)
    #expect(log.count("\(address) is taken: something listens there already") == 1)
    // The first still answers.
    #expect(try studio.get("/stats").body.contains(#""instance":"main""#))
  }
}

/// The retained message.
@Suite struct StatsTests {
  @Test func theSameFiguresAreRetained() throws {
    let studio = try Studio("\(quickGifts)\nmetrics: {listen: '127.0.0.1:0', statsSeconds: 1}")
    try studio.open()
    studio.source.publish(#"{"sender":"a","gift":"g","count":4}"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 4 })
    let count = studio.viewer.payloads("livecue/main/stats").count
    #expect(studio.loop.turn { studio.viewer.payloads("livecue/main/stats").count == count + 2 })
    let late = try studio.lateViewer("livecue/main/stats")
    #expect(studio.loop.turn { !late.messages.isEmpty })
    #expect(late.messages[0].isRetained)
    let text = late.messages[0].payload
    let stats = try JSONValue(Array(text.utf8).span)
    #expect(stats["v"] == .integer(1))
    #expect(stats["instance"] == .string("main"))
    #expect(stats["ready"] == .bool(true))
    #expect(stats["figures"]?["livecue_gifts_accepted_total"] == .integer(4))
    #expect(stats["figures"]?["livecue_events_total"]?["gift"] == .integer(1))
    #expect(stats["figures"]?["livecue_wait_seconds"]?["buckets"]?["+Inf"] == .integer(1))
    #expect(stats["faults"] == nil)
    // Each name of the page is there, and no other.
    let pageNames = try studio.get("/metrics").body.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
      .map { String($0.split(separator: " ")[2]) }
    #expect(pageNames.count > 40)
    #expect(pageNames.allSatisfy { stats["figures"]?[$0] != nil })
    if case .object(let members)? = stats["figures"] { #expect(members.count == pageNames.count) }
  }
}

/// `config/grafana-dashboard.json` and `config/alerts.yaml`.
@Suite struct DashboardTests {
  /// The names that expressions mention.
  private func names(in text: String) -> Set<String> {
    var names: Set<String> = []
    for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") })
    where word.hasPrefix("livecue_") || word.hasPrefix("process_") { names.insert(String(word)) }
    return names
  }

  @Test func theyNameOnlyWhatThereIs() throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(withMetrics, recordsIn: folder)
    try studio.open()
    let known = Set(
      try studio.scrape().keys.map { String($0.prefix { $0 != "{" }) })
    let dashboard = try JSONValue(readBytes(checkoutPath("config/grafana-dashboard.json")).span)
    let panels = try #require(dashboard["panels"]?.array)
    let expressions = panels.flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
    #expect(expressions.count >= panels.count)
    let alerts = String(decoding: readBytes(checkoutPath("config/alerts.yaml")), as: UTF8.self)
    for (file, text) in [("dashboard", expressions.joined(separator: "\n")), ("alerts", alerts)] {
      // Those of `livecue overlay` are checked beside it.
      let mentioned = names(in: text).filter { !$0.hasPrefix("livecue_overlay_") }
      #expect(mentioned.count >= 10, "\(file)")
      #expect(mentioned.subtracting(known) == [], "\(file)")
    }
    let variables = dashboard["templating"]?["list"]?.array ?? []
    #expect(variables.contains { $0["query"] == .string("label_values(livecue_ready, instance)") })
    let ids = panels.compactMap { $0["id"]?.integer }
    #expect(Set(ids).count == panels.count)
  }

  @Test func theAlertsFireWhenTheyShould() throws {
    let folder = try TemporaryFolder()
    let tool = try ChildProcess([
      "sh", "-c", #"promtool test rules "$1" >"$0/output" 2>&1"#, folder.path,
      checkoutPath("Tests/Alerts/alerts.test.yaml"),
    ])
    #expect(try tool.wait(milliseconds: 20_000) == 0, "\(folder.read("output"))")
  }

  @Test func promtoolAcceptsTheAlerts() throws {
    let folder = try TemporaryFolder()
    let tool = try ChildProcess([
      "sh", "-c", #"cd "$0" && promtool check rules "$1" >output 2>&1"#, folder.path,
      checkoutPath("config/alerts.yaml"),
    ])
    #expect(try tool.wait(milliseconds: 20_000) == 0, "\(folder.read("output"))")
    let alerts = String(decoding: readBytes(checkoutPath("config/alerts.yaml")), as: UTF8.self)
    for alert in [
      "SessionLost", "BrokerDrops", "SourceSilent", "Folds", "StoreNotWritable", "DiskFull", "InputAway",
      "OutputAway",
    ] { #expect(alerts.contains("alert: LiveCue\(alert)\n")) }
  }
}
