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

  @Test func timersGoOnWhileTheBrokerIsAwayAndTheirCommandsFollow() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    studio.source.publish(#"[{"sender":"Ann","gift":"g","count":3}]"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.payloads("cue/r1/gift/0").count >= 1 })
    try studio.broker.stop()
    studio.loop.turn(for: 200)
    try studio.broker.start()
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 4 })
    let commands = studio.viewer.renderer.commands
    let start = commands.first?["at"]?.integer ?? 0
    #expect(
      commands.map { $0.brief(since: start, "to") } == ["0 show", "10 count to=3", "30 hold", "80 hide"])
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
