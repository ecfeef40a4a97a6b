import Base
import Simulation
import Testing

@testable import Wire

/// Profiles with cases on payloads that nobody expects.
@Suite struct TranslationFuzzTests {
  /// A profile in which every rule and every condition is used.
  private static let profile: Profile = {
    func path(_ text: String) -> [String] { text.split(separator: ".").map(String.init) }
    func member(_ text: String) -> ValueRule { .member(path(text)) }
    func gift(_ conditions: [MemberCondition], each: String = "", _ fields: [(EventField, ValueRule)])
      -> ProfileCase
    {
      ProfileCase(
        conditions: conditions, outcome: .event(.gift), goesOn: true, eachPath: path(each),
        fields: fields.map { FieldRule(field: $0.0, value: $0.1) })
    }
    let first = gift(
      [
        MemberCondition(path: path("a.b"), test: .present), MemberCondition(path: path("a.c"), test: .absent),
        MemberCondition(path: path("k"), test: .hasWord("W")),
      ], each: "list",
      [
        (.id, .joined([.constant("x"), member("a.b"), member("each.0")])), (.senderID, member("each.id")),
        (.gift, .first([member("each.g"), member("g")])),
        (.count, .product([member("each.n"), member("n")])),
        (.time, .instant(member("t"))), (.raises, .truth([MemberCondition(path: ["k"], test: .present)])),
      ])
    let second = gift(
      [
        MemberCondition(path: path("a.b"), test: .isNone(of: ["0"])),
        MemberCondition(path: path("u"), test: .differs(from: path("v"))),
      ],
      [
        (.senderID, .except(member("u"), ["0", "7"])),
        (
          .giftID,
          .mapped(
            member("g"),
            [
              WordMeaning(word: "1", meaning: "one"), WordMeaning(word: "rose", meaning: "Rose"),
            ])
        ), (.total, .largest([member("n"), member("m"), member("list.1.n")])),
        (.giftPrice, .quotient(member("p"), by: 10)), (.time, .seconds(member("t"))), (.streak, member("s")),
        (.corrects, .constant("true")),
      ])
    let comment = ProfileCase(
      conditions: [MemberCondition(path: path("u"), test: .isSame(as: path("v")))], outcome: .event(.comment),
      goesOn: true,
      fields: [
        FieldRule(field: .senderID, value: member("u")), FieldRule(field: .text, value: member("g")),
        FieldRule(field: .style, value: member("k")), FieldRule(field: .time, value: .date(member("d"))),
      ])
    let removal = ProfileCase(
      conditions: [MemberCondition(path: ["gone"], test: .present)], outcome: .event(.remove), goesOn: true,
      fields: [FieldRule(field: .ids, value: member("gone"))])
    let drop = ProfileCase(
      conditions: [MemberCondition(path: ["k"], test: .isOne(of: ["W", "1"]))], outcome: .drop("why"))
    return Profile(
      name: "all", elementsPath: ["items"], kindPath: [], kindNames: [],
      mappings: [FieldMapping(kind: nil, field: .senderName, path: ["name"])],
      insidePaths: [["a"], ["list", "0"]], cases: [first, second, comment, removal, drop])
  }()

  private static let good = #"""
    {"items":[{"k":"W:4","g":"lily","a":"{\"b\":1}","list":["{\"id\":\"u\",\"g\":\"rose\",\"n\":2}",{"id":7,"n":"3"}],"n":2,
    "t":1700000000,"name":"Ann"},{"a":{"b":2},"u":"8","v":9,"g":1,"n":3,"m":"9","p":1000,"t":5,"s":"s-1"},
    {"u":"x","v":"x","g":"hi","k":"follow","d":"2026-01-01T00:00:00Z"},{"gone":["a",18446744073709551615]},
    {"k":1,"v":null}],"room":"r1"}
    """#

  private static let pieces = [
    "null", "true", "-1", "0", "9223372036854775807", "18446744073709551615", "1.5", "\"\"", "\"0\"", "[]",
    "{}",
    "[[]]", "\"W:\"", "\"{\\\"b\\\":[1,{}]}\"", "{\"id\":1}", "1e999", "\"\\u0000\"",
  ]

  /// Replaces some values and names.
  private func mutate(_ text: String, using generator: inout SplitMix) -> [UInt8] {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0..<parts.count, using: &generator)
      let piece = Self.pieces.randomElement(using: &generator) ?? ""
      if let end = parts[place].firstIndex(where: { ",}]".contains($0) }) {
        parts[place].replaceSubrange(..<end, with: piece)
      } else if Bool.random(using: &generator) {
        parts.swapAt(place, Int.random(in: 0..<parts.count, using: &generator))
      }
    }
    return Array(parts.joined(separator: ":").utf8)
  }

  @Test func mutatedPayloadsBreakNothing() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    var decoding = Decoding(profile: Self.profile)
    decoding.input = DecoderInput(
      source: 7, kind: nil, profile: CompiledProfile(Self.profile, roomPath: ["room"]))
    let expected = decoding.events(Self.good)
    #expect(expected.map(\.kind) == [.gift, .gift, .gift, .comment, .remove])
    #expect(decoding.refusals == [])
    var decoded = 0
    for round in 0..<4000 {
      decoding.decode(mutate(Self.good, using: &generator))
      decoded += decoding.batch.events.count
      let what: Comment = "seed \(seed), round \(round)"
      #expect(decoding.batch.rooms.count == decoding.batch.events.count, what)
      #expect(decoding.batch.events.allSatisfy { (0..<10).contains($0.index) }, what)
      #expect(decoding.batch.events.allSatisfy { (1...1_000_000).contains($0.count ?? 1) }, what)
      #expect(decoding.rejections.allSatisfy { (0..<10).contains($0.index ?? 0) }, what)
      if round % 100 == 0 { #expect(decoding.events(Self.good) == expected, what) }
    }
    // Most payloads keep most of their events.
    #expect(decoded > 4000, "seed \(seed)")
  }
}
