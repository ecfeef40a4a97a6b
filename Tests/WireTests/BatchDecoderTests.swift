import Base
import Testing
import Wire

@Suite struct BatchDecoderTests {
  static let ann = ReadParty("u1", "Ann", level: 12)
  static let like = #"{"type":"like","sender":"u"}"#

  @Test func designExamplesDecode() {
    var decoding = Decoding()
    let events = decoding.events(
      """
      [{"type":"gift","id":"e-1","time":1722400000000,"sender":{"id":"u1","name":"Ann","level":12},\
      "gift":{"id":"rose","name":"Rose","price":1},"count":1},
      {"type":"comment","id":"e-2","sender":{"id":"u1","name":"Ann"},"text":"hello"},
      {"type":"like","id":"e-3","sender":{"id":"u2","name":"Bo"},"count":5}]
      """)
    #expect(
      events == [
        ReadEvent(
          kind: .gift, id: "e-1", time: 1_722_400_000_000, sender: Self.ann,
          gift: ReadGift("rose", "Rose", price: 1), count: 1),
        ReadEvent(kind: .comment, index: 1, id: "e-2", sender: ReadParty("u1", "Ann"), text: "hello"),
        ReadEvent(kind: .like, index: 2, id: "e-3", sender: ReadParty("u2", "Bo"), count: 5),
      ])
    #expect(decoding.rejections.isEmpty)
    #expect(decoding.batch.source == 7)
  }

  @Test func everyMemberOfAGiftIsRead() {
    var decoding = Decoding()
    let events = decoding.events(
      """
      {"receiver":{"avatar":"r.png","level":-3,"name":"Host","id":99},"icon":"rose.png","avatar":"a.png",
      "end":true,"streak":17,"total":30,"count":5,"combo":false,"unknown":{"deep":[1,{"id":"no"}]},
      "gift":{"id":-0,"name":"Rose","price":1000000000000},"sender":{"id":18446744073709551615,"name":"Big"},
      "time":-5,"id":8,"type":"gift"}
      """)
    #expect(
      events == [
        ReadEvent(
          kind: .gift, id: "8", time: -5, sender: ReadParty("18446744073709551615", "Big", avatar: "a.png"),
          gift: ReadGift("0", "Rose", icon: "rose.png", price: 1_000_000_000_000),
          receiver: ReadParty("99", "Host", avatar: "r.png", level: -3), total: 30, merges: false,
          streak: "17",
          ends: true)
      ])
  }

  @Test(arguments: [
    // A batch may be an array, one event, or an object that holds the array.
    ("[]", 0), ("[\(like)]", 1), (like, 1), (#"{"events":[\#(like),\#(like)]}"#, 2), (#"{"events":[]}"#, 0),
    (#"{"events":[],"type":"like","sender":"u"}"#, 0), (#"{"events":7,"events":[\#(like)]}"#, 1),
    ("  [ \(like) ]\r\n", 1),
  ])
  func batchShapes(_ payload: String, _ count: Int) {
    var decoding = Decoding()
    #expect(decoding.events(payload).count == count)
    #expect(decoding.rejections.isEmpty)
  }

  @Test(arguments: [
    ("7", "not-a-batch"), (#""text""#, "not-a-batch"), ("null", "not-a-batch"), ("true", "not-a-batch"),
    ("1.5", "not-a-batch"), (#"{"events":{}}"#, "not-a-batch"), (#"{"events":null}"#, "not-a-batch"),
    (#"{"events":[],"events":1}"#, "not-a-batch"), ("99999999999999999999", "not-a-batch"),
    ("", "not-json"), (" ", "not-json"), ("[", "not-json"), ("[1,]", "not-json"), ("{'a':1}", "not-json"),
    ("[1] x", "not-json"), ("\u{FEFF}[]", "not-json"), ("[01]", "not-json"), ("[1.]", "not-json"),
    ("[NaN]", "not-json"), ("[\"a\tb\"]", "not-json"), (#"["\x"]"#, "not-json"), (#"["\u12"]"#, "not-json"),
    ("{99999999999999999999:1}", "not-json"), ("[-]", "not-json"), ("[+1]", "not-json"),
    ("{}", "0 unknown-type"),
    ("[1]", "0 unknown-type"), ("[[]]", "0 unknown-type"), ("[null]", "0 unknown-type"),
  ])
  func refusedShapes(_ payload: String, _ refusal: String) {
    var decoding = Decoding()
    #expect(decoding.refusals(payload) == [refusal])
    #expect(decoding.batch.events.isEmpty)
  }

  @Test func profileDecidesWhereTheElementsLie() {
    let profile = Profile(
      name: "nested", elementsPath: ["data", "list"], kindPath: [], kindNames: [],
      mappings: [FieldMapping(kind: nil, field: .sender, path: ["who"])])
    var decoding = Decoding(kind: .like, profile: profile)
    #expect(decoding.events(#"{"data":{"list":[{"who":1},{"who":2}]}}"#).map(\.sender.id) == ["1", "2"])
    #expect(decoding.events(#"{"who":3}"#).map(\.sender.id) == ["3"])
    #expect(decoding.events(#"{"data":7,"who":3}"#).map(\.sender.id) == ["3"])
    #expect(decoding.refusals(#"{"data":{"list":{}}}"#) == ["not-a-batch"])
  }

  @Test func payloadSizeIsBounded() {
    var decoding = Decoding()
    decoding.limits.maxBatchBytes = 40
    let event = Array(Self.like.utf8)
    for (padding, refusals) in [(39, []), (40, []), (41, ["too-large"])] {
      decoding.decode(event + Array(repeating: 0x20, count: padding - event.count))
      #expect(decoding.refusals == refusals)
    }
  }

  @Test func numberOfElementsIsBounded() {
    var decoding = Decoding()
    decoding.limits.maxEvents = 3
    for (count, refusals) in [(2, []), (3, []), (4, ["too-many-events"])] {
      let payload = "[" + Array(repeating: Self.like, count: count).joined(separator: ",") + "]"
      #expect(decoding.refusals(payload) == refusals)
      #expect(decoding.batch.events.count == (refusals.isEmpty ? count : 0))
    }
  }

  @Test(arguments: ["", "7", #""x""#, "7,7", "{}", #"{"a":1}"#])
  func nestingIsBounded(_ innermost: String) {
    let extra = innermost.hasPrefix("{") ? 1 : 0
    for (depth, refusals) in [
      (3, []), (31, []), (32, []), (33, ["too-deep"]), (34, ["too-deep"]), (9999, ["too-deep"]),
    ] {
      let arrays = depth - 1 - extra
      let value = String(repeating: "[", count: arrays) + innermost + String(repeating: "]", count: arrays)
      var decoding = Decoding()
      #expect(decoding.refusals(#"{"type":"like","sender":"u","x":\#(value)}"#) == refusals)
      #expect(decoding.batch.events.count == (refusals.isEmpty ? 1 : 0))
    }
  }

  @Test func limitsMayChangeFromPayloadToPayload() {
    var decoding = Decoding()
    for depth in [1, 2, 1, 32, 2] {
      decoding.limits.maxDepth = depth
      #expect(decoding.refusals("[\(Self.like)]") == (depth < 2 ? ["too-deep"] : []))
    }
  }

  @Test func badElementsAreDroppedAloneAndKeepTheIndex() {
    var decoding = Decoding()
    let events = decoding.events(
      #"[\#(Self.like),{"type":"like"},5,{"type":"dance","sender":"u"},\#(Self.like),{"sender":"u"}]"#)
    #expect(events.map(\.index) == [0, 4])
    #expect(decoding.refusals == ["1 missing-sender", "2 unknown-type", "3 unknown-type", "5 unknown-type"])
  }

  @Test func topicDecidesTheKind() {
    var decoding = Decoding(kind: .gift)
    let events = decoding.events(
      #"[{"type":"comment","sender":"u","gift":"g"},{"sender":"u","gift":"g","text":"t"}]"#)
    #expect(events.map(\.kind) == [.gift, .gift])
    #expect(events.map(\.text) == [nil, nil])
  }

  @Test(arguments: [
    ("5", EventKind.gift), (#""5""#, .gift), ("-1", .like), (#""a longer word""#, .comment),
  ])
  func kindsMayHaveOtherWords(_ value: String, _ kind: EventKind) {
    var profile = Profile.native
    profile.kindPath = ["message", "type"]
    profile.kindNames = [
      KindName(word: "5", kind: .gift), KindName(word: "-1", kind: .like),
      KindName(word: "a longer_word", kind: .gift), KindName(word: "a longer word", kind: .comment),
    ]
    var decoding = Decoding(profile: profile)
    let payload = #"{"message":{"type":\#(value)},"sender":"u","gift":"g","text":"t"}"#
    #expect(decoding.events(payload).map(\.kind) == [kind])
  }

  @Test(arguments: ["6", #""gift""#, "5.0", "true", "null", #""a longer""#, "[5]"])
  func otherWordsAreNoKind(_ value: String) {
    var profile = Profile.native
    profile.kindNames = [KindName(word: "5", kind: .gift), KindName(word: "a longer word", kind: .comment)]
    var decoding = Decoding(profile: profile)
    #expect(decoding.refusals(#"{"type":\#(value),"sender":"u","gift":"g"}"#) == ["0 unknown-type"])
  }
}
