import Base
import Daemon
import EventLoop
import MQTT
import PrivateBroker
import TestSupport
import Testing
import Wire

/// Control, feedback and snapshots with a real broker.
@Suite struct OperatorTests {
  private static let slowGifts =
    "gift: {showMs: 20, stepMs: 20, holdMs: 60000, hideMs: 50}\nsnapshot: {everyMs: 100}"

  @Test func whoJoinsLateFindsTheRoomAsItIsEvenAfterTheBrokerForgotIt() throws {
    let studio = try Studio(Self.slowGifts)
    try studio.open()
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    func holds(_ viewer: Client) -> Bool {
      viewer.messages.contains { $0["tracks"]?.array?.first?["state"]?.string == "holding" }
    }
    #expect(studio.loop.turn { holds(studio.viewer) })
    let late = try studio.lateViewer("cue/r1/snapshot")
    #expect(studio.loop.turn { holds(late) })
    #expect(late.messages.first?.isRetained == true)
    try studio.broker.kill()
    #expect(studio.loop.turn { !studio.daemon.isServing })
    let before = late.messages.count
    try studio.broker.start()
    #expect(studio.loop.turn { late.messages.count > before && holds(late) })
    let later = try Client(
      "later", .v311, filters: ["cue/r1/snapshot"], port: studio.broker.port, loop: studio.loop)
    #expect(studio.loop.turn { holds(later) })
  }

  @Test func aRendererThatAsksGetsASnapshotAndAClickComesOut() throws {
    let studio = try Studio("snapshot: {everyMs: 0}\n" + "gift: {holdMs: 60000}")
    try studio.open()
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    studio.source.publish(#"{"op":"click","group":1,"renderer":"page"}"#, to: "cue/r1/feedback")
    studio.source.publish(#"{"op":"resync"}"#, to: "cue/r1/feedback")
    studio.source.publish(#"{"id":"c1","op":"clear","time":5}"#, to: "cue/r1/control")
    #expect(studio.loop.turn { !studio.viewer.payloads("cue/r1/control/reply").isEmpty })
    #expect(studio.viewer.payloads("cue/r1/click").count == 1)
    #expect(studio.viewer.payloads("cue/r1/snapshot").count == 1)
    #expect(studio.viewer.payloads("cue/r1/control/reply")[0].contains(#""error":"expired""#))
    #expect(studio.viewer.renderer.faults == [])
  }

  /// Let go in the midst of a pause, without a stop: the rows bring the pause back.
  @Test func aDaemonThatDiedInAPauseComesBackPaused() throws {
    let folder = try TemporaryFolder()
    do {
      let studio = try Studio(Self.slowGifts, recordsIn: folder)
      try studio.open()
      studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
      #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 3 })
      studio.source.publish(#"{"id":1,"op":"pause","part":"gift"}"#, to: "cue/r1/control")
      #expect(studio.loop.turn { studio.viewer.payloads("cue/r1/control/reply").count == 1 })
    }
    let studio = try Studio(Self.slowGifts, recordsIn: folder)
    try studio.open()
    studio.source.publish(#"[{"sender":"Bo","gift":"g","count":4}]"#, to: "im/r1/gift")
    studio.source.publish(#"{"id":2,"op":"pause"}"#, to: "cue/r1/control")
    #expect(
      studio.loop.turn { studio.viewer.payloads("cue/r1/control/reply").contains { $0.contains(#""id":2"#) } }
    )
    let operations = studio.viewer.renderer.commands.filter { $0.topic.contains("/gift/") }.map {
      $0["op"]?.string
    }
    #expect(
      !operations.contains("show") || operations.first == "show" && studio.viewer.renderer.giftCount <= 1)
    studio.source.publish(#"{"id":3,"op":"resume"}"#, to: "cue/r1/control")
    #expect(
      studio.loop.turn { studio.viewer.payloads("cue/r1/gift/1").contains { $0.contains(#""op":"show""#) } })
    let first = studio.viewer.payloads("cue/r1/gift/1").first { !$0.contains("pause") }
    #expect(first?.contains(#""op":"resume""#) == true)
  }
}
