import Base
import Testing

@testable import Configuration

@Suite struct CatalogueSettingTests {
  @Test func anEntryIsReadAndWrittenBack() throws {
    let text = """
      gifts:
        - {gift: "5655", name: 玫瑰, icon: "https://a/b", price: 1, priority: 3, asset: rose.webm, durationMs: 1}
        - {gift: Rocket}
      rooms: {r1: {gifts: []}}
      """
    let configuration = try Configuration.read(bytes: Array(text.utf8), file: "f.yaml")
    var rose = CatalogueEntry(gift: Array("5655".utf8))
    rose.name = Array("玫瑰".utf8)
    rose.icon = Array("https://a/b".utf8)
    rose.price = 1
    rose.priority = 3
    rose.asset = Array("rose.webm".utf8)
    rose.durationMilliseconds = 1
    let rocket = CatalogueEntry(gift: Array("Rocket".utf8))
    #expect(configuration.defaultPlan.catalogue.entries == [rose, rocket])
    #expect(configuration.plan(forRoom: "r1").catalogue.isEmpty)
    let again = try Configuration.read(bytes: Array(configuration.canonicalText.utf8), file: "journal")
    #expect(again == configuration)
    #expect(again.defaultPlan.catalogue == configuration.defaultPlan.catalogue)
  }

  @Test func mistakesAreToldWithTheirPlaces() {
    #expect(
      mistakes("gifts:\n  - {gift: a}\n  - {gift: b}\n  - {gift: a}")
        == ["f.yaml:4:5: gifts[2].gift: 'a' is in [0] too, expected each gift once"])
    #expect(
      mistakes("gifts: [{name: Rose}]")
        == ["f.yaml:1:9: gifts[0].gift: missing, expected \(TextForm.id.expectation)"])
    #expect(
      mistakes("gifts: [{gift: a, prise: 1}]")
        == ["f.yaml:1:19: gifts[0].prise: unknown setting, did you mean 'price'?"])
    #expect(
      mistakes("gifts: [{gift: a, priority: 10}]")
        == ["f.yaml:1:29: gifts[0].priority: '10' is out of range, expected an integer from 0 to 9"])
    #expect(mistakes("rooms: {r1: {gifts: [{gift: a}, {gift: a}]}}").count == 1)
  }

  @Test func everyEntryIsFoundAndNothingElse() {
    let entries = (0..<1000).map { CatalogueEntry(gift: Array("gift-\($0)".utf8)) }
    let catalogue = GiftCatalogue(entries)
    func number(_ text: String) -> Int? {
      var bytes: [UInt8] = []
      var gift = Gift()
      gift.id = bytes.append(text: text.utf8)
      gift.name = gift.id
      return catalogue.number(of: gift, in: bytes)
    }
    #expect((0..<1000).map { number("gift-\($0)") } == (0..<1000).map { $0 })
    #expect((1000..<3000).allSatisfy { number("gift-\($0)") == nil })
  }
}
