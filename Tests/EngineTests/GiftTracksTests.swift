import Base
import Engine
import Testing

@Suite struct GiftTracksTests {
  @Test func aComboShowsCountsHoldsAndHides() {
    var scenario = Scenario()
    scenario.at(0, [.gift("Ann", "Rose"), .gift("Ann", "Rose", 2)])
    scenario.advance(to: 10_000)
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=300 until=3700",
        "300 gift/0 count 1 0→3 for=1200 until=4500",
        "1500 gift/0 hold 1 x3 until=4500",
        "4500 gift/0 hide 1 x3 expired for=300",
      ])
    #expect(scenario.output.commands.map(\.sequence) == [1, 2, 3, 4])
    #expect(scenario.engine.checkInvariants() == nil)
  }
}
