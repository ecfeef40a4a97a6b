import Base
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// A daemon, a broker and the time of the clock.
@Suite struct ServingTests {
  @Test func theIssuesExampleIsPlayedAtItsTimes() throws {
    let studio = try Studio()
    try studio.open()
    let (loop, viewer) = (studio.loop, studio.viewer)
    let sentAt = loop.clock.now
    let payload =
      #"[{"sender":"Ann","giftName":"Rose"},{"sender":"Bo"},{"sender":"Ann","giftName":"Rose","count":2}]"#
    studio.source.publish(payload, to: "im/r1/gift")
    #expect(loop.turn { viewer.payloads("cue/r1/gift/0").count == 4 })
    let commands = viewer.messages.filter { $0.topic == "cue/r1/gift/0" }
    let arrival = try #require(commands.first?["at"]?.integer)
    #expect(sentAt <= arrival)
    #expect(
      commands.map { $0.brief(since: arrival, "from", "to", "count", "until") } == [
        "0 show until=3700", "300 count from=0 to=3 until=4500", "1500 hold count=3 until=4500",
        "4500 hide count=3",
      ])
    // No command is sent before it is due.
    #expect(commands.allSatisfy { $0.at >= $0["at"]?.integer ?? .max })
    let reports = viewer.messages.filter { $0.topic == "cue/r1/rejected" }
    #expect(reports.count == 1)
    #expect(reports.first?["items"]?.array?.first?["index"] == .integer(1))
    #expect(reports.first?["items"]?.array?.first?["reason"] == .string("missing-gift"))
    #expect(viewer.renderer.faults == [])
  }

  @Test func theStatusIsRetainedAndACleanStopSaysOffline() throws {
    let studio = try Studio()
    try studio.open()
    let late = try studio.lateViewer("livecue/+/status")
    #expect(studio.loop.turn { late.states() == ["online"] })
    #expect(late.messages.first?.isRetained == true)
    #expect(late.messages.first?["version"] == .string("1.2.3"))
    #expect(late.messages.first?["since"] != nil)
    studio.daemon.stop()
    #expect(studio.loop.turn { studio.stops == 1 && late.states() == ["online", "offline"] })
    // One word by us, none by the will: the connection was left cleanly.
    studio.loop.turn(for: 100)
    #expect(studio.viewer.states() == ["online", "offline"])
    #expect(studio.log.count("livecue stops") == 1)
  }

  @Test func aConnectionThatIsCutIsSaidByTheWillAndComesBack() throws {
    let studio = try Studio()
    try studio.open()
    studio.relay.cut(Studio.publisher)
    #expect(studio.loop.turn(within: 30_000) { studio.viewer.states() == ["online", "offline", "online"] })
    #expect(studio.loop.turn { studio.daemon.isServing })
    #expect(studio.log.count("no connection to the broker") == 1)
  }

  @Test func whatWasUnderWayWhenTheConnectionWasCutIsPublishedAgain() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    studio.relay.block(Studio.publisher)
    for number in 0..<20 {
      studio.source.publish(#"[{"sender":"s\#(number)","gift":"g"}]"#, to: "im/r1/gift")
    }
    #expect(studio.loop.turn { studio.source.isDone })
    studio.loop.turn(for: 100)
    studio.relay.cut(Studio.publisher)
    studio.relay.unblock(Studio.publisher)
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount >= 20 })
    #expect(studio.viewer.renderer.giftCount == 20)
    #expect(studio.viewer.renderer.faults == [])
  }

  @Test func aRetainedBatchIsNotPlayed() throws {
    let studio = try Studio(quickGifts)
    try studio.broker.publish(#"[{"sender":"old","gift":"g"}]"#, to: "im/r1/gift", retain: true)
    try studio.open()
    studio.source.publish(#"[{"sender":"new","gift":"g"}]"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 1 })
    #expect(studio.viewer.renderer.commands.allSatisfy { !$0.payload.contains("\"old\"") })
  }

  @Test func roomsAndKindsOfAllInputsAreServed() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    studio.source.publish(#"{"sender":"Ann","gift":"g"}"#, to: "im/房间/gift")
    studio.source.publish(#"{"sender":"Ann","text":"hi"}"#, to: "im/r2/comment")
    studio.source.publish(#"{"sender":"Ann","count":3}"#, to: "im/r2/like")
    studio.source.publish(#"[{"type":"gift","sender":"Ann","gift":"g"}]"#, to: "im/r 3/batch")
    #expect(
      studio.loop.turn {
        ["cue/房间/gift/0", "cue/r2/comment", "cue/r2/like", "cue/r 3/gift/0"].allSatisfy {
          !studio.viewer.payloads($0).isEmpty
        }
      })
  }
}
