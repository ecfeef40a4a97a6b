import Base
import Engine
import Testing

/// Rooms: isolated, ordered, bounded, and gone when they are idle.
@Suite struct EngineTests {
  /// `room at track op`, for tests about several rooms.
  private func roomLines(_ scenario: Scenario) -> [String] {
    scenario.output.commands.map { command in
      let words = scenario.output.line(command).split(separator: " ")
      return "\(scenario.output.bytes.string(command.room)) \(words.prefix(3).joined(separator: " "))"
    }
  }

  @Test func roomsShareNothing() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(
      0, room: "r1", [.gift("Ann", "Rose", total: 5, id: "1"), .comment("Ann", "a"), .like(total: 5)])
    scenario.at(
      10, room: "r2", [.gift("Ann", "Rose", total: 6, id: "1"), .comment("Bo", "b"), .like(total: 9)])
    #expect(
      scenario.lines == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1600",
        "0 comment append evicted=0 skipped=0 Ann:a:#00AEFF",
        "10 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1610",
        "10 comment append evicted=0 skipped=0 Bo:b:#00AEFF",
      ])
    #expect(scenario.output.commands.map(\.sequence) == [1, 1, 1, 1])
    #expect(scenario.output.commands.map(\.epoch) == [0, 0, 10, 10])
    #expect(roomLines(scenario).map { $0.prefix(2) } == ["r1", "r1", "r2", "r2"])
    #expect(scenario.engine.roomCount == 2)
    #expect(scenario.engine.giftsPending == 11)
  }

  @Test func atOneInstantRoomsComeInTheOrderInWhichTheyAppeared() {
    var scenario = Scenario(Scenario.plain(tracks: [0, 0]))
    for room in ["z", "m", "a"] { scenario.at(0, room: room, [.gift("Ann", "Rose"), .gift("Bo", "Rose")]) }
    // A later batch of the last room changes nothing of the order.
    scenario.at(50, room: "a", [.gift("Ann", "Rose", merges: false)])
    scenario.output.removeAll()
    scenario.advance(to: 100)
    #expect(
      roomLines(scenario) == [
        "z 100 gift/0 count", "z 100 gift/1 count", "m 100 gift/0 count", "m 100 gift/1 count",
        "a 100 gift/0 count", "a 100 gift/1 count",
      ])
  }

  @Test func deadlinesOfDifferentRoomsFireInTheOrderOfTime() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(0, room: "a", [.gift("Ann", "Rose", 2)])
    scenario.at(50, room: "b", [.gift("Ann", "Rose")])
    scenario.output.removeAll()
    scenario.advance(to: 1350)
    #expect(
      roomLines(scenario) == [
        "a 100 gift/0 count", "b 150 gift/0 count", "b 250 gift/0 hold", "a 300 gift/0 hold",
        "b 1250 gift/0 hide", "a 1300 gift/0 hide",
      ])
  }

  @Test func aBatchFiresTheTimersOfAllRoomsFirst() {
    var scenario = Scenario(Scenario.plain())
    scenario.at(0, room: "a", [.gift("Ann", "Rose")])
    scenario.output.removeAll()
    scenario.at(200, room: "b", [.gift("Ann", "Rose")])
    #expect(roomLines(scenario) == ["a 100 gift/0 count", "a 200 gift/0 hold", "b 200 gift/0 show"])
  }

  @Test func aRoomKeepsThePlanThatItWasMadeWith() {
    var engine = Engine()
    var output = CommandBuffer()
    var batch = EventBatch()
    TestEvent.gift("Ann", "Rose").add(to: &batch, index: 0)
    TestEvent.gift("Bo", "Rose").add(to: &batch, index: 1)
    let name = Array("r".utf8)
    let made = engine.receive(batch, room: name.span, plan: Scenario.plain(), at: 0, output: &output)
    #expect(made)
    let found = engine.receive(batch, room: name.span, plan: RoomPlan(), at: 0, output: &output)
    #expect(found)
    #expect(output.commands.count == 1)
  }

  // MARK: Bounds

  @Test func aRoomBeyondMaxRoomsIsRefusedAndNothingIsTaken() {
    var scenario = Scenario(Scenario.plain(), maxRooms: 2)
    let first = scenario.at(0, room: "r1", [.gift("Ann", "Rose")])
    #expect(first)
    let second = scenario.at(0, room: "r2", [.gift("Ann", "Rose")])
    #expect(second)
    let third = scenario.at(100, room: "r3", [.gift("Ann", "Rose")])
    #expect(!third)
    #expect(scenario.engine.roomCount == 2)
    #expect(scenario.output.counters.roomsOpened == 2)
    #expect(scenario.output.counters.giftsAccepted == 2)
    // Time passed even so, and the rooms that are there go on.
    #expect(scenario.engine.now == 100)
    #expect(scenario.lines(op: "count").count == 2)
    let secondAgain = scenario.at(100, room: "r2", [.gift("Ann", "Rose")])
    #expect(secondAgain)
  }

  @Test func aRoomThatLeftMakesRoomForAnother() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan, maxRooms: 1)
    scenario.at(0, room: "r1", [.comment("Ann", "a")])
    let early = scenario.at(999, room: "r2", [.comment("Ann", "a")])
    #expect(!early)
    let later = scenario.at(1000, room: "r2", [.comment("Ann", "a")])
    #expect(later)
    #expect(scenario.engine.checkInvariants() == nil)
  }

  // MARK: Leaving

  @Test func aRoomLeavesWhenNothingShowsAndItWasIdleForRoomIdleMs() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan)
    scenario.at(0, [.gift("Ann", "Rose", id: "1")])
    // Shown until 1300: hidden at 1200 and gone 100 later; that was its last sign of life.
    scenario.advance(to: 2299)
    #expect(scenario.engine.roomCount == 1)
    #expect(scenario.engine.nextDeadline == 2300)
    #expect(scenario.engine.isQuiet)
    scenario.advance(to: 2300)
    #expect(scenario.engine.roomCount == 0)
    #expect(scenario.engine.nextDeadline == nil)
    #expect(scenario.output.counters.roomsClosed == 1)
  }

  @Test func aRoomThatReturnsHasANewEpochAndRemembersNothing() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan)
    scenario.at(
      0, [.gift("Ann", "Rose", total: 5, id: "1", streak: "s"), .comment("Ann", "a"), .like(total: 7)])
    scenario.at(100, [.comment("Bo", "b")])
    scenario.advance(to: 5000)
    scenario.output.removeAll()
    scenario.at(
      6000, [.gift("Ann", "Rose", total: 5, id: "1", streak: "s"), .comment("Bo", "b"), .like(total: 9)])
    #expect(
      scenario.lines == [
        "6000 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=7600",
        "6000 comment append evicted=0 skipped=0 Bo:b:#00AEFF",
      ])
    #expect(scenario.output.commands.map(\.epoch) == [6000, 6000])
    #expect(scenario.output.commands.map(\.sequence) == [1, 1])
    #expect(scenario.output.counters.roomsOpened == 2)
  }

  @Test func aBatchAtTheInstantOfLeavingFindsANewRoom() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    for (instant, epoch) in [(Instant(999), Instant(0)), (1000, 1000)] {
      var scenario = Scenario(plan)
      scenario.at(0, [.comment("Ann", "a")])
      scenario.at(instant, [.comment("Ann", "a")])
      #expect(scenario.output.commands.last?.epoch == epoch)
    }
  }

  @Test func everySignOfLifeKeepsARoom() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    // A duplicate is a batch too; a like falls for 2000 and keeps the room as long as that.
    var scenario = Scenario(plan)
    scenario.at(0, [.comment("Ann", "a", id: "1")])
    scenario.at(900, [.comment("Ann", "a", id: "1")])
    scenario.advance(to: 1899)
    #expect(scenario.engine.roomCount == 1)
    scenario.at(1899, [.like(1)])
    scenario.advance(to: 4898)
    #expect(scenario.engine.roomCount == 1)
    scenario.advance(to: 4899)
    #expect(scenario.engine.roomCount == 0)
  }

  @Test func aGroupThatNoTrackMayTakeFoldsBeforeItsRoomLeaves() {
    let plan = Scenario.plain(tracks: [9], limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan, [(0, [.gift("Ann", "P8", 3)])], to: 1000)
    #expect(scenario.lines == ["1000 gift/fold fold groups=1 gifts=3 senders=1 Ann>P8x3"])
    scenario.advance(to: 1999)
    #expect(scenario.engine.roomCount == 1)
    scenario.advance(to: 2000)
    #expect(scenario.engine.roomCount == 0)
    #expect(scenario.output.counters.giftsFolded == 3)
  }

  @Test func aRoomThatTakesAFreedPlaceComesAfterThoseThatAppearedBefore() {
    let plan = Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 })
    var scenario = Scenario(plan)
    scenario.at(0, room: "gone", [.comment("Ann", "a")])
    scenario.at(500, room: "old", [.gift("Ann", "Rose", 5)])
    scenario.at(1100, room: "new", [.gift("Ann", "Rose")])
    scenario.at(1100, room: "gone", [.gift("Ann", "Rose")])
    #expect(scenario.engine.roomCount == 3)
    scenario.output.removeAll()
    scenario.at(1200, room: "old", [.gift("Ann", "Rose")])
    scenario.advance(to: 1300)
    // old: run 600–1100, held since 1100, run again 1200–1300; new and gone: runs 1200–1300.
    #expect(
      roomLines(scenario) == [
        "new 1200 gift/0 count", "gone 1200 gift/0 count", "old 1200 gift/0 count", "old 1300 gift/0 hold",
        "new 1300 gift/0 hold", "gone 1300 gift/0 hold",
      ])
    #expect(scenario.engine.checkInvariants() == nil)
  }

  @Test func anEmptyEngineHasNothingToDo() {
    var scenario = Scenario(Scenario.plain())
    #expect(scenario.engine.nextDeadline == nil)
    #expect(scenario.engine.isQuiet)
    scenario.advance(to: 5)
    scenario.skip(from: 6, to: 7)
    #expect(scenario.engine.now == 7)
    #expect(scenario.lines == [])
  }
}
