import Base
import Testing

@testable import Wire

@Suite struct ProfileTests {
  private static func mapping(_ field: EventField, _ path: String..., kind: EventKind? = nil) -> FieldMapping
  {
    FieldMapping(kind: kind, field: field, path: path)
  }

  /// `config/profiles/douyin-capture.yaml`.
  static let douyin = Profile(
    name: "douyin-capture", elementsPath: [], kindPath: [], kindNames: [],
    mappings: [
      mapping(.senderID, "user_id"), mapping(.senderName, "user_name"), mapping(.senderLevel, "level"),
      mapping(.gift, "gift_name", kind: .gift), mapping(.total, "gift_count", kind: .gift),
      mapping(.text, "content", kind: .comment), mapping(.count, "count", kind: .like),
      mapping(.total, "total", kind: .like),
    ])

  @Test func capturedRowsDecode() {
    let person = #""user_id":"u00002","user_name":"反论.🅴","level":25"#
    let sender = ReadParty("u00002", "反论.🅴", level: 25)
    var decoding = Decoding(kind: .gift, profile: Self.douyin)
    #expect(
      decoding.events(#"[{\#(person),"gift_name":"小心心","gift_count":3,"diamond_total":3}]"#)
        == [ReadEvent(kind: .gift, sender: sender, gift: ReadGift("小心心"), total: 3)])
    decoding = Decoding(kind: .comment, profile: Self.douyin)
    #expect(
      decoding.events(#"[{\#(person),"content":"你好"}]"#) == [
        ReadEvent(kind: .comment, sender: sender, text: "你好")
      ])
    decoding = Decoding(kind: .like, profile: Self.douyin)
    #expect(
      decoding.events(#"[{\#(person),"count":3,"total":499236}]"#)
        == [ReadEvent(kind: .like, sender: sender, count: 3, total: 499_236)])
  }

  @Test func earliestMappingThatIsPresentWins() {
    let profile = Profile(
      name: "alternatives", elementsPath: [], kindPath: [], kindNames: [],
      mappings: [
        Self.mapping(.senderID, "user", "uid"), Self.mapping(.senderID, "uid"),
        Self.mapping(.senderID, "open_id"),
        Self.mapping(.count, "num", kind: .like), Self.mapping(.count, "n"),
        Self.mapping(.sender, "nick"),
      ])
    var decoding = Decoding(kind: .like, profile: profile)
    for (payload, id, name, count) in [
      (#"{"uid":2,"user":{"uid":1},"n":5,"num":4}"#, "1", "1", 4),
      (#"{"user":{"uid":null},"uid":2,"num":null}"#, "2", "2", 1),
      (#"{"open_id":"o","user":7,"n":9}"#, "o", "o", 9), (#"{"nick":"Ann"}"#, "Ann", "Ann", 1),
      (#"{"nick":"Ann","uid":3}"#, "3", "Ann", 1),
      (#"{"nick":"Ann","uid":true,"open_id":"o"}"#, "Ann", "Ann", 1),
    ] {
      let events = decoding.events(payload)
      #expect(events.map(\.sender) == [ReadParty(id, name)])
      #expect(events.map(\.count) == [count])
    }
  }

  @Test func profilesMayBeLargeAndDeep() {
    // More nodes than there are bits, names that differ late, and a path that is a part of another.
    var mappings: [FieldMapping] = []
    for number in 0..<100 {
      mappings.append(Self.mapping(.id, "a rather long name of a member \(number)", "x"))
    }
    mappings.append(Self.mapping(.senderID, "one", "two", "three", "four"))
    mappings.append(Self.mapping(.senderName, "one", "two"))
    mappings.append(Self.mapping(.gift, "one", "gift"))
    let profile = Profile(name: "large", elementsPath: [], kindPath: [], kindNames: [], mappings: mappings)
    var decoding = Decoding(kind: .gift, profile: profile)
    let one = #""one":{"gift":"g","two":{"three":{"four":"u"}}}"#
    for number in [0, 62, 63, 99] {
      let events = decoding.events(
        #"[{\#(one),"a rather long name of a member \#(number)":{"x":\#(number)}},{\#(one)},{\#(one),"one":{"gift":"h"}}]"#
      )
      #expect(events.map(\.id) == ["\(number)", nil])
      #expect(events.map(\.sender.id) == ["u", "u"])
      #expect(decoding.refusals == ["2 missing-sender"])
    }
    // What one of the last members loses the others keep.
    let last = #""a rather long name of a member 97":{"x":7},"a rather long name of a member 98":null"#
    let twice = #""a rather long name of a member 99":{"x":1},"a rather long name of a member 99":{}"#
    #expect(decoding.events("{\(one),\(last),\(twice)}").map(\.id) == ["7"])
    let late = #""a rather long name of a member 99":{"x":1},"a rather long name of a member 99":{"y":2}"#
    #expect(decoding.events("{\(one),\(late)}").map(\.id) == [nil])
  }

  @Test func emptyProfileRefusesEverything() {
    let profile = Profile(name: "empty", elementsPath: [], kindPath: [], kindNames: [], mappings: [])
    var decoding = Decoding(profile: profile)
    #expect(decoding.refusals(#"[{"type":"like"},{}]"#) == ["0 unknown-type", "1 unknown-type"])
    decoding = Decoding(kind: .like, profile: profile)
    #expect(decoding.refusals(#"{"sender":"u"}"#) == ["0 missing-sender"])
  }
}
