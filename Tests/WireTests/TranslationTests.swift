import Base
import Testing

@testable import Wire

@Suite struct TranslationTests {
  private static func profile(
    _ entry: ProfileCase, _ rest: ProfileCase..., inside: [[String]] = []
  ) -> Profile {
    Profile(
      name: "cases", elementsPath: ["items"], kindPath: [], kindNames: [],
      mappings: [FieldMapping(kind: nil, field: .sender, path: ["u"])], insidePaths: inside,
      cases: [entry] + rest)
  }

  private static func gift(
    _ fields: [(EventField, ValueRule)], when conditions: [MemberCondition] = [], each: [String] = []
  ) -> ProfileCase {
    ProfileCase(
      conditions: conditions, outcome: .event(.gift), eachPath: each,
      fields: [FieldRule(field: .gift, value: .constant("g"))]
        + fields.map { FieldRule(field: $0.0, value: $0.1) })
  }

  @Test func eachEntryOfAListIsAnEventOfItsElement() {
    let entry = Self.gift(
      [(.count, .member(["each", "num"])), (.id, .member(["each", "id"]))], each: ["list"])
    var decoding = Decoding(profile: Self.profile(entry))
    let events = decoding.events(
      #"{"items":[{"u":"a","list":[{"num":"2","id":1},{"num":3,"id":2},{"num":0}]},{"u":"b","list":[]},{"u":"c"}]}"#
    )
    #expect(events.map(\.index) == [0, 0])
    #expect(events.map(\.count) == [2, 3])
    #expect(events.map(\.id) == ["1", "2"])
    #expect(events.map(\.sender.id) == ["a", "a"])
    #expect(decoding.refusals == ["0 bad-count", "2 unknown-type"])
  }

  @Test(arguments: [
    (ValueRule.seconds(.member(["t"])), "1700000000", Int64?.some(1_700_000_000_000)),
    (.seconds(.member(["t"])), "\"1700000000\"", 1_700_000_000_000),
    (.seconds(.member(["t"])), "9223372036854775807", nil),
    (.instant(.member(["t"])), "99999999999", 99_999_999_999_000),
    (.instant(.member(["t"])), "100000000000", 100_000_000_000),
    (.date(.member(["t"])), "\"2026-01-01T00:00:00.1Z\"", 1_767_225_600_100),
    (.date(.member(["t"])), "\"yesterday\"", nil),
  ])
  func timesHaveTheirUnits(rule: ValueRule, text: String, time: Int64?) {
    var decoding = Decoding(profile: Self.profile(Self.gift([(.time, rule)])))
    #expect(decoding.events(#"[{"u":1,"t":\#(text)}]"#).map(\.time) == [time])
  }

  @Test(arguments: [
    (ValueRule.product([.member(["a"]), .member(["b"])]), 6),
    (.product([.member(["a"]), .member(["none"])]), 2), (.largest([.member(["a"]), .member(["b"])]), 3),
    (.largest([.member(["none"]), .member(["list", "1"])]), 5),
    (.quotient(.member(["big"]), by: 10), 99), (.first([.member(["none"]), .member(["b"])]), 3),
    (.first([]), 1),
  ])
  func numbersAreMadeOfMembers(rule: ValueRule, count: Int) {
    var decoding = Decoding(profile: Self.profile(Self.gift([(.count, rule)])))
    let events = decoding.events(#"[{"u":1,"a":2,"b":"3","big":999,"list":[4,5],"none":null}]"#)
    #expect(events.map(\.count) == [count])
  }

  @Test func whatIsTooLargeIsRefusedAndNotWrong() {
    let product = ValueRule.product([.member(["a"]), .member(["a"])])
    var decoding = Decoding(profile: Self.profile(Self.gift([(.count, product)])))
    #expect(decoding.refusals(#"[{"u":1,"a":9223372036854775807}]"#) == ["0 bad-count"])
    #expect(decoding.refusals(#"[{"u":1,"a":1.5}]"#) == [])
    decoding = Decoding(profile: Self.profile(Self.gift([(.count, .member(["a"]))])))
    #expect(decoding.refusals(#"[{"u":1,"a":1.5},{"u":1,"a":"x"}]"#) == ["0 bad-count", "1 bad-count"])
  }

  @Test func anIDOf64BitsIsTheSameAsNumberAndText() {
    var decoding = Decoding(
      profile: Self.profile(Self.gift([(.id, .joined([.member(["u"]), .member(["n"])]))])))
    for id in ["9007199254740993", "18446744073709551615", "-1"] {
      let events = decoding.events(#"[{"u":\#(id),"n":1},{"u":"\#(id)","n":"1"},{"u":1,"n":""}]"#)
      #expect(events.map(\.sender.id) == [id, id, "1"])
      #expect(events.map(\.id) == ["\(id):1", "\(id):1", nil])
    }
  }

  @Test func aTextThatIsJSONIsGoneInto() {
    let entry = Self.gift(
      [(.count, .member(["D", "n"])), (.sender, .member(["D", "u"]))],
      when: [MemberCondition(path: ["D", "n"], test: .present)])
    var decoding = Decoding(profile: Self.profile(entry, inside: [["D"], ["D", "E"]]))
    let events = decoding.events(
      #"[{"D":"{\"n\":4,\"u\":\"é\\\"\"}"},{"D":{"n":5,"u":"b"}},{"D":"{"},{"D":"7"},{"D":"{\"n\":6,\"u\":\"c\",\"E\":\"[8]\"}"}]"#
    )
    #expect(events.map(\.count) == [4, 5, 6])
    #expect(events.map(\.sender.id) == ["é\"", "b", "c"])
    #expect(decoding.refusals == ["2 not-json", "3 unknown-type"])
    // It may not nest deeper than a payload may.
    decoding.limits.maxDepth = 4
    let deep = String(repeating: "[", count: 5) + String(repeating: "]", count: 5)
    #expect(decoding.refusals(#"[{"D":"{\"n\":1,\"u\":\"a\",\"x\":\#(deep)}"}]"#) == ["0 not-json"])
  }

  @Test func whatACaseDropsIsCounted() {
    let drop = ProfileCase(
      conditions: [MemberCondition(path: ["x"], test: .present)], outcome: .drop("why"))
    var decoding = Decoding(profile: Self.profile(drop, Self.gift([])))
    #expect(decoding.events(#"[{"u":1},{"u":2,"x":1},{"u":3,"x":[]},7]"#).map(\.index) == [0])
    #expect(decoding.decoder.droppedElements == 2)
    #expect(decoding.events(#"[{"x":1}]"#) == [])
    #expect(decoding.decoder.droppedElements == 3)
    #expect(
      decoding.decoder.outcomes == [ElementOutcome(index: 0, caseIndex: 0, result: .dropped("why"))])
  }

  @Test func theKindOfATopicChoosesAmongTheCases() {
    let like = ProfileCase(conditions: [], outcome: .event(.like))
    let drop = ProfileCase(
      conditions: [MemberCondition(path: ["x"], test: .hasWord("DROP"))], outcome: .drop("why"))
    let profile = Self.profile(drop, Self.gift([]), like)
    let payload = #"[{"u":1},{"u":2,"x":"DROP:4:0"},{"u":3,"x":"DROPPED"},7]"#
    for (kind, found) in [(nil, EventKind.gift), (EventKind.like, .like), (.gift, .gift)] {
      var decoding = Decoding(kind: kind, profile: profile)
      #expect(decoding.events(payload).map(\.kind) == [found, found])
      #expect(decoding.events(payload).map(\.index) == [0, 2])
      #expect(decoding.refusals == ["3 unknown-type"])
      let dropped = decoding.decoder.outcomes.filter { $0.result == .dropped("why") }
      #expect(dropped == [ElementOutcome(index: 1, caseIndex: 0, result: .dropped("why"))])
    }
    var decoding = Decoding(kind: .comment, profile: profile)
    #expect(decoding.refusals(#"[{"u":1}]"#) == ["0 unknown-type"])
  }

  @Test func whatIsNoBatchIsRefusedWhole() {
    var decoding = Decoding(profile: Self.profile(Self.gift([])))
    #expect(decoding.refusals("7") == ["not-a-batch"])
    #expect(decoding.refusals(#"{"items":7}"#) == ["not-a-batch"])
    #expect(decoding.refusals("[") == ["not-json"])
    #expect(decoding.events(#"{"u":"a"}"#).map(\.sender.id) == ["a"])
    decoding.limits.maxEvents = 2
    #expect(decoding.refusals("[{},{},{}]") == ["too-many-events"])
    // A refusal leaves nothing of the payload before it behind.
    #expect(decoding.batch.events.isEmpty)
  }

  @Test func identitiesAreOfTheElementsOfThePayload() {
    let entry = Self.gift(
      [(.id, .member(["i"]))], when: [MemberCondition(path: ["i"], test: .present)])
    let input = DecoderInput(source: 0, kind: nil, profile: CompiledProfile(Self.profile(entry)))
    var decoder = BatchDecoder()
    let payload = Array(#"[{"u":"a"},{"u":"b","i":5}]"#.utf8)
    let found = decoder.identities(in: payload.span, input: input)
    #expect(
      found == [
        ElementIdentity(
          index: 1, kind: .gift, id: Array("5".utf8), sender: Array("b".utf8), gift: Array("g".utf8),
          receiver: [])
      ])
  }
}
