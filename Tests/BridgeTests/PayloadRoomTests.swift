import Base
import Bridge
import Configuration
import TestSupport
import Testing
import Wire

/// Inputs whose topic does not say the room.
@Suite struct PayloadRoomTests {
  /// Topics of commands with their ops.
  private func told(_ messages: [PublishedMessage]) -> [String] {
    messages.compactMap { message in message["op"]?.string.map { "\(message.topic) \($0)" } }
  }

  @Test func theElementsOfOneMessageGoToTheirRooms() throws {
    var door = try Door("inputs: [{filter: all, kind: batch, roomMember: where.room}]")
    let caused = door.receive(
      "all",
      #"""
      [{"type":"gift","sender":"Ann","gift":"rose","where":{"room":"r2"}},
       {"type":"comment","sender":"Bo","text":"hi","where":{"room":1}},
       {"type":"gift","sender":"Ann","gift":"rose","where":{"room":"r2"},"count":2},
       {"type":"like","sender":"Bo","where":{"room":"1"}}]
      """#)
    #expect(told(caused) == ["cue/r2/gift/0 show", "cue/1/comment append", "cue/1/like burst"])
    #expect(door.giftsAccepted == 3)
    #expect(door.bridge.roomCount == 2)
    #expect(door.bridge.counters.batches == 1)
  }

  @Test(arguments: ["native", "cases"])
  func aRoomBesideTheElementsIsForThoseThatSayNone(profile: String) throws {
    let cases =
      "{profile: cases, elements: events, fields: {sender: sender}, cases: [{kind: gift, fields: {gift: gift}}]}"
    var door = try Door(
      """
      profiles: [\(cases)]
      inputs: [{filter: all, kind: gift, profile: \(profile), roomMember: room}]
      """)
    let gift = #""sender":"Ann","gift":"rose""#
    let list = "[{\(gift)},{\(gift),\"room\":\"r2\"},{\(gift),\"room\":null}]"
    #expect(
      told(door.receive("all", "{\"room\":\"r1\",\"events\":\(list)}"))
        == ["cue/r1/gift/0 show", "cue/r2/gift/0 show"])
    #expect(door.giftsAccepted == 3)
    // An array has nothing beside it.
    door.receive("all", list)
    #expect(door.giftsAccepted == 4)
    #expect(door.bridge.counters.rejections(for: .badRoom) == 2)
    #expect(door.receive("all", "{\(gift),\"room\":\"r3\"}").map(\.topic) == ["cue/r3/gift/0"])
  }

  @Test func anElementWithoutAGoodRoomIsRefusedAlone() throws {
    var door = try Door("inputs: [{filter: all, kind: gift, roomMember: room}]")
    let caused = door.receive(
      "all",
      #"""
      [{"sender":"Ann","gift":"rose","room":"a/b"},{"sender":"Ann","gift":"rose","room":""},
       {"sender":"Ann","gift":"rose"},{"sender":"Ann","gift":"rose","room":"r1"},{"sender":"Ann","room":"r1"}]
      """#)
    // Nobody knows whose the first three are: who reads what r1 says does not see them.
    #expect(caused.map(\.topic) == ["cue/r1/gift/0", "livecue/main/rejected"])
    let items = caused.last?["items"]?.array ?? []
    #expect(
      items.map { "\($0["index"]?.integer ?? -1) \($0["reason"]?.string ?? "")" } == [
        "0 bad-room", "1 bad-room", "2 bad-room", "4 missing-gift",
      ])
  }

  @Test func refusalsOfOneRoomGoToIt() throws {
    var door = try Door("inputs: [{filter: all, kind: gift, roomMember: room}]")
    let caused = door.receive(
      "all", #"[{"sender":"Ann","gift":"rose","room":"r1"},{"sender":"Ann","room":"r1"}]"#)
    #expect(caused.map(\.topic) == ["cue/r1/gift/0", "cue/r1/rejected"])
  }

  @Test func refusalsOfSeveralRoomsGoToTheInstance() throws {
    var door = try Door("allowRooms: [r1]\ninputs: [{filter: all, kind: gift, roomMember: room}]")
    let caused = door.receive(
      "all", #"[{"sender":"Ann","gift":"rose","room":"r1"},{"sender":"Ann","gift":"rose","room":"r2"}]"#)
    #expect(caused.map(\.topic) == ["cue/r1/gift/0", "livecue/main/rejected"])
    #expect(door.receive("all", "7").map(\.topic) == ["livecue/main/rejected"])
  }

  @Test func removalsAreOfTheirOwnRooms() throws {
    var door = try Door("inputs: [{filter: all, kind: batch, roomMember: room}]")
    door.receive(
      "all",
      #"""
      [{"type":"comment","id":"c","sender":"Ann","text":"1","room":"r1"},
       {"type":"comment","id":"c","sender":"Ann","text":"2","room":"r2"}]
      """#)
    let removal =
      #"[{"type":"remove","ids":["x","c"],"room":"r2"},{"type":"remove","ids":["y"],"room":"r1"}]"#
    #expect(told(door.receive("all", removal)) == ["cue/r2/comment remove"])
  }

  @Test func aFixedRoomTakesAllAndSharesItWithOtherSources() throws {
    var door = try Door(
      """
      inputs:
        - {filter: "obs/#", kind: gift, room: studio, source: one}
        - {filter: "im/{room}/gift", kind: gift, source: two}
      """)
    let gift = #"[{"id":"e","sender":"Ann","gift":"rose"}]"#
    #expect(told(door.receive("obs/a/b", gift)) == ["cue/studio/gift/0 show"])
    // An id is of its source: the same id of another source is another event, of the same combo.
    door.receive("im/studio/gift", gift)
    door.receive("im/studio/gift", gift)
    #expect(door.giftsAccepted == 2)
    #expect(door.bridge.roomCount == 1)
    #expect(door.receive("obs/x", "[{}]").map(\.topic) == ["cue/studio/rejected"])
  }
}
