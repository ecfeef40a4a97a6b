import Base
import Configuration
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// A configuration that is read again takes effect without a combo or a connection lost, or not at all.
@Suite struct ReloadTests {
  private static let slowGifts = "gift: {showMs: 20, stepMs: 20, catchUpMs: 20, holdMs: 1500, hideMs: 20}"

  private func reload(_ studio: Studio, _ settings: String, broker more: String = "receiveMaximum: 500") {
    studio.daemon.reload { () throws(ConfigurationErrors) in
      try studio.configuration(settings, broker: more)
    }
  }

  private func gift(_ studio: Studio, _ sender: String, topic: String = "im/r1/gift") {
    studio.source.publish(#"[{"sender":"\#(sender)","gift":"g"}]"#, to: topic)
  }

  @Test(arguments: [true, false])
  func aComboGoesOnAndNewGroupsFollowTheNewTimes(records: Bool) throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(Self.slowGifts, recordsIn: records ? folder : nil)
    try studio.open()
    gift(studio, "Ann")
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 3 })
    reload(studio, "gift: {showMs: 20, stepMs: 20, catchUpMs: 20, holdMs: 100, hideMs: 20}")
    #expect(studio.log.count("the new configuration is in force") == 1)
    gift(studio, "Ann")
    gift(studio, "Bo")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 3 })
    let ann = studio.viewer.renderer.commands.filter { $0.topic == "cue/r1/gift/0" }
    #expect(ann.contains { $0.json["op"]?.string == "count" && $0.json["to"]?.integer == 2 })
    #expect(studio.viewer.renderer.faults == [])
    let isOver = studio.loop.turn {
      studio.viewer.renderer.commands.contains {
        $0.topic == "cue/r1/gift/1" && $0.json["op"]?.string == "hide"
      }
    }
    #expect(isOver)
    let bo = studio.viewer.renderer.commands.filter { $0.topic == "cue/r1/gift/1" }
    let hold = try #require(bo.first { $0.json["op"]?.string == "hold" })
    #expect((hold.json["until"]?.integer ?? 0) - (hold.json["at"]?.integer ?? 0) == 100)
    #expect(studio.log.count("no connection") == 0)
    #expect(studio.viewer.states() == ["online"])
  }

  @Test func filtersAreSubscribedAndUnsubscribed() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    reload(studio, quickGifts + "\ninputs: [{filter: 'other/{room}/gift', kind: gift}]")
    #expect(studio.loop.turn { studio.daemon.isServing })
    gift(studio, "Ann", topic: "other/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 1 })
    gift(studio, "Bo", topic: "im/r1/gift")
    gift(studio, "Cy", topic: "other/r1/gift")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 2 })
    #expect(studio.viewer.renderer.faults == [])
  }

  @Test func aBadFileIsRefusedWithItsMistakesAndTheOldOneStays() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    reload(studio, "gift: {showMs: soon}\nnonsense: 1")
    #expect(studio.log.count("the new configuration is refused") == 2)
    #expect(studio.log.count("test.yaml:3:16: gift.showMs") == 1)
    #expect(studio.daemon.configuration.defaultPlan.gift.showMilliseconds == 10)
    gift(studio, "Ann")
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 1 })
  }

  @Test func whatOnlyAStartCanChangeIsNamedAndWaits() throws {
    let studio = try Studio(quickGifts)
    try studio.open()
    reload(
      studio, quickGifts + "\ntopics: {room: elsewhere}\ncomment: {maxItems: 5}",
      broker: "receiveMaximum: 100")
    #expect(studio.log.count("a changed setting waits for the next start") == 2)
    #expect(studio.log.count("setting=topics.room") == 1)
    #expect(studio.log.count("setting=broker.receiveMaximum") == 1)
    #expect(studio.daemon.configuration.defaultPlan.comment.maxItems == 5)
    #expect(studio.daemon.configuration.outputs.roomPrefix == "cue")
    #expect(studio.log.count("the new configuration is in force, but for what waits") == 1)
    reload(studio, quickGifts + "\ntopics: {room: elsewhere}\ncomment: {maxItems: 5}")
    #expect(studio.log.count("nothing of the new configuration can be in force now") == 1)
    reload(studio, quickGifts + "\ncomment: {maxItems: 5}")
    #expect(studio.log.count("the configuration has not changed") == 1)
  }

  /// A replay handles each row under the configuration that was in force.
  @Test func aReloadOutlivesTheDaemon() throws {
    let folder = try TemporaryFolder()
    let broker = try PrivateBroker()
    do {
      let studio = try Studio(Self.slowGifts, recordsIn: folder, on: broker)
      try studio.open()
      gift(studio, "Ann")
      #expect(studio.loop.turn { studio.viewer.renderer.commands.count == 3 })
      reload(studio, Self.slowGifts + "\ninputs: [{filter: 'other/{room}/gift', kind: gift}]")
      #expect(studio.loop.turn { studio.daemon.isServing })
      gift(studio, "Ann", topic: "other/r1/gift")
      #expect(studio.loop.turn { studio.viewer.renderer.giftCount == 2 })
    }
    let studio = try Studio(Self.slowGifts, recordsIn: folder, on: broker)
    #expect(studio.loop.turn { studio.viewer.isReady && studio.source.isReady })
    try studio.daemon.start()
    #expect(studio.loop.turn { studio.daemon.isServing })
    #expect(studio.log.count("the configuration has changed since the last run") == 1)
    // The session has the filter of before no more; a message on it would be one that nobody knows.
    gift(studio, "Bo", topic: "other/r1/gift")
    gift(studio, "Ann")
    #expect(
      studio.loop.turn {
        studio.viewer.renderer.commands.contains {
          $0.json["op"]?.string == "count" && $0.json["to"]?.integer == 3
        }
      })
    studio.daemon.stop()
    #expect(studio.loop.turn { studio.stops == 1 })
    #expect(studio.log.count("batches=1 ") + studio.log.count("batches=3 ") == 1)
  }
}
