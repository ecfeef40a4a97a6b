import Base
import Bridge
import TestSupport
import Testing
import Wire

/// Text inside strings never costs a gift.
@Suite struct DamagedTextTests {
  /// A batch of twenty gifts, of which some have a name that is written as it is given.
  private func batch(_ names: [Int: [UInt8]]) -> [UInt8] {
    var payload = Array("[".utf8)
    for place in 0..<20 {
      payload += Array("\(place == 0 ? "" : ",")\n{\"sender\":{\"id\":\"u\(place)\",\"name\":\"".utf8)
      payload += names[place] ?? Array("Viewer \(place)".utf8)
      payload += Array("\"},\"gift\":\"rose\"}".utf8)
    }
    return payload + Array("]".utf8)
  }

  @Test func twentyGiftsCountDespiteAHalfEmojiAndABadByte() throws {
    var door = try Door("gift: {tracks: 20}")
    let caused = door.receive("im/r1/gift", batch([3: Array(#"A\ud83d"#.utf8), 7: [0x42, 0xFF, 0x43]]))
    #expect(door.giftsAccepted == 20)
    #expect(caused.count == 20)
    #expect(
      caused.compactMap { $0["sender"]?["name"]?.string }.filter { $0.contains("\u{FFFD}") } == [
        "A\u{FFFD}", "B\u{FFFD}C",
      ])
    #expect(door.bridge.repairedPayloads == 1)
  }

  @Test(arguments: [
    #"\ud83d"#, #"\ude00\ud83d"#, #"\ud83d\n"#, #"\ud83dA"#, #"\uD83D\uD83D\uDE00"#, #"\udfff"#,
  ])
  func aLoneSurrogateCostsNoGift(name: String) throws {
    var door = try Door("gift: {tracks: 20}")
    door.receive("im/r1/gift", batch([0: Array(name.utf8), 19: Array(name.utf8)]))
    #expect(door.giftsAccepted == 20)
  }

  @Test(
    arguments: [
      [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0xBD], [0xF4, 0x90, 0x80, 0x80],
      [0xC0, 0x80], [0xFF],
    ] as [[UInt8]])
  func aBadUTF8SequenceCostsNoGift(bytes: [UInt8]) throws {
    var door = try Door("gift: {tracks: 20}")
    door.receive("im/r1/gift", batch([5: Array("x".utf8) + bytes + Array("y".utf8), 6: bytes]))
    #expect(door.giftsAccepted == 20)
    let isValid = door.published.allSatisfy { !$0.payload.isEmpty && $0.json != .null }
    #expect(isValid)
  }

  @Test func aHugeNumberInAnIgnoredMemberCostsNoGift() throws {
    var door = try Door()
    door.receive(
      "im/r1/gift",
      #"[{"sender":"Ann","gift":"rose","trace":12345678901234567890123,"load":1e999,"count":2}]"#)
    #expect(door.giftsAccepted == 2)
  }

  @Test func ofAMemberGivenTwiceTheLastCounts() throws {
    var door = try Door()
    door.receive("im/r1/gift", #"[{"sender":"Ann","gift":"rose","count":2,"count":3}]"#)
    #expect(door.giftsAccepted == 3)
  }
}
