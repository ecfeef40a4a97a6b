import EventLoop
import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The daemon is killed in the midst of its work, and nothing is lost and nothing counts twice.
@Suite struct CrashTests {
  private static let settings = """
    state: {directory: state, snapshotRows: 150, snapshotSeconds: 1}
    gift: {showMs: 10, stepMs: 10, catchUpMs: 50, holdMs: 100, holdBusyMs: 50, hideMs: 10, foldAfterMs: 1000}
    """

  private func start(
    _ folder: TemporaryFolder, _ broker: PrivateBroker, trial: String? = nil
  ) throws -> Livecue {
    try folder.write(
      "\(noMetrics)\nbroker: {host: 127.0.0.1, port: \(broker.port), reconnectMinMs: 20, reconnectMaxMs: 100}\n"
        + Self.settings, to: "livecue.yaml")
    return try Livecue(
      ["run", "--config", "livecue.yaml"], in: folder,
      wrappedBy: trial.map { ["env", "LIVECUE_TRIAL=\($0)"] } ?? [])
  }

  @Test func killsAndABrokerRestartLoseNothingAndCountNothingTwice() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    var daemon = try start(folder, broker)
    // Only from its first subscription on does the broker keep anything for it.
    try #require(try daemon.await("errors") { $0.contains("subscribed") }, "\(daemon.errors)")
    var sent: Int64 = 0
    var recoveries = 0
    for round in 0..<6 {
      let served = viewer.renderer.giftCount
      for number in 0..<120 {
        sent += 1
        source.publish(gift(sent, number), to: "im/r\(sent % 3)/gift")
      }
      // Not before some of it was served, and not after all was.
      #expect(loop.turn { viewer.renderer.giftCount >= served + 20 }, "round \(round): \(daemon.errors)")
      if round == 5 { break }
      if round == 2 {
        // What the broker has taken and the source has no answer for would be sent again, and gifts without
        // ids count again by right.
        #expect(loop.turn { source.isDone })
        try broker.restart()
        #expect(loop.turn { viewer.isReady && source.isReady })
      }
      _ = try daemon.end(SIGKILL)
      recoveries += daemon.errors.contains("recovered") ? 1 : 0
      daemon = try start(folder, broker)
    }
    #expect(loop.turn(within: 20_000) { source.isDone && viewer.renderer.giftCount >= sent })
    loop.turn(for: 300)
    #expect(viewer.renderer.giftCount == sent)
    #expect(viewer.renderer.faults == [])
    #expect(try daemon.end().code == 0)
    recoveries += daemon.errors.contains("recovered") ? 1 : 0
    // A snapshot may have been of everything just before one kill, hardly before all of them.
    #expect(recoveries > 0)
  }

  /// The daemon ends itself at a point, and the next one goes on from there.
  @Test(arguments: ["read:1", "commit:1", "acknowledgement:1", "publish:20", "confirmation:20", "snapshot:1"])
  func aKillAtAnyPointLosesNothingAndCountsNothingTwice(point: String) throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    let first = try start(folder, broker, trial: point)
    try #require(try first.await("errors") { $0.contains("subscribed") }, "\(first.errors)")
    for number in 0..<160 { source.publish(gift(Int64(number), number), to: "im/r/gift") }
    #expect(loop.turn { source.isDone })
    // A snapshot is only finished when the broker has answered for the commands, and they are for the viewer
    // too.
    #expect(loop.turn { first.child.hasEnded })
    #expect(try first.child.wait(milliseconds: 0) == 128 + SIGKILL)
    let second = try start(folder, broker)
    #expect(loop.turn { viewer.renderer.giftCount >= 160 }, "\(second.errors)")
    loop.turn(for: 200)
    #expect(viewer.renderer.giftCount == 160)
    #expect(viewer.renderer.faults == [])
    #expect(try second.end().code == 0)
    // Recorded and not acknowledged: only then must the broker send again what the daemon has.
    if point == "commit:1" {
      #expect(second.errors.contains("the broker sent again what was recorded before"))
    }
    if point == "read:1" { #expect(second.errors.contains(" redelivered=0 ")) }
  }

  /// A third with ids, a third the same without, a third of a cumulative source without streak ids.
  private func gift(_ sent: Int64, _ number: Int) -> String {
    switch number % 3 {
    case 0: #"[{"id":"e\#(sent)","sender":"s\#(sent % 20)","gift":"g"}]"#
    case 1: #"[{"sender":"Ann","gift":"rose"}]"#
    default: #"[{"sender":"c\#(sent)","gift":"h","total":1}]"#
    }
  }
}
