import Base
import Testing

@testable import Configuration

/// Presets, and rooms with settings of their own.
@Suite struct RoomTests {
  @Test func classicIsTheSeedsBehaviour() throws {
    #expect(try configuration("gift: {preset: classic}").defaultPlan.gift == GiftPlan.classic)
  }

  @Test func whatIsGivenBesideAPresetWinsWhateverTheOrder() throws {
    for text in [
      "{maxWaiting: 50, holdMs: 5000, preset: classic}", "{preset: classic, holdMs: 5000, maxWaiting: 50}",
    ] {
      var plan = GiftPlan.classic
      plan.maxWaiting = 50
      plan.holdMilliseconds = 5000
      plan.holdBusyMilliseconds = 5000
      #expect(try configuration("gift: \(text)").defaultPlan.gift == plan)
    }
  }

  @Test(arguments: [
    ("{}", 3000, 800), ("{holdMs: 5000}", 5000, 800), ("{holdMs: 500}", 500, 800),
    ("{holdBusyMs: 100}", 3000, 100), ("{holdBusyMs: 3000}", 3000, 3000),
    ("{preset: classic}", 3000, 3000), ("{preset: classic, holdMs: 500}", 500, 500),
    ("{preset: classic, holdMs: 5000}", 5000, 5000), ("{preset: classic, holdBusyMs: 100}", 3000, 100),
  ])
  func theBusyWindowFollowsTheWindow(_ gift: String, _ hold: Int64, _ holdBusy: Int64) throws {
    let plan = try configuration("gift: \(gift)").defaultPlan.gift
    #expect(plan.holdMilliseconds == hold)
    #expect(plan.holdBusyMilliseconds == holdBusy)
  }

  @Test func aRoomMayHaveAPriceUnitOfItsOwn() throws {
    let read = try configuration(
      "ledger: {priceUnit: coin}\nrooms: {a: {ledger: {priceUnit: EUR cent}}, b: {ledger: {priceUnit: ''}}, c: {gift: {stepMs: 1}}}"
    )
    let units = ["a", "b", "c", "d"].map { read.priceUnit(forRoom: Array($0.utf8)) }
    #expect(units == ["EUR cent", nil, "coin", "coin"])
    let again = try configuration(read.canonicalText)
    #expect(again == read)
    #expect(["a", "b", "c", "d"].map { again.priceUnit(forRoom: Array($0.utf8)) } == units)
  }

  @Test func aBusyWindowMayBeLongerThanTheWindow() {
    // The pace may make it the shorter one, and it never makes a window longer.
    #expect(mistakes("gift: {holdMs: 3000, holdBusyMs: 3001}").isEmpty)
    #expect(mistakes("rooms: {lobby: {gift: {holdBusyMs: 3001}}}").isEmpty)
  }

  @Test func aRoomStartsFromTheSettingsOfAllRooms() throws {
    // `rooms` comes first: the order in the file does not matter.
    let read = try configuration(
      """
      rooms:
        lobby:
          gift: {tracks: 5}
          comment: {maxItems: 7}
        hall:
          gift: {preset: livecue, stepMs: 1}
          limits: {maxEvents: 9}
        same: {}
      gift: {preset: classic, holdMs: 6000, stepMs: 50}
      like: {maxParticles: 1}
      """)
    var all = GiftPlan.classic
    all.holdMilliseconds = 6000
    all.holdBusyMilliseconds = 6000
    all.stepMilliseconds = 50
    #expect(read.defaultPlan.gift == all)

    var lobby = all
    lobby.trackMinPriorities = [0, 0, 0, 0, 0]
    #expect(read.plan(forRoom: "lobby").gift == lobby)
    #expect(read.plan(forRoom: "lobby").comment.maxItems == 7)
    #expect(read.plan(forRoom: "lobby").like.maxParticles == 1)

    // The room's own preset replaces all gift settings of all rooms, and nothing else.
    var hall = GiftPlan()
    hall.stepMilliseconds = 1
    #expect(read.plan(forRoom: "hall").gift == hall)
    #expect(read.plan(forRoom: "hall").like.maxParticles == 1)
    #expect(read.plan(forRoom: "hall").limits.maxEvents == 9)

    #expect(read.plan(forRoom: "same") === read.defaultPlan)
    #expect(read.plan(forRoom: "none") === read.defaultPlan)
  }

  @Test(arguments: [
    ("{preset: classic}", "{holdMs: 5000}", 5000),
    ("{preset: classic, holdBusyMs: 1000}", "{holdMs: 5000}", 1000),
    ("{preset: classic, holdBusyMs: 1000}", "{holdMs: 500}", 1000),
    ("{holdBusyMs: 1000}", "{preset: classic}", 3000),
    ("{holdBusyMs: 1000}", "{preset: livecue}", 800),
    ("{preset: classic}", "{preset: livecue, holdMs: 400}", 800),
  ])
  func aRoomsBusyWindowFollowsWhatIsGiven(_ all: String, _ room: String, _ holdBusy: Int64) throws {
    let read = try configuration("gift: \(all)\nrooms: {r: {gift: \(room)}}")
    #expect(read.plan(forRoom: "r").gift.holdBusyMilliseconds == holdBusy)
  }

  @Test func roomsWithTheSameSettingsShareAPlan() throws {
    let read = try configuration(
      "rooms: {a: {gift: {tracks: 5}}, b: {gift: {tracks: [{}, {}, {}, {}, {}]}}, c: {gift: {tracks: 4}}}")
    #expect(read.plan(forRoom: "a") === read.plan(forRoom: "b"))
    #expect(read.plan(forRoom: "a") !== read.plan(forRoom: "c"))
  }

  /// Swift calls these two spellings of é equal; MQTT does not.
  @Test func roomsAreToldApartByBytes() throws {
    let read = try configuration(
      """
      rooms: {"\\u00e9": {gift: {tracks: 5}}, "e\\u0301": {gift: {tracks: 6}}}
      allowRooms: ["\\u00e9"]
      """)
    #expect(read.plan(forRoom: "\u{e9}").gift.trackMinPriorities.count == 5)
    #expect(read.plan(forRoom: "e\u{301}").gift.trackMinPriorities.count == 6)
    #expect(read.allows(room: Array("\u{e9}".utf8)))
    #expect(!read.allows(room: Array("e\u{301}".utf8)))
  }

  @Test func manyRoomsAreReadInReasonableTime() throws {
    let rooms = (0..<5000).map { "  room\($0): {gift: {tracks: \($0 % 3 + 4)}}" }.joined(separator: "\n")
    let read = try configuration("rooms:\n" + rooms)
    #expect(read.roomPlans.count == 5000)
    #expect(read.plan(forRoom: "room4").gift.trackMinPriorities.count == 5)
    #expect(read.plan(forRoom: "room1") === read.plan(forRoom: "room4"))
  }
}
