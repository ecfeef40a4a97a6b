import Base
import Bridge
import TestSupport
import Testing
import Wire

@Suite struct RoutingTests {
  @Test func eachInputGoesToItsKindAndRoom() throws {
    var door = try Door()
    door.receive("im/r1/gift", roses("Ann"))
    door.receive("im/r2/comment", #"[{"sender":"Bo","text":"hi"}]"#)
    door.receive("im/r1/like", #"[{"sender":"Cy","count":5}]"#)
    door.receive(
      "im/r3/batch", #"[{"type":"like","sender":"Di"},{"type":"gift","sender":"Di","gift":"car"}]"#)
    #expect(
      door.published.map { "\($0.topic) \($0["op"]?.string ?? "")" } == [
        "cue/r1/gift/0 show", "cue/r2/comment append", "cue/r1/like burst", "cue/r3/gift/0 show",
        "cue/r3/like burst",
      ])
    #expect(door.bridge.roomCount == 3)
    #expect(door.bridge.counters.batches == 4)
  }

  @Test func aTopicOfNoInputIsCountedAndSilent() throws {
    var door = try Door()
    for topic in ["im/r1", "im/r1/gift/more", "im/r1/gifts", "cue/r1/gift/0", "", "/", "im//", "$SYS/x/y"] {
      #expect(door.receive(topic, roses("Ann")) == [])
    }
    #expect(door.bridge.counters.unknownTopics == 8)
    #expect(door.bridge.counters.batches == 0)
  }

  @Test func retainedInputIsIgnoredAndCounted() throws {
    var door = try Door()
    #expect(door.receive("im/r1/gift", roses("Ann"), retained: true) == [])
    #expect(door.receive("im/r+/gift", "[", retained: true) == [])
    #expect(door.bridge.counters.retainedIgnored == 2)
    #expect(door.bridge.counters.batches == 0)
    #expect(door.bridge.roomCount == 0)
  }

  /// Time does not stand still because a message is refused.
  @Test(arguments: ["im/r1/nothing", "im/a\u{7}/gift", "im/r1/gift"])
  func anyMessageFiresTheTimersThatAreDue(topic: String) throws {
    var door = try Door()
    door.receive("im/r1/gift", roses("Ann"), at: 1000)
    let caused = door.receive(topic, "[", at: 1300)
    #expect(caused.first?.brief(since: 1000, "from", "to") == "300 count from=0 to=1")
  }

  @Test func anEarlierInstantCountsAsTheLast() throws {
    var door = try Door()
    door.receive("im/r1/gift", roses("Ann"), at: 5000)
    let caused = door.receive("im/r1/gift", roses("Bo"), at: 1)
    #expect(caused.map(\.at) == [5000])
    #expect(door.receive("im/r1/gift", "[", at: 2).map(\.at) == [5000])
  }

  @Test func otherPrefixesAndProfilesAreObeyed() throws {
    var door = try Door(
      """
      instance: eu
      topics: {room: stage/cue, instance: ops}
      inputs:
        - {filter: "app/+/v1/gifts", kind: gift}
      """)
    #expect(door.receive("app/r1/v1/gifts", roses("Ann")).map(\.topic) == ["stage/cue/r1/gift/0"])
    #expect(door.receive("im/r1/gift", roses("Ann")) == [])
    let long = String(repeating: "r", count: 129)
    #expect(door.receive("app/\(long)/v1/gifts", roses("Ann")).map(\.topic) == ["ops/eu/rejected"])
  }

  @Test func theSameInputsGiveTheSameBytes() throws {
    func play() throws -> [PublishedMessage] {
      var door = try Door("gift: {tracks: 2, foldAfterMs: 2000}")
      for step in 0..<200 {
        let sender = "s\(step * 7 % 31)"
        door.receive("im/r\(step % 5)/gift", roses(sender, "x", "s\(step % 11)"), at: Int64(step) * 37)
        door.receive(
          "im/r\(step % 3)/comment", #"[{"sender":"\#(sender)","text":"t"}]"#, at: Int64(step) * 37)
        if step % 9 == 0 { door.receive("im/r1/like", "{]", at: Int64(step) * 37) }
      }
      door.advance(to: 100_000)
      return door.published
    }
    let first = try play()
    #expect(first.count > 500)
    #expect(try play() == first)
  }

  @Test func splitAdvancesGiveTheSameBytes() throws {
    var whole = try Door()
    var split = try Door()
    whole.receive("im/r1/gift", roses("Ann", "Bo", "Cy", "Di", "Ed"), at: 0)
    split.receive("im/r1/gift", roses("Ann", "Bo", "Cy", "Di", "Ed"), at: 0)
    whole.advance(to: 20_000)
    for instant in stride(from: Int64(0), through: 20_000, by: 33) { split.advance(to: instant) }
    split.advance(to: 20_000)
    #expect(split.published == whole.published)
  }
}
