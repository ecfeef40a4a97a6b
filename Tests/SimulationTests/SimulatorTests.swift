import Base
import Bridge
import Configuration
import Simulation
import TestSupport
import Testing
import Wire

@Suite struct SimulatorTests {
  @Test func itPlaysOnUntilNothingWaits() throws {
    let play = try Play([rose(1000)])
    #expect(
      play.briefs == [
        "cue/r1/gift/0 1000 show", "cue/r1/gift/0 1300 count", "cue/r1/gift/0 1700 hold",
        "cue/r1/gift/0 4700 hide",
      ])
    #expect(play.summary.page.contains("drained    3700 ms after the last batch"))
  }

  @Test(arguments: [
    (Int64(999), 0), (1000, 1), (1299, 1), (1300, 2), (1699, 2), (1700, 3), (4699, 3), (4700, 4), (10_000, 4),
  ])
  func untilIsTheLastInstantThatCounts(until: Int64, commands: Int) throws {
    #expect(try Play([rose(1000)], until: until).published.count == commands)
  }

  @Test func linesAfterUntilDoNothingAndItAddsUp() throws {
    let play = try Play([rose(0), rose(100, count: 2), rose(5001, count: 40)], until: 5000)
    #expect(play.renderer.giftCount == 3)
    #expect(play.summary.conserves)
    #expect(play.summary.page.contains("3 accepted = 3 shown"))
  }

  @Test func whatWaitsAtTheCutIsCountedAsWaiting() throws {
    let play = try Play([rose(0, count: 7)], until: 100)
    #expect(play.summary.conserves)
    #expect(play.summary.page.contains("7 accepted = 0 shown + 0 folded + 7 waiting"))
  }

  /// A journal that has been cut starts at a saved state, in which gifts may wait.
  @Test func whatWaitedAtTheStartIsCounted() throws {
    var bridge = try Bridge(configuration: .defaults)
    var outgoing = OutgoingMessages()
    bridge.receive(
      topic: Array("im/r1/gift".utf8).span, payload: Array(#"{"sender":"u","gift":"g","count":7}"#.utf8).span,
      at: 1000, into: &outgoing)
    bridge.restartCounting()
    var simulator = Simulator(bridge: bridge, until: nil)
    try simulator.play(Array(rose(1100, count: 2).utf8)) { _ in }
    simulator.finish { _ in }
    #expect(simulator.summary.conserves)
    #expect(
      simulator.summary.page.contains("2 accepted + 7 waiting at the start = 9 shown + 0 folded + 0 waiting"))
  }

  @Test func timeAwayMovesEveryTimer() throws {
    let play = try Play([rose(0), #"{"away":{"from":100,"to":60100}}"#])
    #expect(
      play.briefs.suffix(3) == [
        "cue/r1/gift/0 60300 count", "cue/r1/gift/0 60700 hold", "cue/r1/gift/0 63700 hide",
      ])
    #expect(play.renderer.giftCount == 1)
  }

  @Test func timeAwayAfterUntilDoesNothing() throws {
    let play = try Play([rose(0), #"{"away":{"from":100,"to":5000}}"#], until: 4999)
    #expect(play.briefs.count == 4)
  }

  /// The acceptance table of streaks without ids: 48, 49, then 20 s away, 50, 51.
  @Test func aStreakGoesOnOverTimeAway() throws {
    func frame(_ at: Int64, _ total: Int, time: Int64? = nil) -> String {
      let time = time.map { ",\"time\":\($0)" } ?? ""
      return line(at, "im/r1/gift", #"[{"sender":"Ann","gift":"rose","total":\#(total)\#(time)}]"#)
    }
    let away = #"{"away":{"from":1000,"to":21000}}"#
    let byAway = try Play([frame(0, 48), frame(500, 49), away, frame(21_000, 50), frame(21_500, 51)])
    #expect(byAway.renderer.giftCount == 51)
    let byTime = try Play([
      frame(0, 48, time: 0), frame(500, 49, time: 500), frame(21_000, 50, time: 1000),
      frame(21_500, 51, time: 1500),
    ])
    #expect(byTime.renderer.giftCount == 51)
    let withGap = try Play([frame(0, 48), frame(500, 49), frame(21_000, 50), frame(21_500, 51)])
    #expect(withGap.renderer.giftCount == 49 + 51)
  }

  @Test func aPayloadInBase64IsTheMessagesBytes() throws {
    let text = "[{\"sender\":\"A\u{FFFD}\",\"gift\":\"rose\"}]"
    let damaged = text.utf8.flatMap { $0 == 0xEF ? [UInt8(0xFF)] : $0 == 0xBF || $0 == 0xBD ? [] : [$0] }
    var encoded: [UInt8] = []
    Base64.encode(damaged, into: &encoded)
    let play = try Play([
      #"{"at":0,"topic":"im/r1/gift","base64":"\#(String(decoding: encoded, as: UTF8.self))"}"#
    ])
    #expect(play.renderer.giftCount == 1)
    #expect(play.renderer.commands.first?["sender"]?["name"] == .string("A\u{FFFD}"))
    #expect(play.summary.page.contains("1 read after a repair"))
  }

  @Test func aBadLineCostsNoOther() throws {
    let play = try Play([
      rose(0), "{", "[]", "", #"{"at":1}"#, line(2, "nowhere", "1"), rose(100, count: 2), #"{"at":"x"}"#,
    ])
    #expect(play.faults.count == 5)
    #expect(play.renderer.giftCount == 3)
  }

  @Test func anEarlierLineCountsAsTheLast() throws {
    let play = try Play([rose(5000), line(4000, "im/r1/like", #"{"sender":"Bo"}"#)])
    #expect(play.briefs.prefix(2) == ["cue/r1/gift/0 5000 show", "cue/r1/like 5000 burst"])
  }

  @Test func theSummaryCountsByTrackWhateverTheRoomIsCalled() throws {
    let gift = #"[{"sender":"Ann","gift":"g"}]"#
    let play = try Play([
      line(0, "im/gift/gift", gift), line(0, "im/gift/comment", #"{"sender":"A","text":"t"}"#),
      line(0, "im/r1/gift", gift), line(0, "im/gift/like", "5"),
    ])
    #expect(play.summary.page.contains("commands   comment 1, gift/0 8, rejected 1\n"))
    #expect(play.summary.page.contains("rejected   not-a-batch 1\n"))
  }
}
