import Base
import Bridge
import TestSupport
import Testing
import Wire

/// A room's snapshot as the message that the broker keeps.
@Suite struct SnapshotTests {
  private static let yaml = """
    stage: {leader: lead}
    gift: {tracks: 2, rules: [{priority: 9, gifts: [castle], asset: castle.webm, durationMs: 8000}]}
    """

  @Test func itSaysAllThatARendererNeeds() throws {
    var door = try Door(SnapshotTests.yaml)
    door.receive(
      "im/r1/batch",
      #"[{"type":"gift","sender":{"id":"u1","name":"Ann","level":3},"gift":{"id":"castle","name":"Castle"},"#
        + #""receiver":"Zoe","count":2},{"type":"comment","id":"c1","sender":"Bo","text":"hi"},{"type":"like","sender":"Bo"}]"#
    )
    door.receive("cue/r1/control", #"{"op":"pause","part":"comment"}"#, at: 1350)
    let caused = door.receive("cue/r1/feedback", #"{"op":"resync"}"#, at: 1400)
    #expect(caused.count == 1)
    #expect(caused[0].topic == "cue/r1/snapshot")
    #expect(caused[0].isRetained)
    let ann =
      #""sender":{"id":"u1","name":"Ann","level":3},"gift":{"id":"castle","name":"Castle"},"#
      + #""receiver":{"id":"Zoe","name":"Zoe"}"#
    #expect(
      caused[0].payload
        == #"{"v":1,"room":"r1","epoch":1000,"at":1400,"now":1400,"tracks":["#
        + #"{"track":"gift/0","seq":2,"state":"counting","since":1300,"durationMs":800,"number":2,"#
        + #""show":{"group":1,\#(ann),"combo":true,"base":0,"priority":9,"durationMs":300,"until":5100},"#
        + #""count":{"from":0,"to":2,"durationMs":800,"until":5100}},"#
        + #"{"track":"gift/1","seq":0,"state":"idle"}],"fold":{"seq":0},"#
        + #""stage":{"seq":1,"waiting":0,"play":{"group":2,\#(ann),"count":2,"asset":"castle.webm","#
        + #""durationMs":8000,"deadline":9000}},"comment":{"seq":2,"items":[{"id":"c1","sender":{"id":"Bo","name":"Bo"},"#
        + ##""color":"#00AEFF","text":"hi"}]},"like":{"seq":1,"total":1,"burst":{"count":1,"particles":1,"until":3000}},"##
        + #""click":{"seq":0},"waiting":0,"paused":{"comment":1350}}"#)
    // While it holds, the window.
    let holding = door.receive("cue/r1/feedback", #"{"op":"resync"}"#, at: 2100)
    #expect(holding.last?.payload.contains(#""hold":{"count":2,"until":5100}}"#) == true)
    #expect(holding.last?["tracks"]?.array?.first?["state"]?.string == "holding")
  }

  @Test func aRoomThatLeavesClearsIt() throws {
    var door = try Door("limits: {roomIdleMs: 5000}")
    door.receive("im/r1/comment", #"[{"sender":"Bo","text":"hi"}]"#)
    #expect(door.advance(to: 5999).map(\.topic) == ["cue/r1/snapshot"])
    #expect(
      door.advance(to: 6000) == [
        PublishedMessage(at: 6000, topic: "cue/r1/snapshot", payload: "", isRetained: true)
      ])
  }

  /// However time passes, the messages are the same and in the same order.
  @Test func snapshotsStandBetweenTheCommandsWhereTheyWereWritten() throws {
    var whole = try Door("snapshot: {everyMs: 100}")
    var split = whole
    for at in [Instant(1000), 1150, 1900] {
      whole.receive("im/r\(at % 3)/gift", roses("Ann", "Bo", "Cy", "Di"), at: at)
      while split.bridge.nextDeadline.map({ $0 <= at }) ?? false {
        split.advance(to: split.bridge.nextDeadline ?? at)
      }
      split.receive("im/r\(at % 3)/gift", roses("Ann", "Bo", "Cy", "Di"), at: at)
    }
    whole.advance(to: 20_000)
    for at in stride(from: Instant(1901), through: 20_000, by: 1) { split.advance(to: at) }
    #expect(whole.published == split.published)
    #expect(whole.published.contains { $0.isRetained })
  }

  @Test func allAreSaidAgainWithoutAnyChange() throws {
    var door = try Door()
    for room in 1...5 { door.receive("im/r\(room)/comment", #"[{"sender":"Bo","text":"hi"}]"#) }
    door.advance(to: 3000)
    let before = door.published.filter(\.isRetained)
    var outgoing = OutgoingMessages()
    var place: Int? = 0
    while let next = place {
      place = door.bridge.snapshotAll(from: next, limit: 2, present: 9000, into: &outgoing)
    }
    let again = outgoing.published
    #expect(again.map(\.topic) == before.map(\.topic))
    #expect(again.count == 5)
    for (first, second) in zip(before, again) {
      #expect(second.payload == first.payload.replacing(#""now":3000"#, with: #""now":9000"#))
    }
  }
}
