import Base
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// The broker comes, goes and comes back.
@Suite struct BrokerLossTests {
  @Test func aBrokerThatIsAwayAtStartIsWaitedFor() throws {
    let studio = try Studio(quickGifts)
    try #require(studio.loop.turn { studio.viewer.isReady && studio.source.isReady })
    try studio.broker.stop()
    try studio.daemon.start()
    #expect(studio.loop.turn { studio.log.count("no connection to the broker") >= 4 })
    #expect(!studio.daemon.isServing)
    try studio.broker.start()
    #expect(studio.loop.turn { studio.daemon.isServing })
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 1 })
    #expect(studio.viewer.states() == ["online"])
  }

  @Test func aBrokerThatRestartsLosesNothing() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    var sent = 0
    func publish(_ count: Int) {
      for _ in 0..<count {
        sent += 1
        studio.source.publish(
          #"[{"id":"e\#(sent)","sender":"s\#(sent % 40)","gift":"g"}]"#, to: "im/r\(sent % 3)/gift")
      }
    }
    for round in 1...3 {
      publish(60)
      // Not after all was served, but in the midst of it.
      #expect(studio.loop.turn { studio.viewer.renderer.commands.count >= round * 20 })
      try studio.broker.stop()
      publish(20)
      studio.loop.turn(for: 50)
      try studio.broker.start()
      #expect(studio.loop.turn { studio.daemon.isServing && studio.viewer.isReady })
    }
    #expect(studio.loop.turn { studio.source.isDone && studio.viewer.renderer.giftCount >= sent })
    #expect(studio.viewer.renderer.giftCount == Int64(sent))
    #expect(studio.viewer.renderer.faults == [])
    #expect(studio.viewer.states().last == "online")
    #expect(studio.log.count("the broker lost our session") == 0)
  }

  /// Nothing can come in, so nothing may run out: the combo window goes on when the broker is back, and says
  /// so.
  @Test func timeStandsStillWhileTheBrokerIsAway() throws {
    let studio = try Studio("gift: {showMs: 10, stepMs: 20, catchUpMs: 20, holdMs: 2000, hideMs: 10}")
    try studio.open()
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 3 })
    try studio.broker.stop()
    #expect(studio.loop.turn { !studio.daemon.isServing })
    studio.loop.turn(for: 400)
    try studio.broker.start()
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 5 })
    let commands = studio.viewer.renderer.commands
    #expect(commands.map { $0["op"]?.string } == ["show", "count", "hold", "hold", "hide"])
    let promised = commands[2]["until"]?.integer ?? 0
    let moved = commands[3]["until"]?.integer ?? 0
    #expect(moved - promised >= 400)
    #expect(commands[4]["at"]?.integer == moved)
  }

  @Test func anOutageLongerThanTheGapDoesNotBeginAStreakAnew() throws {
    let studio = try Studio(
      "gift: {showMs: 10, stepMs: 10, catchUpMs: 20, holdMs: 50, hideMs: 10, streakGapMs: 400}")
    try studio.open()
    for total in [48, 49] {
      studio.source.publish(#"[{"sender":"Ann","gift":"g","total":\#(total)}]"#, to: "im/r1/gift")
    }
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 49 })
    try studio.broker.stop()
    #expect(studio.loop.turn { !studio.daemon.isServing })
    studio.loop.turn(for: 600)
    // It may be there before the daemon is: then it comes with what the broker kept, before all else.
    studio.source.publish(#"[{"sender":"Ann","gift":"g","total":50}]"#, to: "im/r1/gift")
    try studio.broker.start()
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount >= 50 })
    studio.loop.turn(for: 200)
    #expect(studio.viewer.renderer.giftCount == 50)
  }

  @Test func aBrokerThatIsKilledLosesOurSessionWhichIsSaid() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    try studio.broker.kill()
    #expect(studio.loop.turn { !studio.daemon.isServing })
    try studio.broker.start()
    #expect(studio.loop.turn { studio.daemon.isServing })
    #expect(studio.log.count("the broker lost our session") == 1)
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    // The viewer's session is gone too; it sees what comes after it has subscribed again.
    #expect(studio.loop.turn { studio.viewer.renderer.commands.contains { $0["op"] == .string("hide") } })
  }
}
