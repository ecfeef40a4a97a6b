import EventLoop
import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The disk is full for a while. What cannot be recorded is not acknowledged, so the broker keeps it; when
/// there is room again all goes on, without a restart.
@Suite struct FullDiskTests {
  private static let settings = """
    state: {directory: state}
    gift: {showMs: 10, stepMs: 10, catchUpMs: 20, holdMs: 50, holdBusyMs: 20, hideMs: 10}
    comment: {flushMs: 0}
    """

  @Test func nothingIsAcknowledgedWhileItIsFullAndNothingIsLost() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(broker.port), reconnectMinMs: 20, reconnectMaxMs: 100}\n"
        + Self.settings, to: "livecue.yaml")
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    // A limit on the size of files stands for the disk's: both refuse the write.
    let daemon = try Livecue(
      ["run", "--config", "livecue.yaml"], in: folder, wrappedBy: ["prlimit", "--fsize=400000:unlimited"])
    try #require(try daemon.await("errors") { $0.contains("subscribed") }, "\(daemon.errors)")
    let text = String(repeating: "x", count: 1900)
    let sent: Int64 = 300
    for number in 0..<sent {
      source.publish(
        #"[{"type":"gift","sender":"s\#(number)","gift":"g"},{"type":"comment","sender":"c","text":"\#(text)"}]"#,
        to: "im/r\(number % 3)/batch")
    }
    // The broker takes all; the daemon records what fits.
    #expect(loop.turn { source.isDone })
    try #require(
      try daemon.await("errors") { $0.contains("cannot record: nothing is acknowledged") }, "\(daemon.errors)"
    )
    #expect(viewer.renderer.giftCount < sent)
    let raised = try ChildProcess(["prlimit", "--pid", "\(daemon.child.id)", "--fsize=unlimited"])
    #expect(try raised.wait(milliseconds: 5000) == 0)
    #expect(loop.turn(within: 20_000) { viewer.renderer.giftCount >= sent }, "\(daemon.errors)")
    loop.turn(for: 200)
    #expect(viewer.renderer.giftCount == sent)
    #expect(viewer.renderer.faults == [])
    #expect(try daemon.end().code == 0)
    #expect(daemon.errors.split(separator: "\n").count { $0.contains("livecue starts") } == 1)
  }
}
