import Base
import Engine
import Testing

/// A room's visible state, for who joins late.
@Suite struct SnapshotTests {
  /// When snapshots were written, and whether the room was there: `at` or `at gone`.
  private func times(_ scenario: Scenario) -> [String] {
    scenario.output.snapshots.map { "\($0.at)\($0.isThere ? "" : " gone")" }
  }

  private static func snapshotPlan(_ every: Int64) -> SnapshotPlan {
    var plan = SnapshotPlan()
    plan.everyMilliseconds = every
    return plan
  }

  private static func plan(every: Int64 = 2000, idle: Int64 = 7_200_000) -> RoomPlan {
    let plain = Scenario.plain(limits: { $0.roomIdleMilliseconds = idle })
    return RoomPlan(
      gift: plain.gift, snapshot: snapshotPlan(every), limits: plain.limits)
  }

  @Test func whileARoomChangesOneIsWrittenEachTwoSeconds() {
    // Bo's banner hides at 2300; then silence, then a comment.
    let scenario = Scenario(
      SnapshotTests.plan(),
      [(0, [.gift("Ann", "Rose")]), (1000, [.gift("Bo", "Rose")]), (7000, [.comment("Ann", "a")])], to: 60_000
    )
    #expect(times(scenario) == ["2000", "4300", "9000"])
    #expect(scenario.output.counters.snapshots == 3)
  }

  @Test func withoutAnIntervalOneIsWrittenOnlyWhenARendererAsks() {
    var scenario = Scenario(SnapshotTests.plan(every: 0), [(0, [.gift("Ann", "Rose")])], to: 500)
    scenario.feedback(.resync, at: 500)
    scenario.advance(to: 60_000)
    #expect(times(scenario) == ["500"])
  }

  @Test func renderersThatAskGetOneAtOnceAndAtMostTwentyASecond() {
    var scenario = Scenario(SnapshotTests.plan(), [(0, [.gift("Ann", "Rose")])], to: 500)
    for instant in stride(from: Instant(500), to: 1500, by: 7) { scenario.feedback(.resync, at: instant) }
    scenario.advance(to: 1999)
    #expect(times(scenario) == (0...20).map { "\(500 + 50 * $0)" })
    #expect(scenario.output.counters.resyncs == 143)
  }

  @Test func whoAsksAgainAndAgainKeepsNoRoom() {
    var scenario = Scenario(SnapshotTests.plan(idle: 10_000), [(0, [.comment("Ann", "a")])], to: 0)
    for instant in stride(from: Instant(1000), to: 10_000, by: 1000) {
      scenario.feedback(.resync, at: instant)
    }
    scenario.advance(to: 10_000)
    #expect(scenario.engine.roomCount == 0)
    #expect(times(scenario).last == "10000 gone")
  }

  @Test func aRoomThatLeavesClearsWhatWasPublished() {
    for (idle, expected) in [(Int64(2001), ["2000", "2001 gone"]), (2000, []), (1000, [])] {
      let scenario = Scenario(
        SnapshotTests.plan(idle: idle), [(0, [.comment("Ann", "a")])], to: 60_000)
      #expect(times(scenario) == expected, "\(idle)")
    }
  }

  @Test func itsTimerIsTheLastOfItsDeadline() {
    let plan = SnapshotTests.plan(every: 100)
    let scenario = Scenario(plan, [(0, [.gift("Ann", "Rose")])], to: 100)
    #expect(scenario.output.snapshots.map(\.place) == [2])
    #expect(scenario.output.snapshotTracks.map(\.state) == [.counting])
    // The batch of an instant comes after it.
    var batch = Scenario(plan, [(0, [.gift("Ann", "Rose")])], to: 0)
    batch.at(100, [.gift("Bo", "Rose")])
    #expect(batch.output.snapshots.map(\.waiting) == [0])
  }

  @Test func anAbsenceAndANewEpochWriteANewOne() {
    var scenario = Scenario(SnapshotTests.plan(), [(0, [.gift("Ann", "Rose")])], to: 300)
    scenario.skip(from: 300, to: 10_300)
    scenario.advance(to: 12_000)
    #expect(times(scenario) == ["12000"])
    scenario.engine.beginEpoch(12_500)
    scenario.advance(to: 12_100)
    #expect(times(scenario) == ["12000", "12050"])
    #expect(scenario.output.snapshots.last?.epoch == 12_500)
  }

  @Test(arguments: [
    (Instant(50), "gift/0 #1 showing 0–100 Ann>Rose x0 base=0 show=100/1300 hold=1300"),
    (150, "gift/0 #2 counting 100–300 Ann>Rose 0→2 show=100/1300 hold=1300"),
    (500, "gift/0 #3 holding 300–1300 Ann>Rose x2 hold=1300"),
    (1350, "gift/0 #4 hiding 1300–1400 Ann>Rose x2"), (1400, "gift/0 #4 idle"),
  ])
  func aTrackSaysWhereItIs(at instant: Instant, expected: String) {
    var scenario = Scenario(SnapshotTests.plan(), [(0, [.gift("Ann", "Rose", 2)])], to: instant)
    scenario.feedback(.resync, at: instant)
    let track = scenario.output.snapshotTracks[0]
    var line = "gift/0 #\(track.sequence) \(track.state.rawValue)"
    if let group = track.group {
      let bytes = scenario.output.bytes
      line += " \(track.since)–\(track.until) \(bytes.string(group.sender.id))>\(bytes.string(group.gift.id))"
      line += track.state == .counting ? " \(group.runFrom)→\(group.count)" : " x\(group.count)"
      if track.state == .showing { line += " base=\(group.base)" }
      if track.state == .showing || track.state == .counting {
        line += " show=\(group.showDuration)/\(group.showUntil)"
      }
      if track.state != .hiding { line += " hold=\(track.holdUntil)" }
    }
    #expect(line == expected)
  }

  @Test func theRestSaysWhatIsThere() {
    let plan = Scenario.plan(
      gift: { $0 = StageTests.plan().gift },
      comment: {
        $0.flushMilliseconds = 0
        $0.maxItems = 60
      })
    var scenario = Scenario(plan)
    scenario.at(0, (1...80).map { .comment("Ann", "text \($0)", id: "c\($0)") } + [.like(9)])
    scenario.at(
      10, ["Ann", "Bo"].map { .gift($0, "Castle") } + (1...9).map { .gift("viewer \($0)", "Rose") })
    scenario.control(.pause(.like), at: 20)
    scenario.control(.removeAll(sender: Array("Bo".utf8)), at: 20)
    scenario.control(.remove(ids: [Array("c79".utf8)]), at: 20)
    scenario.feedback(.click(group: 1), at: 20)
    scenario.feedback(.resync, at: 30)
    let snapshot = scenario.output.snapshots[0]
    #expect(snapshot.waiting == 8)
    #expect(snapshot.playsWaiting == 1)
    #expect(snapshot.play?.deadline == 1010)
    #expect(snapshot.burst == SnapshotBurst(count: 9, particles: 9, until: 2000, isTest: false))
    #expect(snapshot.likeTotal == 9)
    #expect(snapshot.paused == [SnapshotPause(part: .like, since: 20)])
    #expect(
      [snapshot.commentSequence, snapshot.likeSequence, snapshot.stageSequence, snapshot.clickSequence] == [
        2, 2, 1, 1,
      ])
    let texts = scenario.output.snapshotComments[snapshot.comments].map {
      scenario.output.bytes.string($0.text)
    }
    #expect(texts == ((31...78).map { "text \($0)" } + ["text 80"]))
  }

  @Test func itIsNoLongerThanACommandMayBe() {
    let plan = Scenario.plan(
      gift: { $0 = Scenario.plain(tracks: [0, 0]).gift }, limits: { $0.maxCommandBytes = 65_536 })
    var scenario = Scenario(plan)
    var gifts = ["Ann", "Bo"].map { TestEvent.gift($0, "Rose") }
    for place in gifts.indices { gifts[place].avatar = String(repeating: "\"", count: 8000) }
    scenario.at(0, gifts)
    for number in 1...50 {
      scenario.at(Instant(number * 200), [.comment("Ann", String(repeating: "\"", count: 1000 + number))])
    }
    scenario.feedback(.resync, at: 20_000)
    let snapshot = scenario.output.snapshots.last
    let items = scenario.output.snapshotComments[snapshot?.comments ?? 0..<0]
    let size = items.reduce(0) { $0 + Int($1.text.count) * 2 }
    #expect((30_000...63_000).contains(size))
    #expect(items.last?.text.count == 1050)
  }

  @Test(arguments: Chance.seeds(60))
  func snapshotsAreAFunctionOfWhatCameIn(seed: UInt64) throws {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var whole = Scenario(play.plan, maxRooms: play.maxRooms)
    var split = whole
    for step in play.steps {
      whole.take(step)
      if chance.once(in: 3) { split.advance(to: step.start) }
      split.take(step)
      guard chance.once(in: 5) else { continue }
      split.engine = try SavedState(of: split.engine).restored(maxRooms: play.maxRooms) { _ in play.plan }
    }
    whole.advance(to: play.end)
    while let deadline = split.engine.nextDeadline { split.advance(to: deadline) }
    #expect(whole.output.seen == split.output.seen, "\(Chance.howToRepeat(seed))")
  }

  @Test func allThatAreKeptAreWrittenAgainInSlices() {
    var scenario = Scenario(SnapshotTests.plan(every: 100))
    for room in ["a", "b", "c", "d"] { scenario.at(0, room: room, [.comment("Ann", "a")]) }
    scenario.advance(to: 100)
    scenario.at(150, room: "e", [.comment("Ann", "a")])
    scenario.output.removeAll()
    var buffer = CommandBuffer()
    var place: Int? = 0
    var calls = 0
    while let next = place {
      place = scenario.engine.appendSnapshots(from: next, limit: 2, present: 777, output: &buffer)
      calls += 1
    }
    #expect(calls == 3)
    // The room `e` has none yet.
    #expect(buffer.snapshots.map { buffer.bytes.string($0.room) } == ["a", "b", "c", "d"])
    #expect(buffer.snapshots.allSatisfy { $0.at == 150 && $0.now == 777 })
  }
}

extension CommandBuffer {
  /// All snapshots, with every text.
  fileprivate var seen: [String] {
    snapshots.map { snapshot in
      let tracks = snapshotTracks[snapshot.tracks].map { track in
        "\(track.sequence) \(track.state) \(track.since) \(track.until) \(track.holdUntil) "
          + (track.group.map { "\($0.number) \(bytes.string($0.sender.name)) \($0.runFrom) \($0.count)" }
            ?? "")
      }
      let comments = snapshotComments[snapshot.comments].map {
        "\(bytes.string($0.id)) \(bytes.string($0.text))"
      }
      return
        "\(bytes.string(snapshot.room)) \(snapshot.place) \(snapshot.at) \(snapshot.epoch) \(snapshot.isThere) "
        + "\(tracks) \(comments) \(snapshot.waiting) \(snapshot.play?.number ?? 0) \(snapshot.likeTotal) "
        + "\(snapshot.paused.map { "\($0.part) \($0.since)" })"
    }
  }
}
