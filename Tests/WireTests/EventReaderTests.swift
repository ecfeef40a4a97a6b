import Base
import Testing
import Wire

/// Rules for the members of one event.
@Suite struct EventReaderTests {
  private func gift(_ members: String) -> String { #"{"type":"gift",\#(members)}"# }
  private static let longID = String(repeating: "i", count: 256)

  // MARK: People and gifts

  @Test(arguments: [
    (#""Ann""#, ReadParty("Ann")), ("7", ReadParty("7")), ("-0", ReadParty("0")), ("-12", ReadParty("-12")),
    (#"{"id":"u1"}"#, ReadParty("u1")), (#"{"id":7}"#, ReadParty("7")),
    (#"{"id":"u1","name":"Ann"}"#, ReadParty("u1", "Ann")), (#"{"id":"u1","name":""}"#, ReadParty("u1")),
    (#"{"id":"u1","name":7}"#, ReadParty("u1")), (#"{"id":"u1","name":null}"#, ReadParty("u1")),
    (#"{"id":"u1","name":"\u0007\u202e"}"#, ReadParty("u1")),
    (#"{"id":"u1","name":"A\u0000nn\n"}"#, ReadParty("u1", "Ann")),
    (#"{"id":"u1","level":9223372036854775807}"#, ReadParty("u1", level: .max)),
    (#"{"id":"u1","level":9223372036854775808}"#, ReadParty("u1")),
    (#"{"id":"u1","level":"12"}"#, ReadParty("u1")), (#"{"id":"u1","level":1.0}"#, ReadParty("u1")),
    (#"{"id":"u1","avatar":"https://x/y"}"#, ReadParty("u1", avatar: "https://x/y")),
    (#"{"id":"u1","avatar":5}"#, ReadParty("u1")),
    (#"{"id":"a\u0000b"}"#, ReadParty("a\u{0}b", "ab")), (#""\u0001""#, ReadParty("\u{1}")),
    (#"{"id":"\#(longID)"}"#, ReadParty(longID)),
    (#"{"id":99999999999999999999999}"#, ReadParty("99999999999999999999999")),
    (#"{"anonymous":true}"#, ReadParty("anonymous")),
    (#"{"anonymous":true,"id":null}"#, ReadParty("anonymous")),
    (#"{"anonymous":true,"name":"Someone"}"#, ReadParty("anonymous", "Someone")),
  ])
  func goodSender(_ json: String, _ expected: ReadParty) {
    var decoding = Decoding(kind: .like)
    #expect(decoding.events(#"{"sender":\#(json)}"#).map(\.sender) == [expected])
    #expect(decoding.refusals == [])
  }

  @Test(arguments: [
    "null", "true", "1.5", "[]", #""""#, "{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":true}"#,
    #"{"id":1.0}"#,
    #"{"id":{}}"#, #"{"id":["u"]}"#, #"{"name":"Ann"}"#, #"{"anonymous":false}"#, "1e999",
  ])
  func badSender(_ json: String) {
    for kind in EventKind.allCases {
      var decoding = Decoding(kind: kind)
      let payload = #"{"sender":\#(json),"gift":"g","text":"t","count":-1}"#
      #expect(decoding.refusals(payload) == ["0 missing-sender"])
      #expect(decoding.refusals(#"{"gift":"g","text":"t"}"#) == ["0 missing-sender"])
    }
  }

  @Test(arguments: [
    (#""gift":"Rose""#, ReadGift("Rose")), (#""gift":7"#, ReadGift("7")),
    (#""giftName":"Rose""#, ReadGift("Rose")),
    (#""gift":null,"giftName":"Rose""#, ReadGift("Rose")), (#""gift":"A","giftName":"B""#, ReadGift("A")),
    (#""giftName":"B","gift":"A""#, ReadGift("A")), (#""gift":{"id":"r"},"giftName":"B""#, ReadGift("r")),
    (#""gift":{"id":"r","name":"Rose","icon":"i","price":0}"#, ReadGift("r", "Rose", icon: "i", price: 0)),
    (#""gift":{"id":"r","icon":"i"},"icon":"j""#, ReadGift("r", icon: "i")),
    (#""gift":{"id":"r","icon":null},"icon":"j""#, ReadGift("r", icon: "j")),
    (#""gift":"r","icon":"j""#, ReadGift("r", icon: "j")),
  ])
  func goodGift(_ members: String, _ expected: ReadGift) {
    var decoding = Decoding()
    #expect(decoding.events(gift(#""sender":"u",\#(members)"#)).map(\.gift) == [expected])
  }

  @Test(arguments: [
    #""x":1"#, #""gift":"""#, #""gift":{}"#, #""gift":true"#, #""gift":{"name":"Rose"}"#,
    #""gift":{"name":"Rose"},"giftName":"B""#, #""gift":1.5"#, #""giftName":{"id":"r"}"#,
  ])
  func badGift(_ members: String) {
    var decoding = Decoding()
    #expect(decoding.refusals(gift(#""sender":"u","count":-1,\#(members)"#)) == ["0 missing-gift"])
  }

  @Test(arguments: [
    (#""h""#, ReadParty("h")), ("5", ReadParty("5")), (#"{"id":"h","name":"Host"}"#, ReadParty("h", "Host")),
    (#"{"name":"Host"}"#, nil), ("{}", nil), ("null", nil), ("true", nil), (#""""#, nil),
    (#"{"id":1.5}"#, nil),
  ])
  func receiverIsAbsentIfUnusable(_ json: String, _ expected: ReadParty?) {
    var decoding = Decoding()
    let events = decoding.events(gift(#""sender":"u","gift":"g","receiver":\#(json)"#))
    #expect(events.map(\.receiver) == [expected])
  }

  @Test(arguments: [
    #""sender":"%","gift":"g""#, #""sender":{"id":"%"},"gift":"g""#, #""sender":"u","gift":"%""#,
    #""sender":"u","gift":{"id":"%"}"#, #""sender":"u","giftName":"%""#, #""sender":"u","gift":"g","id":"%""#,
    #""sender":"u","gift":"g","streak":"%""#, #""sender":"u","gift":"g","receiver":"%""#,
    #""sender":"u","gift":"g","receiver":{"id":"%"}"#,
  ])
  func idsAreBounded(_ members: String) {
    var decoding = Decoding()
    for (count, refusals) in [(255, []), (256, []), (257, ["0 id-too-long"])] {
      let text = members.split(separator: "%", omittingEmptySubsequences: false)
        .joined(separator: String(repeating: "7", count: count))
      #expect(decoding.refusals(gift(text)) == refusals)
      // As an integer it is its decimal text, and no shorter for that.
      let number = text.replacing("\"777", with: "777").replacing("777\"", with: "777")
      #expect(decoding.refusals(gift(number)) == refusals)
    }
  }

  @Test(
    arguments: [
      (#""id":"e""#, "e"), (#""id":7"#, "7"), (#""id":"""#, nil), (#""id":true"#, nil), (#""id":1.0"#, nil),
      (#""id":null"#, nil), (#""id":{}"#, nil), (#""id":"7","id":null"#, nil), (#""id":null,"id":"7""#, "7"),
    ] as [(String, String?)])
  func eventIDs(_ member: String, _ expected: String?) {
    var decoding = Decoding()
    let streak = member.replacing("id", with: "streak")
    let events = decoding.events(gift(#""sender":"u","gift":"g",\#(member),\#(streak)"#))
    #expect(events.map(\.id) == [expected])
    #expect(events.map(\.streak) == [expected])
  }

  @Test(arguments: [
    (#""combo":false"#, false), (#""combo":0"#, false), (#""combo":true"#, true), (#""combo":1"#, true),
    (#""combo":null"#, true), (#""combo":"false""#, true), (#""x":1"#, true),
  ])
  func comboFalseNeverMerges(_ member: String, _ merges: Bool) {
    var decoding = Decoding()
    #expect(decoding.events(gift(#""sender":"u","gift":"g",\#(member)"#)).map(\.merges) == [merges])
  }

  @Test func anonymousNeverMerges() {
    var decoding = Decoding()
    let event = decoding.events(gift(#""sender":{"id":"u","anonymous":true},"gift":"g""#))
    #expect(event.map(\.merges) == [false])
    #expect(event.map(\.sender.id) == ["u"])
  }

  @Test(arguments: [
    ("true", true), ("1", true), ("false", false), ("0", false), ("2", false), ("null", false),
    (#""true""#, false),
  ])
  func endClosesTheStreak(_ json: String, _ ends: Bool) {
    var decoding = Decoding()
    #expect(decoding.events(gift(#""sender":"u","gift":"g","end":\#(json)"#)).map(\.ends) == [ends])
  }

  @Test func addressesAreBounded() {
    var decoding = Decoding()
    for (count, isKept) in [(1999, true), (2000, true), (2001, false)] {
      let address = String(repeating: "a", count: count)
      let events = decoding.events(
        gift(#""sender":"u","avatar":"\#(address)","gift":{"id":"g","icon":"\#(address)"}"#))
      #expect(events.map(\.sender.avatar) == [isKept ? address : nil])
      #expect(events.map(\.gift?.icon) == [isKept ? address : nil])
    }
  }
}
