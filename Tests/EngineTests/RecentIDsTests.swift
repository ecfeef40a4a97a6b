import Base
import Engine
import Testing

/// Events with an id are taken once.
@Suite struct RecentIDsTests {
  private func plan(_ change: (inout RoomLimits) -> Void = { _ in }) -> RoomPlan {
    Scenario.plan(limits: change)
  }

  @Test func anEventThatComesTwiceIsTakenOnce() {
    let events: [TestEvent] = [
      .gift("Ann", "Rose", 2, id: "1"), .comment("Ann", "hi", id: "1"), .like(3, id: "1"),
    ]
    let scenario = Scenario(plan(), [(0, events + events), (10, events)], to: 3000)
    #expect(scenario.output.counters.giftsAccepted == 2)
    #expect(scenario.output.commentItems.count == 1)
    #expect(scenario.lines(of: "like").first == "0 like burst 3 total=3 particles=3 until=2000")
    #expect(scenario.output.counters.duplicateIDs == 6)
    #expect(scenario.output.counters.giftEvents == 1)
    #expect(scenario.output.counters.commentEvents == 1)
    #expect(scenario.output.counters.likeEvents == 1)
  }

  @Test func eventsWithoutAnIDAreNeverDuplicates() {
    let scenario = Scenario(plan(), [(0, [.gift("Ann", "Rose"), .gift("Ann", "Rose")])], to: 0)
    #expect(scenario.output.counters.giftsAccepted == 2)
  }

  @Test func anIDIsOfItsRoomAndItsSource() {
    var scenario = Scenario(plan())
    for room in ["r1", "r2"] {
      for source in [UInt32(0), 1] {
        scenario.at(0, room: room, source: source, [.gift("Ann", "Rose", id: "1")])
      }
    }
    #expect(scenario.output.counters.giftsAccepted == 4)
    #expect(scenario.output.counters.duplicateIDs == 0)
  }

  @Test func aFrameThatAddedNothingIsADuplicateToo() {
    let frame = TestEvent.gift("Ann", "Rose", total: 5, id: "2")
    let scenario = Scenario(
      plan(), [(0, [.gift("Ann", "Rose", total: 5, id: "1"), frame]), (1000, [frame])], to: 1000)
    #expect(scenario.output.counters.duplicateIDs == 1)
    #expect(scenario.output.counters.giftsAccepted == 5)
  }

  @Test(arguments: [(Instant(3_599_999), 1), (3_600_000, 2), (3_600_001, 2)])
  func aGiftsIDIsRememberedForAnHour(instant: Instant, accepted: Int) {
    let scenario = Scenario(
      plan(), [(0, [.gift("Ann", "Rose", id: "1")]), (instant, [.gift("Ann", "Rose", id: "1")])], to: instant)
    #expect(scenario.output.counters.giftsAccepted == accepted)
    #expect(scenario.output.counters.youngGiftIDsEvicted == 0)
  }

  @Test func theHourIsFromTheFirstTime() {
    let gift = TestEvent.gift("Ann", "Rose", id: "1")
    let scenario = Scenario(plan(), [(0, [gift]), (3_000_000, [gift]), (3_600_000, [gift])], to: 3_600_000)
    #expect(scenario.output.counters.giftsAccepted == 2)
  }

  @Test(arguments: [(2, 0), (3, 0), (4, 1), (6, 3)])
  func atMostMaxGiftIDsAreRememberedAndAnYoungerEvictionIsCounted(ids: Int, evicted: Int) {
    var scenario = Scenario(plan { $0.maxGiftIDs = 3 })
    scenario.at(0, (0..<ids).map { .gift("Ann", "Rose", id: "\($0)") })
    #expect(scenario.output.counters.youngGiftIDsEvicted == evicted)
    // The eldest is forgotten first.
    scenario.at(1, (evicted..<ids).map { .gift("Ann", "Rose", id: "\($0)") })
    #expect(scenario.output.counters.duplicateIDs == min(ids, 3))
    if evicted > 0 { scenario.at(2, [.gift("Ann", "Rose", id: "0")]) }
    #expect(scenario.output.counters.giftsAccepted == ids + min(evicted, 1))
  }

  @Test func anIDPastItsHourMakesRoomUncounted() {
    let scenario = Scenario(
      plan { $0.maxGiftIDs = 1 },
      [(0, [.gift("Ann", "Rose", id: "1")]), (3_600_000, [.gift("Ann", "Rose", id: "2")])], to: 3_600_000)
    #expect(scenario.output.counters.youngGiftIDsEvicted == 0)
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 2)])
  func atMostMaxOtherIDsOfCommentsAndLikesAreRemembered(others: Int, accepted: Int) {
    // The first comes again after `others` ids; gifts' ids take no room of them.
    var scenario = Scenario(plan { $0.maxOtherIDs = 2 })
    scenario.at(0, [.like(1, id: "0")])
    for id in 1..<others {
      scenario.at(0, [.comment("Ann", "hi", id: "\(id)"), .gift("Ann", "Rose", id: "g\(id)")])
    }
    let before = scenario.output.counters.likeEvents
    scenario.at(0, [.like(1, id: "0")])
    #expect(scenario.output.counters.likeEvents == before + accepted - 1)
  }

  @Test func otherIDsHaveNoHour() {
    let like = TestEvent.like(1, id: "1")
    // Something keeps the room from leaving in between.
    let steps = (0...4).map {
      (at: Instant($0) * 3_600_000, events: [$0 % 4 == 0 ? like : .gift("Ann", "Rose")])
    }
    let scenario = Scenario(plan(), steps, to: 4 * 3_600_000)
    #expect(scenario.output.counters.likeEvents == 1)
  }
}
