import Base
import EventLoop
import Glibc
import PrivateBroker
import Screen
import TestSupport
import Testing
import Wire

/// `livecue watch` on a real terminal, at a real broker with a real daemon.
@Suite struct WatchScreenTests {
  private static let room = "room-12"

  /// A daemon that serves captures of Douyin rooms.
  private func run(port: UInt16, settings: String = "", broker more: String = "") throws -> Livecue {
    let folder = try TemporaryFolder()
    let inputs = ["gift", "comment", "like"].map { kind in
      "  - {filter: \"im/{room}/\(kind)\", kind: \(kind), profile: douyin-capture}\n"
    }
    try folder.write(
      """
      \(noMetrics)
      broker: {host: 127.0.0.1, port: \(port)\(more)}
      profiles: [\(checkoutPath("config/profiles/douyin-capture.yaml"))]
      inputs:
      \(inputs.joined())
      \(settings)
      """, to: "livecue.yaml")
    try folder.write("secret\n", to: "password")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    return daemon
  }

  /// A terminal on which `livecue watch` runs, between two looks at how the terminal is set.
  private func watch(
    _ arguments: String, port: UInt16, columns: Int = 80, rows: Int = 24, variables: String = ""
  ) throws -> Tmux {
    try Tmux(
      columns: columns, rows: rows,
      """
      # Ctrl-C is for the program alone.
      trap : INT
      stty -a >before
      echo before it
      sh -c 'echo $$ >id; exec "$@"' sh env \(variables) \
        \(try Livecue.path()) watch \(arguments) --broker 127.0.0.1:\(port)
      code=$?
      stty -a >after
      echo "ended $code"
      read line

      """)
  }

  /// Waits for the program's end and sees that the terminal is as it was.
  private func expectEnd(_ terminal: Tmux, code: Int = 0, on line: String? = nil) throws {
    // A terminal in its usual mode shows ^C before it.
    let screen = try terminal.await { $0.contains { $0.hasSuffix("ended \(code)") } }
    #expect(Array(screen.prefix(2)) == ["", "before it"])
    if let line { #expect(screen.contains { $0.hasPrefix(line) }, "\(screen)") }
    #expect(try terminal.figure("#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}") == "0 1 0")
    let before = terminal.folder.read("before")
    #expect(before.contains("icanon"))
    // How many rows there are may have changed meanwhile.
    func modes(_ name: String) -> [Substring] {
      terminal.folder.read(name).split(separator: "\n").dropFirst().map { $0 }
    }
    #expect(modes("after") == modes("before"))
  }

  private func control(_ words: String..., port: UInt16) throws {
    let outcome = try Livecue.run(["control", Self.room] + words + ["--broker", "127.0.0.1:\(port)"])
    try #require(outcome == Outcome(code: 0, output: "ok\n", errors: ""))
  }

  // MARK: What the engine shows

  /// The snapshot that the daemon writes now.
  private func snapshot(port: UInt16) throws -> JSONValue {
    let loop = try EventLoop.forTest()
    let client = try Client("asker", filters: ["cue/\(Self.room)/snapshot"], port: port, loop: loop)
    let isReady = loop.turn { client.isReady }
    try #require(isReady)
    client.publish(#"{"op":"resync"}"#, to: "cue/\(Self.room)/feedback")
    let isThere = loop.turn { !client.messages.isEmpty }
    try #require(isThere)
    return try #require(client.messages.last?.json)
  }

  private func name(_ member: String, of value: JSONValue) -> String { value[member]?["name"]?.string ?? "" }

  /// The number that is seen of a track while everything stands still.
  private func number(of track: JSONValue, standingAt now: Int64) -> Int64 {
    guard let count = track["count"], let since = track["since"]?.integer,
      let length = track["durationMs"]?.integer, let from = count["from"]?.integer,
      let to = count["to"]?.integer
    else { return track["number"]?.integer ?? 0 }
    guard now - since < length else { return to }
    return min(to, from + Int64(Double(to - from) * Double(now - since) / Double(length)) + 1)
  }

  /// The rows of tracks and comments as they are to be on a screen of a size.
  private func rows(of snapshot: JSONValue, columns: Int, rows: Int) throws -> (
    tracks: [String], comments: [String]
  ) {
    let standing = try #require(snapshot["paused"]?["gift"]?.integer)
    let list = try #require(snapshot["tracks"]?.array)
    var canvas = Canvas(columns: columns, rows: rows)
    for (row, track) in list.enumerated() {
      canvas.write("gift/\(row)", row: row, column: 1)
      canvas.write("paused", row: row, column: 9)
      guard let show = track["show"] else { continue }
      canvas.write("\(name("sender", of: show)) → \(name("gift", of: show))", row: row, column: 18)
      let number = number(of: track, standingAt: standing)
      if number > 0 { canvas.write("x\(number)", row: row, endingAt: columns - 20) }
    }
    let tracks = canvas.lines.prefix(list.count)
    let first = 7 + list.count
    let comments = (snapshot["comment"]?["items"]?.array ?? []).suffix(rows - 1 - first)
    var page = Canvas(columns: columns, rows: comments.count)
    for (row, item) in comments.enumerated() {
      let end = page.write(name("sender", of: item), row: row, column: 1, width: columns / 3)
      page.write(": \(item["text"]?.string ?? "")", row: row, column: end, width: columns - 1 - end)
    }
    return (Array(tracks), page.lines)
  }

  /// A row without what a terminal need not keep, up to its bar.
  private func plain(_ row: String, columns: Int? = nil) -> String {
    var text = String(String.UnicodeScalarView(row.unicodeScalars.filter { $0.value != 0x200E }))
    if columns != nil { text = String(text.prefix { !"█▏▎▍▌▋▊▉".contains($0) }) }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// Waits until the screen shows what the engine says.
  private func expectAgreement(_ terminal: Tmux, port: UInt16, columns: Int, rows: Int) throws {
    let snapshot = try snapshot(port: port)
    let expected = try self.rows(of: snapshot, columns: columns, rows: rows)
    try #require(expected.comments.count > 5)
    let count = expected.tracks.count
    try terminal.await { screen in
      screen.count == rows
        && screen[3..<3 + count].map { plain($0, columns: columns) } == expected.tracks.map { plain($0) }
        && screen[(rows - 1 - expected.comments.count)..<(rows - 1)].map { plain($0) }
          == expected.comments.map { plain($0) }
        && screen[1].hasPrefix(" likes \(snapshot["like"]?["total"]?.integer ?? -1) ")
        && screen[1].contains("waiting \(snapshot["waiting"]?.integer ?? -1) ")
    }
  }

  // MARK: Tests

  @Test func itShowsWhatTheEngineShowsAlsoAfterAResizeAndLeavesTheTerminalAsItWas() throws {
    let broker = try PrivateBroker()
    let daemon = try run(port: broker.port)
    let terminal = try watch(Self.room, port: broker.port, columns: 110, rows: 32)
    try terminal.await { $0[0].contains("main online at 127.0.0.1:\(broker.port)") }
    let capture = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")
    let replay = try Livecue(
      ["replay", "--speed", "20", "--broker", "127.0.0.1:\(broker.port)", capture], in: try TemporaryFolder())
    // A combo, and comments in a good number.
    try terminal.await { screen in
      screen[3..<6].contains { $0.contains(" x2 ") } && screen.contains { $0.contains("comments") }
        && !screen[12].isEmpty
    }
    try control("pause", port: broker.port)
    _ = try replay.end()
    try expectAgreement(terminal, port: broker.port, columns: 110, rows: 32)
    try terminal.resize(columns: 80, rows: 24)
    try expectAgreement(terminal, port: broker.port, columns: 80, rows: 24)
    #expect(try terminal.screen().last == " ← rooms   ? help   q quit")
    // Who comes now shows the same.
    let late = try watch(Self.room, port: broker.port)
    try expectAgreement(late, port: broker.port, columns: 80, rows: 24)
    try late.press("q")
    try expectEnd(late)
    try terminal.press("C-c")
    try expectEnd(terminal)
    #expect(try daemon.end().code == 0)
  }

  @Test func aBrokerThatDiesIsToldAndASignalLeavesTheTerminalAsItWas() throws {
    let broker = try PrivateBroker()
    let terminal = try watch(Self.room, port: broker.port)
    try terminal.await { $0[0].contains("no service at 127.0.0.1:\(broker.port)") }
    try broker.kill()
    try terminal.await { $0[23].hasPrefix(" no connection to 127.0.0.1:\(broker.port): ") }
    try broker.start()
    try terminal.await { $0[23] == " ← rooms   ? help   q quit" }
    try broker.kill()
    try terminal.await { $0[23].hasPrefix(" no connection") }
    let id = try #require(Int32(terminal.folder.read("id").split(separator: "\n").first ?? ""))
    kill(id, SIGTERM)
    try expectEnd(terminal)
  }

  @Test func itGivesTheTerminalBackWhileItIsStopped() throws {
    let broker = try PrivateBroker()
    let terminal = try watch(Self.room, port: broker.port)
    try terminal.await { $0[0].contains("no service at") }
    try terminal.press("C-z")
    try terminal.await { _ in try terminal.figure("#{alternate_on} #{cursor_flag}") == "0 1" }
    let id = try #require(Int32(terminal.folder.read("id").split(separator: "\n").first ?? ""))
    // What it does last is told by nothing but its state.
    let deadline = Livecue.now + 10_000
    while !String(decoding: readBytes("/proc/\(id)/stat"), as: UTF8.self).contains(") T ") {
      try #require(Livecue.now < deadline)
    }
    kill(id, SIGCONT)
    try terminal.await { $0[23] == " ← rooms   ? help   q quit" }
    try terminal.press("q")
    try expectEnd(terminal)
  }

  @Test func whatIsWrongIsToldOnATerminalThatIsAsItWas() throws {
    let port = try findFreePort()
    let unknown = try watch(Self.room, port: port, variables: "TERM=no-such-terminal")
    try expectEnd(unknown, code: 1, on: #"livecue watch: no terminal "no-such-terminal" is known"#)
    let misnamed = try watch("a/b", port: port)
    try expectEnd(misnamed, code: 2, on: #"ROOM is "a/b""#)
    // One that cannot move its cursor gets lines.
    let dumb = try watch("\(Self.room) --seconds 1", port: port, variables: "TERM=dumb")
    try expectEnd(dumb, on: "")
  }

  @Test func keysChooseARoomAndGoBack() throws {
    let broker = try PrivateBroker()
    let daemon = try run(port: broker.port, settings: "snapshot: {everyMs: 100}")
    for room in ["b", "a"] {
      try broker.publish(
        #"[{"user_id":"u1","user_name":"Ann","content":"in \#(room)"}]"#, to: "im/\(room)/comment")
    }
    let terminal = try watch("", port: broker.port)
    try terminal.await {
      $0[2].contains("a ") && $0[3].contains("b ") && $0[0].hasPrefix(" LiveCue  2 rooms")
    }
    try terminal.press("Home", "Down")
    try terminal.await { $0[3].hasPrefix(" ▸ b ") }
    try terminal.press("Enter")
    try terminal.await { $0[0].hasPrefix(" LiveCue  b ") && $0[22] == " Ann: in b" }
    try terminal.press("?")
    try terminal.await { $0[1] == " Keys" }
    try terminal.press("?")
    try terminal.press("Left")
    try terminal.await { $0[3].hasPrefix(" ▸ b ") && $0[0].hasPrefix(" LiveCue  2 rooms") }
    try terminal.press("q")
    try expectEnd(terminal)
    #expect(try daemon.end().code == 0)
  }

  @Test func coloursAreLeftOutWhereNobodyWantsThem() throws {
    let broker = try PrivateBroker()
    let daemon = try run(port: broker.port)
    // Of 256 colours the one nearest to #00AEFF is 39.
    for (variables, isColored) in [("", true), ("NO_COLOR=1", false), ("NO_COLOR=", true)] {
      let terminal = try watch(Self.room, port: broker.port, variables: variables)
      try terminal.await { $0[0].contains("main online") }
      try broker.publish(
        #"[{"user_id":"u1","user_name":"Ann","content":"hi"}]"#, to: "im/\(Self.room)/comment")
      try terminal.await { $0[22] == " Ann: hi" }
      let row = try terminal.screen(isColored: true)[22]
      #expect(row.contains("38;5;39m") == isColored, "\(row.debugDescription)")
      // 39 is no colour but the terminal's own.
      let page = try terminal.screen(isColored: true).joined().replacing("[39m", with: "")
      #expect(page.contains("[3") == isColored, "\(page.debugDescription)")
      try terminal.press("C-c")
      try expectEnd(terminal)
    }
    #expect(try daemon.end().code == 0)
  }

  @Test func withPlainATerminalGetsTheLinesOfAPipe() throws {
    // Its log tells who subscribes.
    var options = PrivateBroker.Options()
    options.extraLines = ["log_type all"]
    let broker = try PrivateBroker(options)
    let daemon = try run(port: broker.port)
    let terminal = try watch("\(Self.room) --plain", port: broker.port)
    let listens = try awaitFile("broker.log", in: broker.folder) { $0.contains("cue/\(Self.room)/# (QoS 1)") }
    try #require(listens)
    try broker.publish(#"[{"user_id":"u1","user_name":"Ann","content":"hi"}]"#, to: "im/\(Self.room)/comment")
    try terminal.await { screen in screen.contains { $0.contains("append  Ann: hi") } }
    try terminal.press("C-c")
    try expectEnd(terminal)
    #expect(try daemon.end().code == 0)
  }

  /// Anyone may publish where it subscribes: no name reaches the terminal as an order.
  @Test func noNameMovesTheCursorOrShiftsARow() throws {
    let broker = try PrivateBroker()
    let terminal = try watch(Self.room, port: broker.port)
    let header = try terminal.await { $0[0].contains("no service at") }[0]
    let names = [
      #"\u001b[2J\u001b[Hred"#, #"\u001b]0;title\u0007"#, #"a\nb\r\u0008\u0008"#, #"\u009b5A"#,
      #"\u202egnp.exe"#, "אבגד",
      "👩\u{200D}👩\u{200D}👧", "👍🏽🇩🇪", "e" + String(repeating: "\u{301}", count: 40),
      String(repeating: "数", count: 90),
      #"\u001b(0lqk"#, #"\u001b[?1049l"#, "ﷺ꧅", #"\u200b\u2060\ufeff"#,
    ]
    let items = names.enumerated().map { place, name in
      ##"{"id":"c\##(place)","sender":{"id":"u","name":"\##(name)"},"color":"#00AEFF","text":"words \##(place)"}"##
    }
    let head = ##"{"v":1,"room":"\##(Self.room)","track":"comment","epoch":1,"seq":1,"at":1,"op":"append","##
    try broker.publish(
      ##"\##(head)"items":[\##(items.joined(separator: ","))],"evicted":0,"skipped":0}"##,
      to: "cue/\(Self.room)/comment")
    let screen = try terminal.await { $0[22].hasSuffix(": words \(names.count - 1)") }
    #expect(screen[0] == header)
    #expect(screen[23] == " ← rooms   ? help   q quit")
    for (place, row) in screen[(23 - names.count)..<23].enumerated() {
      #expect(row.hasPrefix(" ") && row.hasSuffix(": words \(place)"), "\(row)")
    }
    #expect(screen[23 - names.count + 9].contains("数…: words"))
    try terminal.press("C-c")
    try expectEnd(terminal)
  }

  @Test func whoMayNotPublishIsToldAndSeesTheRoomEvenSo() throws {
    var options = PrivateBroker.Options()
    options.users = [("lc", "secret"), ("viewer", "v")]
    options.accessList = "user lc\ntopic readwrite #\nuser viewer\ntopic read cue/#\ntopic read livecue/#\n"
    let broker = try PrivateBroker(options)
    let daemon = try run(
      port: broker.port, settings: "snapshot: {everyMs: 60000}",
      broker: ", username: lc, passwordFile: password")
    let folder = try TemporaryFolder()
    let password = try folder.write("v\n", to: "password")
    let terminal = try watch(
      "\(Self.room) --username viewer --password-file \(password)", port: broker.port)
    try terminal.await { $0[23].hasPrefix(" may not ask for a snapshot (") }
    try broker.publish(#"[{"user_id":"u1","user_name":"Ann","content":"hi"}]"#, to: "im/\(Self.room)/comment")
    try terminal.await { $0[22] == " Ann: hi" }
    try terminal.press("q")
    try expectEnd(terminal)
    #expect(try daemon.end().code == 0)
  }
}
