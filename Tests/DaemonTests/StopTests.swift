import Base
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// Stopping takes two seconds at most, whatever the broker does.
@Suite struct StopTests {
  /// How long it took to stop; nil if it did not.
  private func stop(_ studio: Studio, calls: Int = 1) -> Int64? {
    let start = studio.loop.clock.now
    for _ in 0..<calls { studio.daemon.stop() }
    guard studio.loop.turn(within: 5000, until: { studio.stops > 0 }) else { return nil }
    return studio.loop.clock.now - start
  }

  @Test func whatIsShownIsPublishedBeforeOffline() throws {
    let studio = try Studio()
    try studio.open()
    studio.source.publish(#"[{"sender":"Ann","gift":"g"}]"#, to: "im/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 1 })
    let length = try #require(stop(studio))
    #expect(length < 2000)
    #expect(studio.loop.turn { studio.viewer.states() == ["online", "offline"] })
    #expect(studio.viewer.messages.last?["state"] == .string("offline"))
    #expect(studio.stops == 1)
    #expect(!studio.daemon.isServing)
  }

  @Test func aDeadBrokerDoesNotHoldItUp() throws {
    let studio = try Studio()
    try studio.open()
    try studio.broker.kill()
    let length = try #require(stop(studio))
    #expect(length < 2000)
    #expect(studio.stops == 1)
  }

  @Test func aBrokerThatAnswersNothingDoesNotHoldItUp() throws {
    let studio = try Studio()
    try studio.open()
    studio.relay.block("livecue-main")
    let length = try #require(stop(studio))
    #expect(length < 2000)
    // The broker says it for us.
    studio.relay.cut("livecue-main")
    #expect(studio.loop.turn { studio.viewer.states() == ["online", "offline"] })
  }

  @Test func aSecondCallStopsAtOnce() throws {
    let studio = try Studio()
    try studio.open()
    studio.relay.block("livecue-main")
    let start = studio.loop.clock.now
    studio.daemon.stop()
    studio.daemon.stop()
    #expect(studio.stops == 1)
    #expect(studio.loop.clock.now - start < 500)
    studio.daemon.stop()
    #expect(studio.stops == 1)
  }

  @Test func aBrokerThatNeverWasThereDoesNotHoldItUp() throws {
    let loop = try EventLoop.forTest()
    let hole = try BlackHole()
    let log = LogLines()
    let daemon = try makeDaemon(port: hole.port, loop: loop, log: log)
    var stops = 0
    daemon.stopped = { stops += 1 }
    try daemon.start()
    loop.turn(for: 50)
    daemon.stop()
    #expect(loop.turn(within: 2000) { stops == 1 })
  }

  /// What the broker sends while we leave is not ours any more: it sends it to our next life.
  @Test func nothingIsPublishedAfterOffline() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    for number in 0..<400 {
      studio.source.publish(#"[{"sender":"s\#(number)","gift":"g"}]"#, to: "im/r\(number % 9)/gift")
    }
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count > 10 })
    let length = try #require(stop(studio))
    #expect(length < 2000)
    #expect(studio.loop.turn { studio.viewer.states() == ["online", "offline"] })
    studio.loop.turn(for: 100)
    #expect(studio.viewer.messages.last?["state"] == .string("offline"))
  }
}
