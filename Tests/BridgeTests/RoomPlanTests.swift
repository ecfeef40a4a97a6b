import Base
import Bridge
import TestSupport
import Testing
import Wire

@Suite struct RoomPlanTests {
  @Test func aRoomsOwnSettingsAreUsedForItAlone() throws {
    var door = try Door("rooms: {lobby: {gift: {tracks: 1, showMs: 700}}, vip: {limits: {maxEvents: 1}}}")
    door.receive("im/lobby/gift", roses("Ann", "Bo"), at: 0)
    door.receive("im/hall/gift", roses("Ann", "Bo"), at: 0)
    #expect(
      door.published.map { "\($0.topic) \($0.brief(since: 0, "durationMs"))" } == [
        "cue/lobby/gift/0 0 show durationMs=700", "cue/hall/gift/0 0 show durationMs=300",
        "cue/hall/gift/1 0 show durationMs=300",
      ])
    #expect(door.receive("im/vip/gift", roses("Ann", "Bo"), at: 0).first?.refusals == ["too-many-events"])
  }

  @Test func inputsOfOneSourceShareTheIDsOfEvents() throws {
    var door = try Door()
    let gift = #"[{"type":"gift","id":"e1","sender":"Ann","gift":"rose"}]"#
    door.receive("im/r1/gift", gift)
    #expect(door.receive("im/r1/batch", gift) == [])
    #expect(door.giftsAccepted == 1)
    #expect(door.bridge.engineCounters.duplicateIDs == 1)
    // Another room is another world, and a comment is not a gift.
    door.receive("im/r2/batch", gift)
    door.receive("im/r1/comment", #"[{"id":"e1","sender":"Ann","text":"hi"}]"#)
    #expect(door.giftsAccepted == 2)
    #expect(door.bridge.engineCounters.commentEvents == 1)
  }

  @Test func inputsOfDifferentSourcesDoNotShareIDs() throws {
    var door = try Door(
      """
      inputs:
        - {filter: "a/{room}/gift", kind: gift, source: one}
        - {filter: "b/{room}/gift", kind: gift, source: two}
        - {filter: "c/{room}/gift", kind: gift, source: one}
      """)
    let gift = #"[{"id":7,"sender":"Ann","gift":"rose"}]"#
    for prefix in ["a", "b", "c"] { door.receive("\(prefix)/r1/gift", gift) }
    #expect(door.giftsAccepted == 2)
  }

  @Test func anIntegerIDAndItsTextAreOne() throws {
    var door = try Door()
    door.receive(
      "im/r1/gift", #"[{"id":7,"sender":"Ann","gift":"rose"},{"id":"7","sender":"Ann","gift":"rose"}]"#)
    #expect(door.giftsAccepted == 1)
  }
}
