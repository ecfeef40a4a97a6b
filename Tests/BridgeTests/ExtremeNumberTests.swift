import Base
import Bridge
import TestSupport
import Testing
import Wire

/// No number that may come in ends the process.
@Suite struct ExtremeNumberTests {
  @Test func sumsOfLikesBeyond64BitsSaturate() throws {
    var door = try Door()
    let largest = 1 << 53
    let pair = #"{"sender":"a","total":1},{"sender":"a","total":\#(largest)}"#
    let pairs = Array(repeating: pair, count: 1500).joined(separator: ",")
    let caused = door.receive("im/r1/like", "[\(pairs)]")
    #expect(caused.first?["count"] == .integer(.max))
    #expect(caused.first?["total"] == .integer(Int64(largest)))
    #expect(door.receive("im/r1/like", "[\(pairs)]", at: 2000).last?["count"] == .integer(.max))
    door.receive("im/r2/like", "[\(pairs),{\"sender\":\"a\",\"count\":1000000}]")
  }

  @Test func instantsOfEventsMayBeAnyIntegers() throws {
    var door = try Door()
    for (place, time) in [Int64.min, .max, .min, 0, .max].enumerated() {
      door.receive(
        "im/r1/gift", #"[{"sender":"Ann","gift":"rose","total":\#(place + 1),"time":\#(time)}]"#)
    }
    #expect(door.bridge.counters.rejections(for: .badCount) == 0)
  }

  @Test func theMostValuableGiftHasAValueThatSaturates() throws {
    var door = try Door("gift: {rules: [{priority: 9, minValue: 1000000000000000000}]}")
    let gift = #"{"sender":"Ann","gift":{"id":"g","price":1000000000000},"count":1000000,"sender":"Ann"}"#
    let caused = door.receive("im/r1/gift", "[\(gift),\(gift)]")
    #expect(caused.first?["priority"] == .integer(9))
    #expect(door.giftsAccepted == 2_000_000)
  }
}
