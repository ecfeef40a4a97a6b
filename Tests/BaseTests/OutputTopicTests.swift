import Base
import Testing

@Suite struct OutputTopicTests {
  private let outputs = OutputPlan(roomPrefix: "tv/cue", instancePrefix: "ops", instance: "b")

  @Test func aRoomStandsBehindThePrefix() throws {
    // An accent that begins a level is one Character with the slash before it, and still of the level.
    for room in ["r1", "\u{301}x", "a b", "é", "e\u{301}"] {
      let found = try #require(outputs.roomAndTrack(of: "tv/cue/\(room)/gift/0"))
      #expect(Array(found.room.utf8) == Array(room.utf8) && found.track == "gift/0")
    }
    for topic in ["tv/cue/r1", "tv/cue", "cue/r1/gift/0", "tv/cuex/r1/gift/0", ""] {
      #expect(outputs.roomAndTrack(of: topic) == nil, "\(topic)")
    }
  }

  @Test func anInstanceIsNamedByItsStatusOnly() {
    #expect(outputs.instance(ofStatus: "ops/main/status") == "main")
    for topic in ["ops/main/stats", "ops/status", "ops/a/b/status", "tv/main/status", "ops/main/status/x"] {
      #expect(outputs.instance(ofStatus: topic) == nil, "\(topic)")
    }
  }
}
