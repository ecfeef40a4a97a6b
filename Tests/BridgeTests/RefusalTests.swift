import Base
import Bridge
import TestSupport
import Testing
import Wire

@Suite struct RefusalTests {
  @Test func theIssuesExampleShowsTwoGiftsAndReportsTheBadOne() throws {
    var door = try Door()
    let payload =
      #"[{"sender":"Ann","giftName":"Rose"},{"sender":"Bo"},{"sender":"Ann","giftName":"Rose","count":2}]"#
    door.receive("im/r1/gift", payload, at: 50_000)
    door.advance(to: 60_000)
    let briefs = door.published.filter { $0.topic == "cue/r1/gift/0" }.map {
      $0.brief(since: 50_000, "from", "to", "count", "until")
    }
    #expect(
      briefs == [
        "0 show until=3700", "300 count from=0 to=3 until=4500", "1500 hold count=3 until=4500",
        "4500 hide count=3",
      ])
    let reports = door.published.filter { $0.topic == "cue/r1/rejected" }
    #expect(reports.map(\.refusals) == [["1 missing-gift"]])
    #expect(reports.first?["topic"]?.string == "im/r1/gift")
    #expect(reports.first?["room"]?.string == "r1")
    #expect(reports.first?["payload"]?.string == payload)
  }

  @Test func everyRefusalIsReportedWithItsPlaceAndCounted() throws {
    var door = try Door()
    let long = String(repeating: "i", count: 257)
    let caused = door.receive(
      "im/r1/batch",
      """
      [{"type":"poll","sender":"a"},{"type":"gift","gift":"g"},{"type":"gift","sender":"a"},
       {"type":"gift","sender":"a","gift":"g"},{"type":"comment","sender":"a"},
       {"type":"gift","sender":"a","gift":"g","count":0},{"type":"gift","sender":"a","gift":{"id":"g","price":-1}},
       {"type":"like","sender":"\(long)"},7]
      """)
    #expect(
      caused.last?.refusals == [
        "0 unknown-type", "1 missing-sender", "2 missing-gift", "4 missing-text", "5 bad-count",
        "6 bad-price",
        "7 id-too-long", "8 unknown-type",
      ])
    #expect(caused.last?["count"] == .integer(8))
    #expect(door.giftsAccepted == 1)
    #expect(door.bridge.counters.rejections(for: .unknownType) == 2)
    #expect(door.bridge.counters.rejections(for: .badPrice) == 1)
  }

  @Test(arguments: [
    ("not-json", "[{]"), ("not-a-batch", "5"), ("not-a-batch", #"{"events":5}"#),
    ("too-large", String(repeating: " ", count: 2048) + "[]"), ("too-many-events", "[1,2,3,4]"),
    ("too-deep", #"[{"a":[[[[]]]]}]"#),
  ])
  func aPayloadThatIsNoBatchIsRefusedWhole(reason: String, payload: String) throws {
    var door = try Door("limits: {maxBatchBytes: 2048, maxEvents: 3, maxDepth: 4}")
    let caused = door.receive("im/r1/gift", payload)
    #expect(caused.map(\.topic) == ["cue/r1/rejected"])
    #expect(caused.map(\.refusals) == [[reason]])
    #expect(caused.first?.json["items"]?.array?.first?["index"] == .null)
    #expect(door.bridge.roomCount == 0)
  }

  @Test(arguments: ["", "a\u{1}", "a\u{85}", String(repeating: "r", count: 129)])
  func aBadRoomIsReportedByTheInstance(room: String) throws {
    var door = try Door("instance: eu")
    let caused = door.receive("im/\(room)/gift", roses("Ann"))
    #expect(caused.map(\.topic) == ["livecue/eu/rejected"])
    #expect(caused.map(\.refusals) == [["bad-room"]])
    #expect(caused.first?["room"] == nil)
    #expect(caused.first?["topic"]?.string == "im/\(room)/gift")
    #expect(door.bridge.counters.rejections(for: .badRoom) == 1)
  }

  @Test(arguments: [1, 2, 128])
  func aRoomOfUpTo128BytesIsServed(length: Int) throws {
    var door = try Door()
    let room = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "r" : "")
    #expect(door.receive("im/\(room)/gift", roses("Ann")).map(\.topic) == ["cue/\(room)/gift/0"])
  }

  @Test func oneRoomTooManyIsReportedByTheInstanceAndTheOthersGoOn() throws {
    var door = try Door("limits: {maxRooms: 2}")
    door.receive("im/r1/gift", roses("Ann"))
    door.receive("im/r2/gift", roses("Ann"))
    let caused = door.receive("im/r3/gift", #"[{"sender":"Ann","gift":"rose"},{"sender":"Bo"}]"#)
    #expect(caused.map(\.topic) == ["livecue/main/rejected"])
    #expect(caused.map(\.refusals) == [["too-many-rooms"]])
    #expect(door.receive("im/r2/gift", roses("Bo")).map(\.topic) == ["cue/r2/gift/1"])
    #expect(door.bridge.roomCount == 2)
    #expect(door.giftsAccepted == 3)
  }

  @Test func aRoomThatLeftMakesPlaceForAnother() throws {
    var door = try Door("limits: {maxRooms: 1, roomIdleMs: 10000}")
    door.receive("im/r1/gift", roses("Ann"), at: 0)
    #expect(door.receive("im/r2/gift", roses("Ann"), at: 10_000).last?.refusals == ["too-many-rooms"])
    let caused = door.receive("im/r2/gift", roses("Ann"), at: 60_000)
    #expect(caused.last?.brief() == "60000 show")
    #expect(caused.last?["epoch"] == .integer(60_000))
  }

  @Test func aRoomThatIsNotAllowedIsReportedByTheInstance() throws {
    var door = try Door("allowRooms: [lobby, \"房间\"]")
    #expect(door.receive("im/lobby/gift", roses("Ann")).map(\.topic) == ["cue/lobby/gift/0"])
    #expect(door.receive("im/房间/gift", roses("Ann")).map(\.topic) == ["cue/房间/gift/0"])
    let caused = door.receive("im/Lobby/gift", roses("Ann"))
    #expect(caused.map(\.topic) == ["livecue/main/rejected"])
    #expect(caused.map(\.refusals) == [["bad-room"]])
  }

  @Test func aStreakTooManyIsReportedAtItsPlaceInThePayload() throws {
    var door = try Door("gift: {maxStreaks: 2}")
    let caused = door.receive(
      "im/r1/gift",
      """
      [{"sender":"a"},{"sender":"a","gift":"g","total":1},{"sender":"b","gift":"g","total":1},7,
       {"sender":"c","gift":"g","total":5},{"sender":"a","gift":"g","total":2},{"sender":"d","gift":"g","count":1}]
      """)
    #expect(caused.last?.refusals == ["0 missing-gift", "3 unknown-type", "4 too-many-streaks"])
    #expect(door.giftsAccepted == 4)
    #expect(door.bridge.counters.rejections(for: .tooManyStreaks) == 1)
  }

  @Test func aRefusedStreakMayComeAgainWithItsID() throws {
    var door = try Door("gift: {maxStreaks: 1, streakGapMs: 1000}")
    let second = #"[{"id":"e2","sender":"b","gift":"g","total":4}]"#
    door.receive("im/r1/gift", #"[{"id":"e1","sender":"a","gift":"g","total":1}]"#, at: 0)
    #expect(door.receive("im/r1/gift", second, at: 999).last?.refusals == ["0 too-many-streaks"])
    door.receive("im/r1/gift", second, at: 1000)
    #expect(door.giftsAccepted == 5)
  }

  @Test func aReportListsTwentyAndCountsAll() throws {
    var door = try Door()
    let caused = door.receive("im/r1/gift", "[\(String(repeating: "7,", count: 25))7]")
    #expect(caused.first?.refusals.count == 20)
    #expect(caused.first?["count"] == .integer(26))
  }
}
