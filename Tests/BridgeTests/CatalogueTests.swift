import Base
import Bridge
import Configuration
import TestSupport
import Testing
import Wire

/// What the catalogue says of gifts, from the configuration to the commands.
@Suite struct CatalogueTests {
  private static let yaml = """
    gifts:
      - {gift: "5655", name: Rose, icon: "https://a.example/rose.png", price: 100}
      - {gift: Rocket, asset: rocket.webm, priority: 7, durationMs: 9000}
      - {gift: quiet, priority: 2}
    gift:
      tracks: 1
      rules:
        - {minValue: 300, priority: 4}
        - {gifts: [quiet], priority: 5, asset: quiet.webm}
    rooms:
      r2: {gifts: [{gift: "5655", name: Other}]}
    """

  private func first(_ payload: String, room: String = "r1", op: String = "show") throws -> PublishedMessage {
    var door = try Door(Self.yaml)
    let caused = door.receive("im/\(room)/gift", payload)
    return try #require(caused.first { $0["op"]?.string == op })
  }

  @Test func whatIsGivenWinsOverThePayloadAndTheRestStays() throws {
    let show = try first(
      #"[{"sender":"Ann","gift":{"id":5655,"name":"玫瑰","icon":"https://b.example/x.png","price":1}}]"#)
    #expect(show["gift"]?["id"]?.string == "5655")
    #expect(show["gift"]?["name"]?.string == "Rose")
    #expect(show["gift"]?["icon"]?.string == "https://a.example/rose.png")
    #expect(show["gift"]?["price"]?.integer == 100)
    let rocket = try first(#"[{"sender":"Ann","gift":{"id":"8","name":"Rocket","price":5}}]"#)
    #expect(rocket["gift"]?["id"]?.string == "8")
    #expect(rocket["gift"]?["name"]?.string == "Rocket")
    #expect(rocket["gift"]?["price"]?.integer == 5)
  }

  @Test func anEntryIsFoundByTheNameOnlyWhereNoneHasTheID() throws {
    #expect(try first(#"[{"sender":"Ann","gift":{"id":"8","name":"Rocket"}}]"#)["priority"]?.integer == 7)
    #expect(try first(#"[{"sender":"Ann","gift":{"id":"5655","name":"Rocket"}}]"#)["priority"]?.integer == 0)
    #expect(try first(#"[{"sender":"Ann","gift":{"id":"8","name":"rocket"}}]"#)["priority"]?.integer == 0)
  }

  @Test func rulesTakeItsPriceAndTheHigherPriorityCounts() throws {
    #expect(try first(#"[{"sender":"Ann","gift":"5655","count":2}]"#)["priority"]?.integer == 0)
    #expect(try first(#"[{"sender":"Ann","gift":"5655","count":3}]"#)["priority"]?.integer == 4)
    #expect(try first(#"[{"sender":"Ann","gift":"quiet"}]"#)["priority"]?.integer == 5)
    // The rule on value matches first and gives 4; the entry's 7 is higher.
    let rocket = #"[{"sender":"Ann","gift":{"id":"Rocket","price":1000}}]"#
    #expect(try first(rocket)["priority"]?.integer == 7)
  }

  @Test func itsAssetPlaysWhereNoRuleNamesOne() throws {
    let rocket = #"[{"sender":"Ann","gift":{"id":"Rocket","price":1000}}]"#
    let play = try first(rocket, op: "play")
    #expect(play["asset"]?.string == "rocket.webm")
    #expect(play["durationMs"]?.integer == 9000)
    let quiet = try first(#"[{"sender":"Ann","gift":"quiet"}]"#, op: "play")
    #expect(quiet["asset"]?.string == "quiet.webm")
    #expect(quiet["durationMs"]?.integer == 6000)
  }

  @Test func aRoomsOwnListTakesThePlaceOfTheOther() throws {
    let show = try first(#"[{"sender":"Ann","gift":"5655"}]"#, room: "r2")
    #expect(show["gift"]?["name"]?.string == "Other")
    #expect(show["gift"]?["price"] == nil)
    #expect(try first(#"[{"sender":"Ann","gift":"Rocket"}]"#, room: "r2")["priority"]?.integer == 0)
  }

  @Test func theLedgerCountsItsPriceUnderThePayloadsID() throws {
    var door = try Door(Self.yaml)
    door.bridge.ledger = LedgerTally(dayOffsetMinutes: 0)
    door.receive("im/r1/gift", #"[{"sender":"Ann","gift":{"id":"5655","price":1},"count":3}]"#)
    let ledger = try #require(door.bridge.ledger)
    #expect(ledger.lines.map(\.value) == [300])
    #expect(ledger.lines.map { ledger.bytes.string($0.gift) } == ["5655"])
  }

  @Test func aTestShowsItToo() throws {
    var door = try Door(Self.yaml)
    let caused = door.receive(
      "cue/r1/control", #"{"op":"test","event":{"type":"gift","sender":"Ann","gift":"5655"}}"#)
    #expect(caused.first { $0["op"]?.string == "show" }?["gift"]?["name"]?.string == "Rose")
  }

  @Test func anotherCatalogueIsInForceFromItsRowOn() throws {
    var door = try Door(Self.yaml)
    let gift = #"[{"sender":"Ann","gift":"5655","combo":false}]"#
    door.receive("im/r1/gift", gift, at: 1000)
    let other = "gifts: [{gift: '5655', name: Thorn}]\ngift: {tracks: 3}"
    var outgoing = OutgoingMessages()
    try door.bridge.adopt(
      try Configuration.read(bytes: Array(other.utf8), file: "journal"), at: 2000, into: &outgoing)
    let caused = door.receive("im/r1/gift", gift, at: 2000)
    let names = caused.compactMap { $0["op"]?.string == "show" ? $0["gift"]?["name"]?.string : nil }
    #expect(names == ["Thorn"])
  }
}
