import Base
import Screen
import Testing
import Watch
import Wire

/// Keys, topics and pages of who watches.
@Suite struct WatchSessionTests {
  private static let outputs = OutputPlan(roomPrefix: "cue", instancePrefix: "livecue", instance: "main")

  private func makeSession(_ room: String? = nil) -> WatchSession {
    var session = WatchSession(room: room, outputs: Self.outputs, broker: "host:1883")
    session.connectionOpened()
    return session
  }

  private func give(
    _ session: inout WatchSession, _ topic: String, _ payload: String, isKept: Bool = false,
    at now: Instant = 5000
  ) {
    let bytes = Array(payload.utf8)
    session.take(topic: topic, payload: bytes.span, isKept: isKept, at: now)
  }

  private func roomSnapshot(_ room: String, now: Int64 = 5000, likes: Int = 0) -> String {
    #"{"v":1,"room":"\#(room)","epoch":1000,"at":\#(now),"now":\#(now),"tracks":["#
      + #"{"track":"gift/0","seq":3,"state":"holding","since":4000,"durationMs":3000,"number":12,"show":{"group":1,"#
      + #""sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose","name":"Rose"},"receiver":{"id":"z","name":"Zoe"},"#
      + #""combo":true,"base":0,"priority":0,"durationMs":300,"until":7000},"hold":{"count":12,"until":7000}},"#
      + #"{"track":"gift/1","seq":0,"state":"idle"}],"fold":{"seq":0},"#
      + #""stage":{"seq":1,"waiting":0,"play":{"group":2,"sender":{"id":"u2","name":"Bo"},"#
      + #""gift":{"id":"castle","name":"Castle"},"count":1,"asset":"castle.webm","durationMs":6000,"deadline":8000}},"#
      + #""comment":{"seq":2,"items":[{"id":"c1","sender":{"id":"u1","name":"Ann"},"color":"#
      + ##""#00AEFF","text":"hi"},{"id":"c2","sender":{"id":"u3","name":"数ア"},"color":"#FF3377","text":"🌹!"}]},"##
      + #""like":{"seq":1,"total":\#(likes),"burst":{"count":3,"particles":3,"until":6000}},"click":{"seq":0},"#
      + #""waiting":4,"paused":{}}"#
  }

  @Test func aRoomIsShownOnEightyByTwentyFour() {
    var session = makeSession("r1")
    give(&session, "livecue/main/status", #"{"state":"online","version":"1","since":1}"#, isKept: true)
    give(&session, "cue/r1/snapshot", roomSnapshot("r1", likes: 99))
    give(
      &session, "cue/r1/gift/fold",
      #"{"v":1,"room":"r1","track":"gift/fold","epoch":1000,"seq":1,"at":5000,"op":"fold","groups":3,"gifts":37,"#
        + #""senders":12,"items":[{"sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose","name":"Rose"},"count":30}]}"#
    )
    let lines = session.page(columns: 80, rows: 24, at: 5500).lines
    #expect(
      lines == [
        " LiveCue  r1                                           main online at host:1883",
        " likes 99 +3 ♥♥♥                   waiting 4      folded 37", "",
        " gift/0  holding  Ann for Zoe → Rose                     x12  █████       1.5 s",
        " gift/1  idle",
        " stage   playing  Bo → Castle                             x1  ████▏       2.5 s",
        " fold    +37 gifts from 12 viewers: Ann → Rose x30",
        "─── comments ───────────────────────────────────────────────────────────────────",
        "", "", "", "", "", "", "", "", "", "", "", "", "", " Ann: hi", " 数ア: 🌹!",
        " ← rooms   ? help   q quit",
      ])
  }

  @Test func namesAreColouredAsTheEngineSaysAndTheComboRuns() {
    var session = makeSession("r1")
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"))
    let page = session.page(columns: 80, rows: 24, at: 5500)
    #expect(page[21, 1] == Cell(text: "A", style: Style(Color(hex: "#00AEFF"), isBold: true)))
    #expect(page[22, 1] == Cell(text: "数", style: Style(Color(hex: "#FF3377"), isBold: true)))
    give(
      &session, "cue/r1/gift/0",
      #"{"v":1,"room":"r1","track":"gift/0","epoch":1000,"seq":4,"at":5500,"op":"count","group":1,"from":12,"to":16,"#
        + #""durationMs":400,"until":8900}"#, at: 5500)
    let numbers = stride(from: Int64(5500), to: 6000, by: 100).map { now in
      session.page(columns: 80, rows: 24, at: now).lines[3].split(separator: " ").first { $0.hasPrefix("x") }
        ?? ""
    }
    #expect(numbers == ["x13", "x14", "x15", "x16", "x16"])
  }

  @Test func onANarrowTerminalTheBarIsLeftOutAndAnySizeIsDrawn() {
    var session = makeSession("r1")
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"))
    let narrow = session.page(columns: 40, rows: 12, at: 5500).lines
    #expect(narrow[3] == " gift/0  holding  Ann … → Rose      x12")
    for columns in 0...90 {
      for rows in 0...26 {
        let page = session.page(columns: columns, rows: rows, at: 5500)
        #expect(page.columns == columns && page.rows == rows)
      }
    }
  }

  @Test func onALowTerminalTheTracksComeFirst() {
    var session = makeSession("r1")
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"))
    let low = session.page(columns: 40, rows: 8, at: 5500).lines
    #expect(low[3...6].map { $0.prefix(7) } == [" gift/0", " gift/1", " stage ", " fold"])
    let lowest = session.page(columns: 40, rows: 5, at: 5500).lines
    #expect(lowest[2...3].map { $0.prefix(7) } == [" gift/0", " gift/1"])
    #expect(lowest[4].hasPrefix(" ← rooms"))
  }

  @Test func moreTracksThanFitAreCounted() throws {
    var session = makeSession("r1")
    let tracks = (0..<30).map { #"{"track":"gift/\#($0)","seq":0,"state":"idle"}"# }.joined(separator: ",")
    give(&session, "cue/r1/snapshot", #"{"room":"r1","epoch":1000,"at":1,"now":1,"tracks":[\#(tracks)]}"#)
    let lines = session.page(columns: 80, rows: 24, at: 1).lines
    #expect(lines[3] == " gift/0  idle")
    #expect(lines.contains(" … 17 more tracks, 0 of them busy"))
    #expect(lines.contains { $0.contains("─ comments ─") })
    #expect(lines[23] == " ← rooms   ? help   q quit")
  }

  // MARK: The list

  @Test func theRoomsAreListedByNameWithWhatTheyShow() {
    var session = makeSession()
    #expect(session.filters == ["cue/+/snapshot", "livecue/+/status"])
    #expect(session.page(columns: 80, rows: 24, at: 1).lines[2].contains("No room yet"))
    for room in ["r2", "r1"] {
      give(&session, "cue/\(room)/snapshot", roomSnapshot(room, likes: 7), isKept: true)
    }
    let lines = session.page(columns: 80, rows: 24, at: 5500).lines
    #expect(
      Array(lines[0...4]) == [
        " LiveCue  2 rooms                                       no service at host:1883",
        "   room             shows                           waiting      likes  changed",
        " ▸ r1               Ann for Zoe → Rose x12                4          7      0 s",
        "   r2               Ann for Zoe → Rose x12                4          7      0 s", "",
      ])
    #expect(lines[23] == " ↑ ↓ choose   Enter watch   ? help   q quit")
    _ = session.press(.down)
    #expect(session.list.chosen == "r2")
    // A room that leaves is gone, and another is chosen.
    give(&session, "cue/r2/snapshot", "")
    #expect(session.list.rooms.map(\.name) == ["r1"])
    #expect(session.list.chosen == "r1")
  }

  @Test func keysChooseWatchAndGoBack() {
    var session = makeSession()
    for room in ["b", "a", "c"] { give(&session, "cue/\(room)/snapshot", roomSnapshot(room), isKept: true) }
    var chosen: [String?] = []
    for key in [
      Key.up, .up, .up, .down, .end, .down, .home, .pageDown, .pageUp, .character("j"), .character("k"),
    ] {
      #expect(session.press(key) == .nothing)
      chosen.append(session.list.chosen)
    }
    #expect(chosen == ["a", "a", "a", "b", "c", "c", "a", "c", "a", "b", "a"])
    #expect(session.press(.enter) == .subscribe)
    #expect(session.room == "a")
    #expect(
      session.filters == [
        "cue/a/snapshot", "cue/a/gift/+", "cue/a/stage", "cue/a/comment", "cue/a/like", "livecue/+/status",
      ])
    #expect(session.press(.down) == .nothing)
    #expect(session.press(.character("?")) == .nothing)
    #expect(session.page(columns: 80, rows: 24, at: 1).lines[1] == " Keys")
    #expect(session.press(.left) == .nothing)
    #expect(session.room == "a")
    #expect(session.press(.left) == .subscribe)
    #expect(session.room == nil)
    for room in ["a", "b"] { give(&session, "cue/\(room)/snapshot", roomSnapshot(room), isKept: true) }
    #expect(session.list.chosen == "a")
    #expect(session.press(.character("q")) == .quit)
  }

  @Test func moreRoomsThanFitAreTurnedInPages() {
    var session = makeSession()
    for room in 10...59 { give(&session, "cue/r\(room)/snapshot", roomSnapshot("r\(room)"), isKept: true) }
    for _ in 0..<30 { _ = session.press(.down) }
    let lines = session.page(columns: 80, rows: 24, at: 1).lines
    #expect(lines[2].hasPrefix("   r31"))
    #expect(lines.contains { $0.hasPrefix(" ▸ r40") })
  }

  @Test func roomsWhoseNamesAreEqualOnlyAsStringsAreApart() {
    let names = ["demo", "\u{301}demo", "caf\u{e9}", "cafe\u{301}"]
    var session = makeSession()
    for name in names { give(&session, "cue/\(name)/snapshot", roomSnapshot(name)) }
    #expect(Set(session.list.rooms.map { Array($0.name.utf8) }) == Set(names.map { Array($0.utf8) }))
    give(&session, "cue/\(names[2])/snapshot", "")
    #expect(
      session.list.rooms.count == 3
        && !session.list.rooms.contains { $0.name.utf8.elementsEqual(names[2].utf8) })
    var watching = makeSession(names[1])
    give(&watching, "cue/\(names[1])/snapshot", roomSnapshot(names[1]))
    #expect(watching.page(columns: 80, rows: 24, at: 5500).lines[3].hasPrefix(" gift/0  holding"))
  }

  @Test func roomsBeyondTheLimitAreOnlySaid() {
    var session = makeSession()
    for room in 0...RoomList.mostRooms { give(&session, "cue/r\(room)/snapshot", roomSnapshot("r\(room)")) }
    #expect(session.list.rooms.count == RoomList.mostRooms)
    #expect(session.page(columns: 80, rows: 24, at: 1).lines[0].hasPrefix(" LiveCue  more than 1000 rooms"))
  }

  // MARK: Time and snapshots

  @Test func itPlaysOnTheDaemonsClock() {
    for ahead in [Int64(-3_600_000), 0, 3_600_000] {
      var session = makeSession("r1")
      give(&session, "cue/r1/snapshot", roomSnapshot("r1"), at: 5000 - ahead)
      #expect(
        session.page(columns: 80, rows: 24, at: 5500 - ahead).lines[3].hasSuffix("█████       1.5 s"))
      // Three seconds past its end the banner goes, though no command says so.
      #expect(session.page(columns: 80, rows: 24, at: 9999 - ahead).lines[3].contains("holding"))
      #expect(session.page(columns: 80, rows: 24, at: 10_000 - ahead).lines[3] == " gift/0  idle")
    }
  }

  @Test func whatTheBrokerHadKeptTellsNoTime() {
    // Kept an hour ago, by a clock that is ours: the banner is over.
    var session = makeSession("r1")
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"), isKept: true, at: 3_605_000)
    #expect(session.page(columns: 80, rows: 24, at: 3_605_000).lines[3] == " gift/0  idle")
    // A fresh one tells that the daemon's clock is an hour behind ours.
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"), at: 3_605_100)
    #expect(session.page(columns: 80, rows: 24, at: 3_605_100).lines[3].contains("holding"))
  }

  @Test func aFreshSnapshotIsAskedForAtTheBeginningAndAgainUntilItComes() {
    var session = makeSession("r1")
    #expect(session.resyncDeadline == nil)
    for filter in session.filters { session.subscribed(filter, refusal: nil, at: 100) }
    #expect(session.resyncDeadline == 100)
    #expect(session.resync.topic == "cue/r1/feedback")
    #expect(session.resync.payload == #"{"op":"resync","renderer":"watch"}"#)
    var asked: [Instant] = []
    for _ in 0..<9 {
      let deadline = session.resyncDeadline ?? 0
      asked.append(deadline)
      session.noteResync(at: deadline)
    }
    #expect(asked == [100, 1100, 3100, 7100, 15_100, 31_100, 63_100, 123_100, 183_100])
    // One that the broker had kept does not answer it.
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"), isKept: true)
    #expect(session.resyncDeadline != nil)
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"))
    #expect(session.resyncDeadline == nil)
  }

  @Test func aGapAsksForOneAtMostOnceASecond() {
    var session = makeSession("r1")
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"), at: 10_000)
    func comment(_ sequence: Int, at now: Instant) {
      give(
        &session, "cue/r1/comment",
        #"{"v":1,"room":"r1","track":"comment","epoch":1000,"seq":\#(sequence),"at":1,"op":"append","items":[]}"#,
        at: now)
    }
    comment(3, at: 10_100)
    #expect(session.resyncDeadline == nil)
    comment(5, at: 10_200)
    #expect(session.resyncDeadline == 10_200)
    session.noteResync(at: 10_200)
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"), at: 10_210)
    comment(9, at: 10_300)
    #expect(session.resyncDeadline == 11_200)
    #expect(session.page(columns: 80, rows: 24, at: 10_300).lines[1].hasSuffix("missed 4"))
  }

  // MARK: What is wrong

  @Test func theLastLineSaysWhatIsWrong() {
    var session = makeSession("r1")
    func last() -> String { session.page(columns: 80, rows: 24, at: 1).lines[23] }
    session.subscribed("cue/r1/like", refusal: "not authorized", at: 1)
    #expect(last() == " may not read cue/r1/like: not authorized")
    session.resyncRefused("not authorized")
    #expect(last() == " may not ask for a snapshot (not authorized): it comes within seconds")
    session.connectionEnded("the broker closed the connection")
    #expect(last() == " no connection to host:1883: the broker closed the connection")
    session.connectionOpened()
    give(&session, "cue/r1/snapshot", roomSnapshot("r1"))
    give(&session, "cue/r1/snapshot", "")
    #expect(last() == " the room has left")
    #expect(session.picture == RoomPicture())
  }

  @Test(arguments: [
    ("cue/r1/snapshot", "nonsense"), ("cue/r1/snapshot", "[]"), ("cue/r2/snapshot", "{}"), ("cue/r1", "{}"),
    ("cue/r1/gift/0", #"{"room":"r2","track":"gift/0","epoch":9,"seq":1,"at":1,"op":"pause"}"#),
    ("cue/r1/gift/0", #"{"room":"r1","track":"gift/1","epoch":9,"seq":1,"at":1,"op":"pause"}"#),
    ("other", "{}"), ("livecue/status", "{}"), ("", ""),
  ])
  func whatIsNotForItChangesNothing(topic: String, payload: String) {
    var session = makeSession("r1")
    give(&session, topic, payload)
    #expect(session.picture == RoomPicture())
    #expect(session.resyncDeadline == nil)
  }

  /// Whatever viewers are called, numbers, bars and lines stand where they stand for Ann.
  @Test(arguments: [
    "\u{1B}[2J\u{1B}[31mred", "\u{202E}gnp.exe", "a\nb\r\u{7}\u{9B}5A", "אבגד הוזח",
    "👩\u{200D}👩\u{200D}👧\u{200D}👦",
    "e" + String(repeating: "\u{301}", count: 300), String(repeating: "数", count: 300),
    "\u{200B}\u{200B}\u{FEFF}",
    "🇩🇪🇫🇷", "👍🏽👍🏿", String(repeating: "x", count: 5000), "\u{1F3FB}\u{FE0F}\u{301}", "ﷺﷺﷺ", "꧅꧅꧅", "",
  ])
  func noNameBreaksTheLayout(name: String) {
    func page(_ name: String) -> Canvas {
      var session = makeSession("r1")
      let party = JSONValue.object(["id": .string("x"), "name": .string(name)])
      var bytes: [UInt8] = []
      party.append(to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      var payload = roomSnapshot("r1")
      for old in [#"{"id":"u1","name":"Ann"}"#, #"{"id":"rose","name":"Rose"}"#] {
        payload = payload.replacing(old, with: text)
      }
      give(&session, "cue/r1/snapshot", payload)
      return session.page(columns: 80, rows: 24, at: 5500)
    }
    let (plain, hostile) = (page("Ann"), page(name))
    for row in 0..<24 where ![3, 21].contains(row) { #expect(hostile.lines[row] == plain.lines[row]) }
    for column in Array(0..<18) + Array(51..<80) {
      #expect(hostile[3, column] == plain[3, column], "\(column)")
    }
    for row in [3, 21] {
      let cells = (0..<80).map { hostile[row, $0] }
      let width = cells.enumerated().reduce(0) {
        $0 + ($1.element.text.isEmpty ? 0 : Glyph.width(of: Glyph.glyphs(of: $1.element.text)))
      }
      #expect(width == 80)
      let obeyed = cells.contains { cell in
        cell.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
      }
      #expect(!obeyed)
    }
  }
}
