import Glibc
import PrivateBroker
import TestSupport
import Testing
import Wire

/// Daemons of their own that have nobody to speak with, or one too many.
@Suite struct OutageTests {
  private func start(_ broker: PrivateBroker, _ waits: String, _ more: String) throws -> Livecue {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      broker: {host: 127.0.0.1, port: \(broker.port), \(waits)}
      \(more.split(separator: "{folder}", omittingEmptySubsequences: false).joined(separator: folder.path))
      """, to: "livecue.yaml")
    return try Livecue(["run", "--config", "livecue.yaml"], in: folder)
  }

  @Test func twoDaemonsWithOneClientIDBothSaySoAndDoNotFloodTheLog() throws {
    let broker = try PrivateBroker()
    let waits = "reconnectMinMs: 20, reconnectMaxMs: 400"
    let daemons = try (0..<2).map { _ in try start(broker, waits, noMetrics) }
    for daemon in daemons {
      let isSaid = try daemon.await("errors") {
        $0.contains("client=livecue-main-in") && $0.contains("another client probably uses our client id")
      }
      #expect(isSaid, "\(daemon.errors)")
    }
    for daemon in daemons {
      #expect(try daemon.end().code == 0)
      let lines = daemon.errors.split(separator: "\n")
      // However often they were thrown out: a fault is written once a minute, with its count.
      let losses = lines.filter { $0.contains("no connection to the broker") }
      #expect(losses.count <= 8, "\(daemon.errors)")
      #expect(lines.count < 60, "\(lines.count)")
    }
  }

  /// A figure that a daemon tells, of one of its connections if it has a label.
  private func figure(_ name: String, _ label: String? = nil, of daemon: Livecue) throws -> Int64 {
    let outcome = try Livecue.run(
      ["status", "--json", "--config", "\(daemon.folder.path)/livecue.yaml", "--seconds", "0"])
    let answer = try JSONValue(Array(outcome.output.utf8).span)
    let figure = answer["figures"]?[name]
    return (label.map { figure?[$0] } ?? figure)?.integer ?? -1
  }

  /// Asks until the figure is there; each question takes a process, so this is no busy loop.
  private func awaitFigure(
    _ name: String, _ label: String? = nil, of daemon: Livecue, until holds: (Int64) -> Bool
  ) throws -> Bool {
    let deadline = Livecue.now + 20_000
    while Livecue.now < deadline {
      if holds(try figure(name, label, of: daemon)) { return true }
    }
    return false
  }

  /// Ten minutes of a dead broker are some twenty-five attempts of each connection; these are two hundred.
  @Test func aBrokerThatIsLongAwayCostsNoMemoryAndAllGoesOn() throws {
    let broker = try PrivateBroker()
    let daemon = try start(
      broker, "reconnectMinMs: 10, reconnectMaxMs: 10",
      """
      metrics: {listen: {folder}/http, statsSeconds: 0}
      state: {directory: state, minFreeBytes: 0}
      gift: {foldAfterMs: 0, holdMs: 200, maxWaiting: 50}
      """)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    // Twenty rooms, in each three full tracks and twenty-seven groups that wait.
    let events = (0..<30).map { #"{"type":"gift","sender":"s\#($0)","gift":"g"}"# }
    try daemon.folder.write("[\(events.joined(separator: ","))]", to: "batch.json")
    for room in 0..<20 {
      let sent = try Livecue.run(
        ["send", "batch.json", "--room", "r\(room)", "--broker", "127.0.0.1:\(broker.port)"],
        in: daemon.folder)
      try #require(sent.code == 0, "\(sent.errors)")
    }
    #expect(try awaitFigure("livecue_gifts_accepted_total", of: daemon) { $0 == 600 })
    try broker.stop()
    let losses = "livecue_connection_losses_total"
    let first = try awaitFigure(losses, "in", of: daemon) { $0 >= 20 }
    try #require(first)
    let waiting = try figure("livecue_groups_waiting", of: daemon)
    #expect(waiting > 0)
    let before = daemon.residentKilobytes
    #expect(try awaitFigure(losses, "in", of: daemon) { $0 >= 220 })
    let after = daemon.residentKilobytes
    #expect(after - before < 1024, "\(before) KiB before, \(after) KiB after")
    #expect(try figure("livecue_groups_waiting", of: daemon) == waiting)
    try broker.start()
    #expect(try awaitFigure("livecue_groups_waiting", of: daemon) { $0 < waiting })
    #expect(try figure("livecue_gifts_accepted_total", of: daemon) == 600)
    #expect(try daemon.end().code == 0)
  }
}
