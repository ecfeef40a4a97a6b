import Base
import Testing
import Watch
import Wire

/// The value of a text of JSON.
func json(_ text: String) throws -> JSONValue {
  let bytes = Array(text.utf8)
  return try JSONValue(bytes.span)
}

/// A command of room r1, epoch 1000.
func order(
  _ track: String, _ sequence: Int64, at: Int64, _ members: String, epoch: Int64 = 1000
) throws -> JSONValue {
  try json(
    #"{"v":1,"room":"r1","track":"\#(track)","epoch":\#(epoch),"seq":\#(sequence),"at":\#(at),\#(members)}"#)
}

/// Who gives what, as members of a command.
let annGivesRoses = #""sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose","name":"Rose"}"#

/// A snapshot of room r1 with these members, and track gift/0 at a number.
func snapshot(_ members: String = "", epoch: Int64 = 1000, now: Int64 = 5000, sequence: Int64 = 0) throws
  -> JSONValue
{
  let tracks =
    members.contains(#""tracks""#) ? "" : #""tracks":[{"track":"gift/0","seq":\#(sequence),"state":"idle"}],"#
  return try json(
    #"{"v":1,"room":"r1","epoch":\#(epoch),"at":\#(now),"now":\#(now),\#(tracks)"paused":{}\#(members.isEmpty ? "" : ",")\#(members)}"#
  )
}

/// What a renderer knows after commands and snapshots.
@Suite struct RoomPictureTests {
  /// Ann's roses: shown at 1000, counted to 4 from 1300 to 2100, held until 5100, hidden at 5100.
  private static func roses() throws -> [JSONValue] {
    [
      try order(
        "gift/0", 1, at: 1000,
        #""op":"show","group":7,\#(annGivesRoses),"combo":true,"base":0,"priority":2,"durationMs":300,"until":5100"#
      ),
      try order(
        "gift/0", 2, at: 1300, #""op":"count","group":7,"from":0,"to":4,"durationMs":800,"until":5100"#),
      try order("gift/0", 3, at: 2100, #""op":"hold","group":7,"count":4,"until":5100"#),
      try order(
        "gift/0", 4, at: 5100, #""op":"hide","group":7,"count":4,"reason":"expired","durationMs":300"#),
    ]
  }

  private static func picture(after commands: some Sequence<JSONValue>) throws -> RoomPicture {
    var picture = RoomPicture()
    _ = picture.take(snapshot: try snapshot(), isKept: false)
    for command in commands { #expect(picture.take(command: command) == .taken) }
    return picture
  }

  @Test(arguments: [
    (1, Int64(1000), "showing x0 100%"), (1, 1299, "showing x0 100%"), (2, 1300, "counting x1 100%"),
    (2, 1499, "counting x1 100%"), (2, 1500, "counting x2 100%"), (2, 1700, "counting x3 100%"),
    (2, 1900, "counting x4 100%"), (2, 2100, "counting x4 100%"), (2, 8099, "counting x4 100%"),
    (2, 8100, "idle"),
    (3, 2100, "holding x4 100%"), (3, 3600, "holding x4 50%"), (3, 5100, "holding x4 0%"),
    (3, 8099, "holding x4 0%"), (3, 8100, "idle"), (4, 5100, "hiding x4 0%"), (4, 5399, "hiding x4 0%"),
    (4, 5400, "idle"),
  ])
  func aTrackPlaysByTheInstantsOfItsCommands(commands: Int, at now: Int64, expected: String) throws {
    let picture = try Self.picture(after: try Self.roses().prefix(commands))
    let track = picture.tracks[0]
    var line = track.state(at: now).rawValue
    if line != "idle" {
      line += " x\(track.number(at: now)) \(Int((track.window(at: now) * 100).rounded()))%"
      #expect(track.banner(at: now)?.giving.sender == "Ann")
      #expect(track.banner(at: now)?.giving.gift == "Rose")
    }
    #expect(line == expected)
    #expect(picture.isMoving(at: now) == (expected != "idle"))
  }

  @Test func aRunOfManyRisesWithoutAFall() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(1))
    _ = picture.take(
      command: try order(
        "gift/0", 2, at: 1300, #""op":"count","group":7,"from":3,"to":1000,"durationMs":2000,"until":6300"#))
    let numbers = (Int64(1300)...3300).map { picture.tracks[0].number(at: $0) }
    #expect(numbers.first == 4 && numbers.last == 1000)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 <= 1 })
  }

  @Test func aWindowThatIsShortenedKeepsItsBeginningAndOneThatWasMovedKeepsItsLength() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(3))
    func hold(_ sequence: Int64, at: Int64, until: Int64) throws {
      let command = try order(
        "gift/0", sequence, at: at, #""op":"hold","group":7,"count":4,"until":\#(until)"#)
      #expect(picture.take(command: command) == .taken)
    }
    try hold(4, at: 2500, until: 3100)
    #expect(picture.tracks[0].span(at: 2600)?.start == 2100)
    #expect(picture.tracks[0].window(at: 2600) == 0.5)
    #expect(picture.tracks[0].windowMilliseconds(at: 2600) == 500)
    try hold(5, at: 12_500, until: 13_100)
    #expect(picture.tracks[0].span(at: 12_600)?.start == 12_100)
    #expect(picture.tracks[0].window(at: 12_600) == 0.5)
  }

  @Test func whileItIsPausedATrackStandsStillAndAfterwardsItGoesOn() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(2))
    _ = picture.take(command: try order("gift/0", 3, at: 1500, #""op":"pause""#))
    #expect(picture.tracks[0].number(at: 1500) == 2)
    #expect(picture.tracks[0].number(at: 99_999) == 2)
    #expect(picture.tracks[0].state(at: 99_999) == .counting)
    #expect(!picture.isMoving(at: 99_999))
    _ = picture.take(command: try order("gift/0", 4, at: 11_500, #""op":"resume""#))
    #expect(picture.tracks[0].number(at: 11_500) == 2)
    #expect(picture.tracks[0].number(at: 11_700) == 3)
    #expect(picture.tracks[0].span(at: 11_700).map { [$0.start, $0.end] } == [11_300, 12_100])
    #expect(picture.tracks[0].banner(at: 11_700)?.end == 15_100)
  }

  @Test func whatIsTakenOffWhileATrackStandsStillHidesWhenItGoesOn() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(2))
    _ = picture.take(command: try order("gift/0", 3, at: 1500, #""op":"pause""#))
    _ = picture.take(
      command: try order(
        "gift/0", 4, at: 6000, #""op":"hide","group":7,"count":4,"reason":"skipped","durationMs":300"#))
    #expect(picture.tracks[0].state(at: 9000) == .hiding)
    _ = picture.take(command: try order("gift/0", 5, at: 11_500, #""op":"resume""#))
    #expect(picture.tracks[0].state(at: 11_799) == .hiding)
    #expect(picture.tracks[0].state(at: 11_800) == .idle)
  }

  @Test func aCommandThatCameIsOldAndOneThatIsMissingIsAGap() throws {
    let roses = try Self.roses()
    var picture = try Self.picture(after: roses.prefix(2))
    #expect(picture.take(command: roses[0]) == .old)
    #expect(picture.take(command: roses[1]) == .old)
    #expect(picture.missing == 0)
    #expect(picture.take(command: roses[3]) == .gap)
    #expect(picture.missing == 1)
    #expect(picture.tracks[0].state(at: 5100) == .hiding)
    #expect(picture.take(command: roses[2]) == .old)
  }

  @Test func aGroupThatWasNotSeenToAppearIsNotInvented() throws {
    var picture = RoomPicture()
    _ = picture.take(snapshot: try snapshot(), isKept: false)
    #expect(picture.take(command: try Self.roses()[1]) == .gap)
    #expect(picture.tracks[0].state(at: 1400) == .idle)
    // Nor is one of another group changed.
    picture = try Self.picture(after: try Self.roses().prefix(1))
    let other = try order(
      "gift/0", 2, at: 1300, #""op":"count","group":8,"from":0,"to":4,"durationMs":800,"until":5100"#)
    #expect(picture.take(command: other) == .taken)
    #expect(picture.tracks[0].number(at: 1400) == 0)
  }

  @Test func aNewEpochBeginsAnewAndAnOlderOneIsNotBelieved() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(2))
    let comment =
      ##""op":"append","items":[{"id":"c1","sender":{"id":"u1","name":"Ann"},"color":"#00AEFF","text":"hi"}],"evicted":0,"skipped":0"##
    #expect(picture.take(command: try order("comment", 1, at: 9000, comment, epoch: 8000)) == .newEpoch)
    #expect(picture.epoch == 8000)
    #expect(picture.tracks.isEmpty)
    #expect(picture.comments.map(\.text) == ["hi"])
    #expect(picture.take(command: try Self.roses()[2]) == .gap)
    #expect(picture.epoch == 8000)
    // What the broker had kept may be older than what was seen; what the daemon says now is the present.
    #expect(picture.take(snapshot: try snapshot(epoch: 500), isKept: true) == .old)
    #expect(picture.take(snapshot: try snapshot(epoch: 500), isKept: false) == .taken)
    #expect(picture.epoch == 500)
  }

  @Test func whoJoinsLateMissesNothingThatCouldHaveBeenSeen() throws {
    var picture = RoomPicture()
    // The snapshot that the broker had kept is of before; what went by until we subscribed is not lost.
    _ = picture.take(snapshot: try snapshot(sequence: 2), isKept: true)
    #expect(picture.take(command: try order("gift/0", 9, at: 9000, #""op":"pause""#)) == .gap)
    #expect(picture.missing == 0)
    _ = picture.take(snapshot: try snapshot(sequence: 9), isKept: false)
    #expect(picture.take(command: try order("gift/0", 12, at: 9000, #""op":"resume""#)) == .gap)
    #expect(picture.missing == 2)
  }

  @Test func aSnapshotTakesBackNothingThatWasSeenLater() throws {
    var picture = try Self.picture(after: try Self.roses().prefix(3))
    _ = picture.take(snapshot: try snapshot(sequence: 2), isKept: true)
    #expect(picture.tracks[0].state(at: 2200) == .holding)
    _ = picture.take(snapshot: try snapshot(sequence: 3), isKept: false)
    #expect(picture.tracks[0].state(at: 2200) == .idle)
  }

  @Test func aSnapshotShowsWhatWouldHaveBeenSeen() throws {
    let roses = try Self.roses()
    let show =
      #""show":{"group":7,\#(annGivesRoses),"combo":true,"base":0,"priority":2,"durationMs":300,"until":5100}"#
    let states = [
      (1, Int64(1100), #""state":"showing","since":1000,"durationMs":300,"number":0,\#(show)"#),
      (
        2, 1600,
        #""state":"counting","since":1300,"durationMs":800,"number":4,\#(show),"count":{"from":0,"to":4,"durationMs":800,"until":5100}"#
      ),
      (
        3, 2600,
        #""state":"holding","since":2100,"durationMs":3000,"number":4,\#(show),"hold":{"count":4,"until":5100}"#
      ),
      (4, 5200, #""state":"hiding","since":5100,"durationMs":300,"number":4,\#(show)"#),
    ]
    for (commands, now, members) in states {
      let there = try Self.picture(after: roses.prefix(commands)).tracks[0]
      var late = RoomPicture()
      let tracks = #""tracks":[{"track":"gift/0","seq":\#(commands),\#(members)}]"#
      #expect(late.take(snapshot: try snapshot(tracks), isKept: true) == .taken)
      let track = try #require(late.tracks.first)
      for instant in stride(from: now, to: 9000, by: 50) {
        #expect(track.state(at: instant) == there.state(at: instant), "\(commands) at \(instant)")
        #expect(track.number(at: instant) == there.number(at: instant), "\(commands) at \(instant)")
        #expect(track.window(at: instant) == there.window(at: instant), "\(commands) at \(instant)")
      }
    }
  }

  @Test func commentsComeGoAndAreBounded() throws {
    func items(_ range: ClosedRange<Int>) -> String {
      range.map { ##"{"id":"c\##($0)","sender":{"id":"u","name":"Bo"},"color":"#00AEFF","text":"\##($0)"}"## }
        .joined(
          separator: ",")
    }
    var picture = RoomPicture()
    _ = picture.take(snapshot: try snapshot(#""comment":{"seq":1,"items":[\#(items(1...3))]}"#), isKept: true)
    func texts() -> [String] { picture.comments.map(\.text) }
    #expect(texts() == ["1", "2", "3"])
    _ = picture.take(
      command: try order(
        "comment", 2, at: 1, #""op":"append","items":[\#(items(4...5))],"evicted":1,"skipped":0"#))
    #expect(texts() == ["2", "3", "4", "5"])
    _ = picture.take(command: try order("comment", 3, at: 1, #""op":"remove","ids":["c3","c9","c5"]"#))
    #expect(texts() == ["2", "4"])
    _ = picture.take(
      command: try order(
        "comment", 4, at: 1, #""op":"append","items":[\#(items(6...999))],"evicted":0,"skipped":0"#))
    #expect(picture.comments.count == RoomPicture.mostComments)
    #expect(texts().last == "999")
    // What is evicted now was left out here long ago.
    _ = picture.take(
      command: try order("comment", 5, at: 1, #""op":"append","items":[],"evicted":50,"skipped":0"#))
    #expect(picture.comments.count == RoomPicture.mostComments)
  }

  @Test func likesStageAndFoldsAreTold() throws {
    var picture = RoomPicture()
    _ = picture.take(snapshot: try snapshot(#""waiting":4,"stage":{"seq":0,"waiting":2}"#), isKept: false)
    #expect(picture.waiting == 4 && picture.playsWaiting == 2)
    _ = picture.take(
      command: try order(
        "like", 1, at: 1000, #""op":"burst","count":50,"total":99,"particles":30,"until":3000"#))
    #expect(picture.likeTotal == 99)
    #expect(picture.burst(at: 3000)?.particles == 30)
    #expect(picture.burst(at: 6000) == nil)
    _ = picture.take(command: try order("like", 2, at: 3000, #""op":"stop","total":99"#))
    #expect(picture.burst(at: 3000) == nil)
    _ = picture.take(
      command: try order(
        "stage", 1, at: 1000,
        #""op":"play","group":5,\#(annGivesRoses),"count":2,"asset":"a.webm","durationMs":6000,"deadline":7000"#
      ))
    #expect(picture.play(at: 9999)?.asset == "a.webm")
    #expect(picture.play(at: 10_000) == nil)
    _ = picture.take(command: try order("stage", 2, at: 2000, #""op":"end","group":5,"reason":"done""#))
    #expect(picture.play(at: 2000) == nil)
    _ = picture.take(
      command: try order(
        "gift/fold", 1, at: 1000,
        #""op":"fold","groups":2,"gifts":37,"senders":12,"items":[{\#(annGivesRoses),"count":30}]"#))
    #expect(picture.fold(at: 5999)?.gifts == 37)
    #expect(picture.fold(at: 6000) == nil)
    #expect(picture.foldedGifts == 37)
  }

  @Test(arguments: [
    "null", "5", "[]", "{}", #"{"op":5}"#, #"{"op":"show","track":"gift/0","seq":1}"#,
    #"{"op":"show","track":"gift/-1","seq":1,"epoch":1}"#,
    #"{"op":"show","track":"gift/99999999","seq":1,"epoch":1}"#,
    #"{"op":"show","track":"click","seq":1,"epoch":1}"#, #"{"op":"show","track":"gift/0","seq":0,"epoch":1}"#,
    #"{"op":"show","track":"gift/0","seq":1e99,"epoch":1}"#,
  ])
  func whatIsNoCommandChangesNothing(payload: String) throws {
    var picture = RoomPicture()
    #expect(picture.take(command: try json(payload)) == .notOurs)
    #expect(picture.take(snapshot: try json(payload), isKept: false) == .notOurs)
    #expect(picture == RoomPicture())
  }

  /// Anyone may publish any numbers: none ends the program.
  @Test func noNumberOverflows() throws {
    let numbers: [Int64] = [.min, -1, 0, 1, 1 << 53, .max]
    var picture = RoomPicture()
    var sequence: Int64 = 0
    for _ in 0..<300 {
      for (a, b) in zip(numbers, numbers.reversed()) {
        for operation in ["show", "hold", "pause", "resume", "hold", "count", "hide"] {
          sequence += 1
          let members =
            #""op":"\#(operation)","group":1,"until":\#(a),"durationMs":\#(b),"from":\#(a),"to":\#(b),"count":\#(a),"base":\#(b)"#
          _ = picture.take(command: try order("gift/0", sequence, at: b, members))
          let fold = #""op":"fold","gifts":\#(a),"items":[]"#
          _ = picture.take(command: try order("gift/fold", sequence * 9_000_000_000_000, at: b, fold))
          for now in [0, a, b] where (0...(1 << 53)).contains(now) {
            _ = picture.tracks[0].number(at: now)
            _ = picture.tracks[0].window(at: now)
            _ = picture.isMoving(at: now)
          }
        }
      }
    }
    #expect(picture.sequence(of: "fold") > 0)
  }
}
