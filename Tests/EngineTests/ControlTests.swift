import Base
import Engine
import Testing

/// What an operator does with a room.
@Suite struct ControlTests {
  private static let ann = Array("Ann".utf8)

  @Test func aSkippedTrackHidesAtOnceAndWhatIsPendingFolds() {
    var scenario = Scenario(
      Scenario.plain { $0.countsPerStep = true },
      [(0, [.gift("Ann", "Rose", 5), .gift("Bo", "Rose")])], to: 250)
    scenario.expect(.skip(.gift(0)), at: 250)
    scenario.advance(to: 350)
    #expect(
      scenario.lines.dropFirst() == [
        "100 gift/0 count 1 0→1 for=100 until=1200", "200 gift/0 count 1 1→2 for=100 until=1300",
        "250 gift/0 hide 1 x2 skipped for=100", "250 gift/fold fold groups=1 gifts=3 senders=1 Ann>Rosex3",
        "350 gift/0 show 2 Bo>Rose base=0 priority=0 for=100 until=1550",
      ])
    #expect(scenario.output.counters.groupsFoldedByControl == 1)
  }

  @Test func aSkippedComboGoesOnFromItsNumberWithinItsWindow() {
    for (arrival, base) in [(Instant(1199), 1), (1200, 0)] {
      var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 300)
      scenario.control(.skip(.gift(0)), at: 300)
      scenario.at(arrival, [.gift("Ann", "Rose")])
      #expect(scenario.lines.last?.contains("show 2 Ann>Rose base=\(base)") == true)
    }
  }

  @Test func aMutedComboLeavesItsNumberForItsWindowAndNoLonger() {
    for (arrival, base) in [(Instant(1199), 1), (1200, 0)] {
      var scenario = Scenario(Scenario.plain(), [(0, [.gift("Ann", "Rose")])], to: 300)
      scenario.control(.mute(sender: ControlTests.ann), at: 300)
      scenario.control(.unmute(sender: ControlTests.ann), at: 301)
      scenario.at(arrival, [.gift("Ann", "Rose")])
      #expect(scenario.lines.last?.contains("show 2 Ann>Rose base=\(base)") == true)
    }
  }

  @Test func whereNothingIsShownASkipDoesNothing() {
    var scenario = Scenario(Scenario.plain(tracks: [0, 0]), [(0, [.gift("Ann", "Rose")])], to: 1250)
    let before = scenario.lines.count
    for track in [Track.gift(0), .gift(1), .stage] { scenario.expect(.skip(track), at: 1250) }
    scenario.expect(.skip(.gift(2)), at: 1250, fault: .noSuchTrack)
    scenario.expect(.skip(.fold), at: 1250, fault: .noSuchTrack)
    #expect(scenario.lines.count == before)
  }

  @Test func clearWithAHundredWaitingLeavesNothingThatRevives() {
    var scenario = Scenario(
      Scenario.plain { $0.maxFoldItems = 1000 },
      [(0, [.gift("Ann", "Rose", 3), .comment("Ann", "a"), .like(5)])],
      to: 150)
    scenario.at(150, (1...100).map { .gift("viewer \($0)", "Rose") } + [.gift("Ann", "Rose", 2)])
    scenario.control(.clear(nil), at: 160)
    let cleared = scenario.lines.filter { $0.hasPrefix("160 ") }.map { String($0.prefix(40)) }
    #expect(
      cleared == [
        "160 gift/0 hide 1 x3 cleared for=100", "160 comment remove lc-0-1", "160 like stop total=5",
        "160 gift/fold fold groups=101 gifts=102 ",
      ])
    scenario.advance(to: 1000)
    #expect(scenario.lines.last?.hasPrefix("160 ") == true)
    #expect(scenario.engine.giftsPending == 0)
    // Not even a number.
    scenario.at(1001, [.gift("Ann", "Rose")])
    #expect(scenario.lines.last?.contains("Ann>Rose base=0") == true)
  }

  @Test func ofAMutedSenderNothingIsShownAndAllIsCounted() {
    var scenario = Scenario(
      Scenario.plain(tracks: [0, 0]),
      [
        (
          0,
          [.gift("Ann", "Rose", 2), .gift("Bo", "Rose"), .comment("Ann", "a", id: "c1"), .comment("Bo", "b")]
        )
      ],
      to: 50)
    scenario.at(60, [.gift("Ann", "Lily"), .comment("Ann", "c", id: "c2")])
    scenario.expect(.mute(sender: ControlTests.ann), at: 70)
    #expect(
      scenario.lines.filter { $0.hasPrefix("70 ") } == [
        "70 gift/0 hide 1 x0 skipped for=100", "70 comment remove c1",
      ])
    scenario.at(80, [.gift("Ann", "Rose"), .gift("Ann", "Kiss", total: 5), .comment("Ann", "d"), .like(3)])
    scenario.advance(to: 200)
    #expect(scenario.output.counters.giftsMuted == 9)
    #expect(scenario.output.counters.giftsAccepted == 10)
    #expect(scenario.output.counters.commentsMuted == 1)
    #expect(scenario.output.counters.commentsRemoved == 2)
    // The events of likes are Ann's too.
    #expect(scenario.output.counters.likesMuted == 1)
    #expect(scenario.lines(of: "like").isEmpty)
    #expect(scenario.output.accepted.map(\.count) == [1, 5])
    #expect(scenario.shows == ["0 gift/0 Ann>Rose", "0 gift/1 Bo>Rose"])
    // Nothing bursts out afterwards; a streak goes on from where it is.
    scenario.control(.unmute(sender: ControlTests.ann), at: 300)
    scenario.advance(to: 5000)
    #expect(scenario.shows.count == 2)
    scenario.at(6000, [.gift("Ann", "Kiss", total: 7), .comment("Ann", "e")])
    #expect(
      scenario.lines.suffix(2) == [
        "6000 gift/0 show 4 Ann>Kiss base=5 priority=0 for=100 until=7300",
        "6000 comment append evicted=0 skipped=0 Ann:e:#00AEFF",
      ])
  }

  @Test func asManyAsMayBeMutedAre() {
    var scenario = Scenario(Scenario.plain(limits: { $0.maxMuted = 1 }))
    scenario.expect(.mute(sender: ControlTests.ann), at: 0)
    scenario.expect(.mute(sender: ControlTests.ann), at: 0)
    scenario.expect(.mute(sender: Array("Bo".utf8)), at: 0, fault: .tooManyMuted)
    scenario.control(.unmute(sender: ControlTests.ann), at: 0)
    scenario.expect(.mute(sender: Array("Bo".utf8)), at: 0)
  }

  @Test func commentsAreRemovedByIDAndBySender() {
    var scenario = Scenario(
      Scenario.plan(comment: { $0.maxItems = 4 }),
      [
        (0, ["1", "2", "3"].map { .comment("Ann", "a", id: $0) } + [.comment("Bo", "b", id: "4")]),
        (10, [.comment("Ann", "new", id: "5"), .comment("Bo", "new", id: "6")]),
      ], to: 10)
    scenario.control(.remove(ids: ["3", "9"].map { Array($0.utf8) }), at: 20)
    scenario.control(.removeAll(sender: ControlTests.ann), at: 30)
    scenario.control(.removeAll(sender: ControlTests.ann), at: 40)
    scenario.at(
      99, [.comment("Cy", "c", id: "7"), .comment("Cy", "c", id: "8"), .comment("Cy", "c", id: "9")])
    scenario.advance(to: 1000)
    #expect(
      scenario.lines(of: "comment").dropFirst() == [
        "20 comment remove 3", "30 comment remove 1,2",
        "100 comment append evicted=1 skipped=0 Bo:new:#00A61C,Cy:c:#5400E6,Cy:c:#5400E6,Cy:c:#5400E6",
      ])
    #expect(scenario.output.counters.commentsRemoved == 4)
  }

  @Test func aTestIsShownMarkedAndMergesOnlyWithTests() {
    var scenario = Scenario(Scenario.plain(tracks: [0, 0]))
    scenario.at(0, [.gift("Ann", "Rose", id: "g"), .like(total: 100)])
    let test = [
      TestEvent.gift("Ann", "Rose", 2, id: "g"), .gift("Ann", "Rose", total: 3, streak: "s"),
      .comment("Ann", "a", id: "c"), .comment("Ann", "a", id: "c"), .like(4),
    ]
    scenario.control(.test, at: 10, test: test)
    scenario.at(
      20, [.gift("Ann", "Rose", total: 1, streak: "s"), .comment("Ann", "b", id: "c"), .like(total: 103)])
    scenario.advance(to: 300)
    #expect(
      scenario.lines.filter { !$0.contains("hold") } == [
        "0 gift/0 show 1 Ann>Rose base=0 priority=0 for=100 until=1200",
        "10 gift/1 show 2 Ann>Rose base=0 priority=0 for=100 until=1310 test",
        "10 comment append evicted=0 skipped=0 Ann:a:#00AEFF:test,Ann:a:#00AEFF:test",
        "10 like burst 4 total=100 particles=4 until=2010 test",
        "100 gift/0 count 1 0→2 for=200 until=1300", "110 gift/1 count 2 0→5 for=500 until=1610",
        "110 comment append evicted=0 skipped=0 Ann:b:#00AEFF",
        "260 like burst 3 total=103 particles=3 until=2260",
      ])
    #expect(scenario.output.counters.giftsTested == 5)
    #expect(scenario.output.counters.giftsAccepted == 2)
    #expect(scenario.output.accepted.map(\.place) == [0])
  }

  @Test func onlyWhatMayComeFirstOpensARoom() {
    let none: [ControlOperation] = [
      .resume(nil), .clear(nil), .skip(.gift(0)), .unmute(sender: ControlTests.ann),
      .remove(ids: [ControlTests.ann]), .removeAll(sender: ControlTests.ann),
    ]
    var scenario = Scenario(RoomPlan(), maxRooms: 3)
    for operation in none { scenario.expect(operation, at: 0, room: "new", fault: .noSuchRoom) }
    #expect(scenario.engine.roomCount == 0)
    for (room, operation) in [
      ("a", ControlOperation.pause(nil)), ("b", .mute(sender: ControlTests.ann)), ("c", .test),
    ] {
      scenario.expect(operation, at: 0, room: room)
    }
    #expect(scenario.engine.roomCount == 3)
    scenario.expect(.pause(nil), at: 0, room: "d", fault: .tooManyRooms)
    let isThere = scenario.feedback(.resync, at: 0, room: "d")
    #expect(!isThere)
  }

  @Test func aClickOnWhatIsOnScreenComesOut() {
    var scenario = Scenario(
      StageTests.plan(), [(0, [.gift("Ann", "Castle", 2, to: "Zoe"), .gift("Bo", "Rose")])], to: 150)
    for group in [1, 2, 3, 9] { scenario.feedback(.click(group: group), by: "page", at: 200) }
    scenario.feedback(.click(group: 1), at: 200)
    #expect(
      scenario.lines(of: "click") == [
        "200 click click 1 Ann>Castle>Zoe x2 by=page", "200 click click 2 Ann>Castle>Zoe x2 by=page",
        "200 click click 3 Bo>Rose x1 by=page", "200 click click 1 Ann>Castle>Zoe x2 by=",
      ])
    #expect(scenario.output.counters.clicks == 4)
    #expect(scenario.output.counters.clicksMissed == 1)
    let clicks = scenario.output.commands.filter { $0.track == .click }
    #expect(clicks.map(\.sequence) == [1, 2, 3, 4])
  }

  /// Ann's group is showing, counting, holding, hiding, or gone; others wait or are on another track.
  @Test(arguments: [Instant(50), 150, 300, 1250, 5000], [false, true])
  func eachOperationInEachStateKeepsEveryGift(at instant: Instant, paused: Bool) {
    let operations: [ControlOperation] = [
      .pause(nil), .resume(nil), .pause(.gift), .skip(.gift(0)), .skip(.gift(1)), .clear(nil), .clear(.gift),
      .mute(sender: ControlTests.ann), .unmute(sender: ControlTests.ann), .remove(ids: [ControlTests.ann]),
      .removeAll(sender: ControlTests.ann), .test,
    ]
    for operation in operations {
      var scenario = Scenario(
        Scenario.plain(tracks: [0, 0]) { $0.countsPerStep = true },
        [(0, [.gift("Ann", "Rose", 1), .gift("Bo", "Rose", 20), .gift("Cy", "Rose", 4)])], to: instant)
      if paused {
        scenario.control(.pause(nil), at: instant)
        scenario.at(instant, [.gift("Ann", "Rose", 2), .gift("Di", "Rose", 2)])
      }
      scenario.expect(operation, at: instant, test: [.gift("Ann", "Rose", 7)])
      for _ in 0..<2 {
        let counters = scenario.output.counters
        let kept = counters.giftsShown + counters.giftsFolded + counters.giftsMuted
        #expect(
          counters.giftsAccepted + counters.giftsTested == kept + scenario.engine.giftsPending,
          "\(operation) at \(instant)")
        let broken = scenario.engine.checkInvariants()
        #expect(broken == nil, "\(broken ?? "") after \(operation) at \(instant)")
        scenario.control(.resume(nil), at: instant + 1000)
        scenario.advance(to: instant + 60_000)
      }
      #expect(scenario.engine.giftsPending == 0, "\(operation) at \(instant)")
    }
  }
}

extension Scenario {
  /// Does what an operator wants, and looks at whether it was done.
  mutating func expect(
    _ operation: ControlOperation, at instant: Instant, room: String = "r1", test: [TestEvent] = [],
    fault: ControlFault? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = control(operation, at: instant, room: room, test: test)
    #expect(found == fault, "\(operation)", sourceLocation: sourceLocation)
  }
}
