import EventLoop
import PrivateBroker
import TestSupport
import Testing

/// With `durability: power` no acknowledgement leaves before the commit of its message is on the disk: seen
/// in what the process wrote, synced and sent, in order.
@Suite struct AcknowledgementOrderTests {
  private static let messages = 60

  /// The trace of a daemon that took all messages.
  private func trace(_ variables: [String]) throws -> AcknowledgementOrder {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    try runProgram([
      "cc", "-std=c11", "-O1", "-shared", "-fPIC", "-o", "\(folder.path)/trace.so",
      checkoutPath("Tests/Tracing/trace.c"),
    ])
    try folder.write(
      """
      broker: {host: 127.0.0.1, port: \(broker.port)}
      state: {directory: state}
      gift: {showMs: 0, stepMs: 0, holdMs: 10, holdBusyMs: 10, hideMs: 0}
      """, to: "livecue.yaml")
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    let preload = ["LD_PRELOAD=\(folder.path)/trace.so", "TRACE=\(folder.path)/calls"]
    let daemon = try Livecue(
      ["run", "--config", "livecue.yaml"], in: folder, wrappedBy: ["env"] + preload + variables)
    try #require(try daemon.await("errors") { $0.contains("subscribed") }, "\(daemon.errors)")
    for number in 0..<AcknowledgementOrderTests.messages {
      source.publish(#"[{"sender":"sender \#(number).","gift":"g"}]"#, to: "im/r/gift")
      // Not all in one turn.
      if number % 7 == 0 { #expect(loop.turn { source.isDone }) }
    }
    #expect(loop.turn { viewer.renderer.giftCount == Int64(AcknowledgementOrderTests.messages) })
    #expect(try daemon.end().code == 0, "\(daemon.errors)")
    return AcknowledgementOrder(trace: folder.read("calls"), clientID: "livecue-main-in")
  }

  @Test func noAcknowledgementLeavesBeforeTheCommitIsOnTheDisk() throws {
    let order = try trace([])
    #expect(order.arrivals == AcknowledgementOrderTests.messages)
    #expect(order.acknowledgements == AcknowledgementOrderTests.messages)
    #expect(order.early == 0)
  }

  @Test func anEarlyAcknowledgementIsSeen() throws {
    let order = try trace(["LIVECUE_TRIAL=acknowledge-early"])
    #expect(order.arrivals == AcknowledgementOrderTests.messages)
    #expect(order.acknowledgements == AcknowledgementOrderTests.messages)
    #expect(order.early == AcknowledgementOrderTests.messages)
  }
}
