import EventLoop
import Glibc
import PrivateBroker
import TestSupport
import Testing
import Wire

/// A message that ends the process whenever it is handled is kept out after two times, and the room goes on.
@Suite struct PoisonTests {
  private static let settings = """
    metrics: {listen: '', statsSeconds: 0}
    state: {directory: state, journalKeepHours: 1}
    gift: {showMs: 10, stepMs: 10, catchUpMs: 20, holdMs: 50, holdBusyMs: 20, hideMs: 10}
    """

  private func start(_ folder: TemporaryFolder) throws -> Livecue {
    try Livecue(["run", "--config", "livecue.yaml"], in: folder, wrappedBy: ["env", "LIVECUE_TRIAL=trap"])
  }

  @Test func itIsKeptOutAfterTwoDeathsReportedAndSkippedByEveryReplay() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(broker.port), reconnectMinMs: 20, reconnectMaxMs: 100}\n"
        + Self.settings, to: "livecue.yaml")
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    let first = try start(folder)
    try #require(try first.await("errors") { $0.contains("subscribed") }, "\(first.errors)")
    source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    source.publish(#"[{"sender":"Bo","gift":"livecue-trap"}]"#, to: "im/r1/gift")
    source.publish(#"[{"sender":"Cy","gift":"g"}]"#, to: "im/r1/gift")
    #expect(loop.turn { first.child.hasEnded })
    #expect(try first.child.wait(milliseconds: 0) == 128 + SIGKILL)
    let second = try start(folder)
    #expect(try second.child.wait(milliseconds: 10_000) == 128 + SIGKILL)
    let third = try start(folder)
    #expect(loop.turn { viewer.renderer.giftCount == 2 }, "\(third.errors)")
    #expect(third.errors.contains("a message ended the process twice: it is kept out"))
    let report = try #require(viewer.renderer.others.first { $0.topic == "cue/r1/rejected" })
    #expect(report.json["items"]?.array?.first?["reason"] == .string("poison"))
    // The room goes on.
    source.publish(#"[{"sender":"Di","gift":"g"}]"#, to: "im/r1/gift")
    #expect(loop.turn { viewer.renderer.giftCount == 3 }, "\(third.errors)")
    #expect(viewer.renderer.faults == [])
    #expect(try third.end().code == 0)
    let replay = try Livecue.run(["simulate", "--journal", "state/livecue.db", "--summary"], in: folder)
    #expect(replay.code == 0, "\(replay.errors)")
    #expect(replay.output.contains("poison"), "\(replay.output)")
    let fourth = try start(folder)
    try #require(try fourth.await("errors") { $0.contains("subscribed") }, "\(fourth.errors)")
    #expect(try fourth.end().code == 0)
    #expect(!fourth.errors.contains("kept out"))
  }
}
