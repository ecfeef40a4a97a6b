import Base
import Testing
import Wire

/// Rules for names and texts: control characters, length, members given twice, bytes that are not UTF-8.
@Suite struct TextTests {
  private func comment(_ text: String) -> String {
    #"{"sender":{"id":"u","name":"\#(text)"},"text":"\#(text)"}"#
  }

  @Test(arguments: [
    ("hello", "hello"), ("你好", "你好"), ("🎁🎁", "🎁🎁"), ("a\\nb", "ab"), ("\\u0000a\\u001f", "a"),
    ("a\\u007fb", "ab"),
    ("\\u0080a\\u009f", "a"), ("\\u00a0", "\u{A0}"), ("a\\u202ab\\u202e", "ab"), ("\\u2066a\\u2069b", "ab"),
    ("\\u2029a\\u202f", "\u{2029}a\u{202F}"), ("\\u2065a\\u206a", "\u{2065}a\u{206A}"),
    ("“quoted”", "“quoted”"),
    ("\u{C2}\u{BF}a", "\u{C2}\u{BF}a"), (" ", " "), ("\\\"\\\\\\/", "\"\\/"), ("\u{200B}", "\u{200B}"),
    ("12345678\\u0001", "12345678"), ("1234567\\u00019", "12345679"),
    ("1234567890123456\\u202e7", "12345678901234567"),
    ("👨‍👩‍👧", "👨‍👩‍👧"), ("e\u{301}", "e\u{301}"),
  ])
  func controlCharactersAreRemoved(_ json: String, _ expected: String) {
    var decoding = Decoding(kind: .comment)
    let events = decoding.events(comment(json))
    #expect(events.map { $0.text?.unicodeScalars.map(\.value) } == [expected.unicodeScalars.map(\.value)])
    #expect(
      events.map { $0.sender.name.unicodeScalars.map(\.value) } == [expected.unicodeScalars.map(\.value)])
  }

  @Test(arguments: [
    "", #","text":null"#, #","text":"""#, #","text":7"#, #","text":true"#, #","text":{"a":"b"}"#,
    #","text":"\u0001\u202e\u0085""#, #","text":1e999"#,
  ])
  func emptyTextIsMissing(_ member: String) {
    var decoding = Decoding(kind: .comment)
    #expect(decoding.refusals(#"{"sender":"u"\#(member)}"#) == ["0 missing-text"])
  }

  @Test(
    arguments: [
      // Text, limit, what is left.
      ("abcdef", 5, "abcde"), ("abcde", 5, "abcde"), ("abcd", 5, "abcd"), ("你好你", 8, "你好"), ("你好你", 9, "你好你"),
      ("你好", 5, "你"), ("🎁🎁", 7, "🎁"), ("a🎁", 4, "a"), ("é", 1, nil), ("\\u0001abcdef", 5, "abcde"),
      ("\\u0001abcde", 5, "abcde"), ("a\\u202eb\\u202ec你", 5, "abc"),
    ] as [(String, Int, String?)])
  func textsAreCutAtACharacter(_ json: String, _ limit: Int, _ expected: String?) {
    var decoding = Decoding(kind: .comment)
    decoding.limits.maxTextBytes = limit
    #expect(decoding.events(comment(json)).map(\.text) == (expected == nil ? [] : [expected]))
    decoding = Decoding(kind: .comment)
    decoding.limits.maxNameBytes = limit
    #expect(decoding.events(comment(json)).map(\.sender.name) == [expected ?? "u"])
  }

  @Test func defaultLimits() {
    var decoding = Decoding(kind: .comment)
    for count in [255, 256, 257, 1999, 2000, 2001] {
      let events = decoding.events(comment(String(repeating: "n", count: count)))
      #expect(events.map(\.sender.name.count) == [min(count, 256)])
      #expect(events.map { $0.text?.count } == [min(count, 2000)])
    }
  }

  @Test func lastOfAMemberGivenTwiceCounts() {
    var decoding = Decoding(kind: .gift)
    let sender = #""sender":{"id":"a","name":"A","level":1},"sender":{"id":"b"}"#
    #expect(decoding.events(#"{\#(sender),"gift":"g"}"#).map(\.sender) == [ReadParty("b")])
    #expect(
      decoding.events(#"{"sender":{"id":"a"},"sender":"b","gift":"g"}"#).map(\.sender) == [ReadParty("b")])
    #expect(
      decoding.refusals(#"{"sender":{"id":"a"},"sender":{"name":"b"},"gift":"g"}"#) == ["0 missing-sender"])
    #expect(decoding.refusals(#"{"sender":{"id":"a"},"sender":null,"gift":"g"}"#) == ["0 missing-sender"])
    #expect(decoding.events(#"{"sender":{"id":"a","id":"b"},"gift":"g"}"#).map(\.sender.id) == ["b"])
  }

  @Test func membersOfOneElementDoNotReachTheNext() {
    var decoding = Decoding(kind: .gift)
    let events = decoding.events(
      #"[{"sender":{"id":"a","name":"A"},"gift":{"id":"g","price":3},"id":"1","count":4},{"sender":"b","gift":"h"}]"#
    )
    #expect(
      events.last == ReadEvent(kind: .gift, index: 1, sender: ReadParty("b"), gift: ReadGift("h"), count: 1))
    #expect(
      decoding.refusals(#"[{"sender":"a","gift":"g"},{"gift":"g"},{"sender":"a"}]"#) == [
        "1 missing-sender", "2 missing-gift",
      ])
  }

  @Test func memberNamesMayBeEscaped() {
    var decoding = Decoding()
    #expect(decoding.events(#"{"\u0074ype":"l\u0069ke","sende\u0072":"\u0075"}"#).map(\.sender.id) == ["u"])
    #expect(decoding.refusals(#"{"type\u0000":"like","sender":"u"}"#) == ["0 unknown-type"])
  }
}

/// Slips that must not cost a gift.
@Suite struct RepairTests {
  private static func gift(_ number: Int, name: String = "Ann") -> String {
    #"{"type":"gift","id":"e-\#(number)","sender":{"id":"u\#(number)","name":"\#(name)"},"gift":"Rose","count":2}"#
  }

  @Test func nicknamesCutInsideACharacterCostNothing() {
    var payload: [UInt8] = [UInt8(ascii: "[")]
    for number in 0..<20 {
      if number > 0 { payload.append(UInt8(ascii: ",")) }
      switch number {
      case 5: payload += Array(Self.gift(number, name: #"A\ud83d"#).utf8)
      case 11:
        payload += Array(Self.gift(number, name: "B?").utf8).map { $0 == UInt8(ascii: "?") ? 0xF0 : $0 }
      default: payload += Array(Self.gift(number).utf8)
      }
    }
    payload.append(UInt8(ascii: "]"))
    var decoding = Decoding()
    decoding.decode(payload)
    #expect(decoding.batch.events.count == 20)
    #expect(decoding.rejections.isEmpty)
    let names = decoding.batch.read.map(\.sender.name)
    #expect(names[5] == "A\u{FFFD}")
    #expect(names[11] == "B\u{FFFD}")
    #expect(Set(names).count == 3)
    #expect(decoding.decoder.repairedPayloads == 1)
  }

  @Test(arguments: [
    (#"A\ud83d"#, "A\u{FFFD}"), (#"\ude00B"#, "\u{FFFD}B"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
    (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\uD83Dx"#, "\u{FFFD}x"), (#"\ud83d\\ude00"#, "\u{FFFD}\\ude00"),
    (#"\\ud83d \ud83d"#, "\\ud83d \u{FFFD}"), (#"\ud83d\""#, "\u{FFFD}\""),
    (#"\udfff\udbff"#, "\u{FFFD}\u{FFFD}"),
  ])
  func loneSurrogatesBecomeReplacements(_ json: String, _ expected: String) {
    var decoding = Decoding(kind: .comment)
    #expect(decoding.events(#"{"sender":"u","text":"\#(json)"}"#).map(\.text) == [expected])
    #expect(decoding.decoder.repairedPayloads == 1)
  }

  @Test(
    arguments: [
      ([0xFF], "\u{FFFD}"), ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"), ([0xE4, 0xBD], "\u{FFFD}"),
      ([0xF0, 0x9F, 0x8E], "\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xE4, 0xBD, 0xA0, 0x80], "你\u{FFFD}"),
      ([0x80], "\u{FFFD}"),
      ([0xF5, 0x80], "\u{FFFD}\u{FFFD}"), ([0xE4, 0x41], "\u{FFFD}A"),
      ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    ] as [([UInt8], String)])
  func badBytesBecomeReplacements(_ bytes: [UInt8], _ expected: String) {
    var decoding = Decoding(kind: .comment)
    decoding.decode(Array(#"{"sender":"u","text":""#.utf8) + bytes + Array(#""}"#.utf8))
    #expect(decoding.batch.read.map(\.text) == [expected])
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    #expect(decoding.decoder.repairedPayloads == 1)
  }

  @Test(arguments: [
    "99999999999999999999999", "-99999999999999999999999", "18446744073709551616", "-9223372036854775809",
    "1e999",
    "-1.5E+400", "1e99999999999999999999999",
  ])
  func hugeNumbersMatterOnlyWhereTheyAreRead(_ number: String) {
    var decoding = Decoding(kind: .gift)
    let isInteger = !number.lowercased().contains("e")
    func gift(_ id: String, _ member: String) -> String { #"{"sender":\#(id),"gift":"g",\#(member)}"# }
    #expect(decoding.events(gift("1", #""x":[\#(number) , \#(number)]"#)).map(\.count) == [1])
    #expect(decoding.refusals.isEmpty)
    #expect(decoding.events(gift(number, #""x":1"#)).map(\.sender) == (isInteger ? [ReadParty(number)] : []))
    #expect(decoding.refusals(gift("1", #""count":\#(number)"#)) == ["0 bad-count"])
    #expect(decoding.refusals(gift("1", #""time":\#(number)"#)) == [])
    #expect(decoding.decoder.repairedPayloads == 4)
    #expect(decoding.refusals(gift("1", #"\#(number):1"#)) == ["not-json"])
  }

  @Test(arguments: [
    "1e-999", "0.0", "123456789012345678901234567890.5", "1.7976931348623157e308", "18446744073709551615",
    "-9223372036854775808", "0e99999999",
  ])
  func numbersThatFitNeedNoRepair(_ number: String) {
    var decoding = Decoding(kind: .like)
    #expect(decoding.events(#"{"sender":"u","x":\#(number)}"#).count == 1)
    #expect(decoding.decoder.repairedPayloads == 0)
    // Nor does a repair for another reason touch them.
    #expect(
      decoding.events(#"{"sender":"u","name":"\ud800","time":\#(number)}"#).map(\.time) == [
        number == "-9223372036854775808" ? Int64.min : nil
      ])
  }

  @Test(arguments: [
    #"["\ud83d""#, #"["\ud83d" 1]"#, #"["\ud83d",01]"#, #"["\ud83d\x"]"#, #"[99999999999999999999x]"#,
    #"{"a":1,99999999999999999999 : 2}"#, #"[1e999e]"#, #"[1e999"a"]"#, #"[-1e999.]"#, #"["\ud83"]"#,
    #"["\u"#, #"["\"#,
  ])
  func otherFaultsAreNotMended(_ payload: String) {
    var decoding = Decoding()
    #expect(decoding.refusals(payload) == ["not-json"])
    #expect(decoding.decoder.repairedPayloads == 0)
  }

  @Test func badBytesOutsideStringsAreNotJSON() {
    var decoding = Decoding()
    decoding.decode([UInt8(ascii: "["), 0xFF, UInt8(ascii: "]")])
    #expect(decoding.refusals == ["not-json"])
  }

  @Test func repairedPayloadsKeepTheirLimits() {
    var decoding = Decoding()
    let deep = String(repeating: "[", count: 40) + #""\ud83d""# + String(repeating: "]", count: 40)
    #expect(decoding.refusals(deep) == ["too-deep"])
  }
}
