import Base
import Engine
import Testing

/// A new epoch numbers the commands anew, and changes nothing else.
@Suite struct EpochTests {
  private func positions(_ scenario: Scenario, from place: Int) -> [String] {
    scenario.output.commands[place...].map { "\($0.epoch).\($0.sequence)" }
  }

  @Test func numbersBeginAnewAndTheComboGoesOn() {
    var scenario = Scenario(Scenario.plain(), [(5, [.gift("Ann", "Rose")])], to: 250)
    let before = scenario.lines
    scenario.engine.beginEpoch(9_000)
    #expect(scenario.lines == before)
    scenario.at(300, [.gift("Ann", "Rose")])
    scenario.advance(to: 400)
    #expect(
      scenario.lines.dropFirst(before.count) == [
        "300 gift/0 count 1 1→2 for=100 until=1400", "400 gift/0 hold 1 x2 until=1400",
      ])
    #expect(positions(scenario, from: before.count) == ["9000.1", "9000.2"])
  }

  @Test func everyTrackOfEveryRoomBeginsAnew() {
    var scenario = Scenario(Scenario.plain(tracks: [0, 0]) { $0.foldAfterMilliseconds = 50 })
    for room in ["r1", "r2"] {
      scenario.at(
        5, room: room,
        [
          .gift("Ann", "Rose"), .gift("Bo", "Rose"), .gift("Cy", "Rose"), .comment("Ann", "hi"),
          .like(2),
        ])
    }
    scenario.advance(to: 80)
    let place = scenario.output.commands.count
    scenario.engine.beginEpoch(9_000)
    for room in ["r1", "r2"] { scenario.at(1_200, room: room, [.comment("Ann", "ho"), .gift("Di", "Rose")]) }
    scenario.advance(to: 60_000)
    var next: [String: Int] = [:]
    for command in scenario.output.commands[place...] {
      #expect(command.epoch == 9_000)
      let name = String(decoding: scenario.output.bytes[command.room.range], as: UTF8.self)
      next["\(name)/\(command.track)", default: 0] += 1
      #expect(command.sequence == next["\(name)/\(command.track)"])
    }
    #expect(next.count == 10)
  }

  /// Keys are digests that are seeded with the room's birth, which a new epoch leaves as it was.
  @Test func idsAndStreaksAreRememberedAcrossIt() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(5, [.gift("Ann", "Rose", id: "e1"), .gift("Bo", "Rose", total: 3)])
    scenario.engine.beginEpoch(9_000)
    scenario.at(6, [.gift("Ann", "Rose", id: "e1"), .gift("Bo", "Rose", total: 5)])
    #expect(scenario.output.counters.duplicateIDs == 1)
    #expect(scenario.output.counters.giftsAccepted == 6)
  }

  @Test func theEpochIsSavedWithTheRoom() throws {
    var scenario = Scenario(Scenario.plain(), [(5, [.gift("Ann", "Rose")])], to: 250)
    scenario.engine.beginEpoch(9_000)
    let plan = scenario.plan
    scenario.engine = try SavedState(of: scenario.engine).restored { _ in plan }
    let place = scenario.output.commands.count
    scenario.at(300, [.gift("Ann", "Rose")])
    #expect(positions(scenario, from: place) == ["9000.1"])
  }

  @Test func anEpochIsNeverOneThatWas() {
    var scenario = Scenario(Scenario.plain(), [(5, [.gift("Ann", "Rose")])], to: 250)
    scenario.engine.beginEpoch(5)
    let place = scenario.output.commands.count
    scenario.at(300, [.gift("Ann", "Rose")])
    #expect(positions(scenario, from: place) == ["6.1"])
  }
}
