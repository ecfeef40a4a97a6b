import Testing

@testable import Configuration

/// What is refused, where, and in which words.
@Suite struct MistakeTests {
  @Test func sixDifferentMistakesAreAllReported() {
    let text = """
      instance: studio 1
      broker:
        port: 70000
        keepAliveSecond: 20
      gift:
        holdMs: soon
        preset: fancy
      inputs:
        - {kind: gift}
      """
    #expect(
      mistakes(text) == [
        "f.yaml:1:11: instance: 'studio 1' does not fit, expected 1 to 64 of the characters A-Z a-z 0-9 _ -",
        "f.yaml:3:9: broker.port: '70000' is out of range, expected an integer from 1 to 65535",
        "f.yaml:4:3: broker.keepAliveSecond: unknown setting, did you mean 'keepAliveSeconds'?",
        "f.yaml:6:11: gift.holdMs: found 'soon', expected an integer from 0 to 600000 (milliseconds)",
        "f.yaml:7:11: gift.preset: found 'fancy', expected one of livecue, classic",
        "f.yaml:9:5: inputs[0].filter: missing, "
          + "expected an MQTT filter with {room} for the room's level, or one +",
      ])
  }

  @Test(arguments: [
    ("gift: {holdms: 1}", "1:8: gift.holdms: unknown setting, did you mean 'holdMs'?"),
    ("gift: {hodlMs: 1}", "1:8: gift.hodlMs: unknown setting, did you mean 'holdMs'?"),
    ("gift: {hold_ms: 1}", "1:8: gift.hold_ms: unknown setting, did you mean 'holdMs'?"),
    ("gif: {}", "1:1: gif: unknown setting, did you mean 'gift'?"),
    ("maxRooms: 5", "1:1: maxRooms: unknown setting, did you mean 'limits.maxRooms'?"),
    ("gift.holdMs: 5", "1:1: 'gift.holdMs': unknown setting, expected it inside its group, without dots"),
    ("log: {colour: true}", "1:7: log.colour: unknown setting, expected one of level"),
    (
      "topics: {zebra: 1}",
      "1:10: topics.zebra: unknown setting, expected one of room, instance"
    ),
    (
      "inputs: [{filter: 'a/+', kind: gift, profil: x}]",
      "1:38: inputs[0].profil: unknown setting, did you mean 'profile'?"
    ),
    (
      "gift: {rules: [{priority: 1, minLevl: 3}]}",
      "1:30: gift.rules[0].minLevl: unknown setting, did you mean 'minLevel'?"
    ),
    (
      "rooms: {lobby: {limits: {maxRooms: 5}}}",
      "1:26: rooms.lobby.limits.maxRooms: unknown setting, it cannot differ by room, expected it at top level"
    ),
    (
      "rooms: {lobby: {gift: {holdM: 5}}}",
      "1:24: rooms.lobby.gift.holdM: unknown setting, did you mean 'holdMs'?"
    ),
    ("\"\\e[2J\": 1", "1:1: '\\u{1b}[2J': unknown setting, expected one of"),
    ("\"\": 1", "1:1: '': unknown setting, expected one of"),
    ("\"broker.\": 1", "1:1: 'broker.': unknown setting, did you mean 'broker'?"),
  ])
  func anUnknownSettingHasAdvice(_ text: String, _ line: String) {
    let lines = mistakes(text)
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("f.yaml:" + line), "\(lines)")
  }

  @Test(arguments: [
    (
      "gift: {showMs: }",
      "1:16: gift.showMs: found nothing, expected an integer from 0 to 600000 (milliseconds)"
    ),
    ("gift: {showMs: '5'}", "1:16: gift.showMs: found the quoted text '5', expected an integer from 0"),
    ("gift: {showMs: 5.0}", "1:16: gift.showMs: found '5.0', expected an integer from 0"),
    ("gift: {showMs: 1e3}", "1:16: gift.showMs: found '1e3', expected an integer from 0"),
    ("gift: {showMs: 010}", "1:16: gift.showMs: found '010', expected an integer from 0"),
    ("gift: {showMs: 0x10}", "1:16: gift.showMs: found '0x10', expected an integer from 0"),
    ("gift: {showMs: +5}", "1:16: gift.showMs: found '+5', expected an integer from 0"),
    ("gift: {showMs: [5]}", "1:16: gift.showMs: found a list, expected an integer from 0"),
    ("gift: {showMs: {a: 5}}", "1:16: gift.showMs: found a mapping, expected an integer from 0"),
    ("gift: {perStep: yes}", "1:17: gift.perStep: found 'yes', expected true or false"),
    ("gift: {perStep: 'true'}", "1:17: gift.perStep: found the quoted text 'true', expected true or false"),
    (
      "gift: {minPace: half}",
      "1:17: gift.minPace: found 'half', expected a number from 0.0 to 1.0, at most 3"
    ),
    ("gift: {minPace: 0.1234}", "1:17: gift.minPace: found '0.1234', expected a number from 0.0 to 1.0"),
    ("gift: {minPace: .5}", "1:17: gift.minPace: found '.5', expected a number"),
    ("gift: {minPace: 1.}", "1:17: gift.minPace: found '1.', expected a number"),
    ("gift: 5", "1:7: gift: found '5', expected a mapping of preset, tracks, showMs"),
    ("gift: []", "1:7: gift: found a list, expected a mapping of preset"),
    ("[]", "1:1: found a list, expected a mapping of instance, broker"),
    ("hello", "1:1: found 'hello', expected a mapping of instance"),
    (
      "log: {level: loud}",
      "1:14: log.level: found 'loud', expected one of error, warning, notice, info, debug"
    ),
    ("broker: {protocol: 4}", "1:20: broker.protocol: found '4', expected one of 5, 3.1.1"),
    ("instance: ~", "1:11: instance: found nothing, expected 1 to 64 of the characters"),
    ("instance: [a]", "1:11: instance: found a list, expected 1 to 64 of the characters"),
    (
      "inputs: {}",
      "1:9: inputs: found a mapping, expected a list of 1 to 64, each a mapping of filter, kind, profile"
    ),
    ("inputs: []", "1:9: inputs: a list of 0, expected a list of 1 to 64, each a mapping of filter"),
    ("inputs: [a]", "1:10: inputs[0]: found 'a', expected a mapping of filter, kind, profile"),
    (
      "gift: {tracks: {}}",
      "1:16: gift.tracks: found a mapping, expected an integer from 1 to 64, or a list of"
    ),
    (
      "gift: {tracks: []}",
      "1:16: gift.tracks: a list of 0, expected a list of 1 to 64, each a mapping of minPriority"
    ),
    ("gift: {tracks: }", "1:16: gift.tracks: found nothing, expected an integer from 1 to 64, or"),
    (
      "gift: {rules: [{minLevel: 3}]}",
      "1:16: gift.rules[0].priority: missing, expected an integer from 0 to 9"
    ),
    (
      "comment: {colors: []}", "1:19: comment.colors: a list of 0, expected a list of 1 to 256, each a colour"
    ),
    (
      "comment: {colors: ['#12345']}",
      "1:20: comment.colors[0]: the quoted text '#12345' does not fit, expected a"
    ),
    (
      "comment: {colors: ['#12345é']}",
      "1:20: comment.colors[0]: the quoted text '#12345é' does not fit, expected"
    ),
    ("rooms: [lobby]", "1:8: rooms: found a list, expected a mapping of room names to mappings of settings"),
    (
      "rooms: {a/b: {}}",
      "1:9: rooms.'a/b': 'a/b' does not fit, expected a room: 1 to 128 bytes without + # /"
    ),
    (
      "rooms: {lobby: 5}",
      "1:16: rooms.lobby: found '5', expected a mapping of gift, gifts, comment, like, stage, snapshot"
    ),
    (
      "allowRooms: [ok, 'a+b', 'c#']",
      "1:18: allowRooms[1]: the quoted text 'a+b' does not fit, expected a room"
    ),
    (
      "allowRooms: [\"a\\tb\"]",
      "1:14: allowRooms[0]: the quoted text 'a\\u{9}b' does not fit, expected a room"
    ),
    ("allowRooms: [\"a\\u0085b\"]", "1:14: allowRooms[0]: the quoted text 'a\\u{85}b' does not fit"),
    ("topics: {room: a//b}", "1:16: topics.room: 'a//b' does not fit, expected levels of a topic"),
    ("topics: {room: $SYS}", "1:16: topics.room: '$SYS' does not fit, expected levels of a topic"),
    ("broker: {clientId: a b}", "1:20: broker.clientId: 'a b' does not fit, expected 1 to 200 bytes"),
    ("profiles: [{}]", "1:12: profiles[0].profile: missing, expected 1 to 64 of the characters"),
    ("profiles: [~]", "1:12: profiles[0]: found nothing, expected a file name"),
    ("profiles: a.yaml", "1:11: profiles: found 'a.yaml', expected a list of file names"),
    ("gift: !!map {}", "1:7: gift: a tag (!…) is not supported, expected a plain value"),
    ("gift:\n  <<: {}", "2:3: gift.'<<': merge keys are not supported, expected the settings themselves"),
    (
      "gift: {holdMs: 1, holdMs: 2}",
      "1:19: gift.holdMs: given twice (first at line 1, column 8), expected once"
    ),
    ("rooms: {a: {}, a: {}}", "1:16: rooms.a: given twice (first at line 1, column 9), expected once"),
    ("[a]: 1", "1:1: a list as a key, expected a word"),
  ])
  func aWrongValueIsRefused(_ text: String, _ line: String) {
    let lines = mistakes(text)
    #expect(!lines.isEmpty)
    #expect(lines.first?.hasPrefix("f.yaml:" + line) == true, "\(lines)")
  }

  /// A password in the wrong place must not reach a log.
  @Test(arguments: [
    "broker: {host: 'mqtt://ann:hunter2@localhost'}", "broker: {password: hunter2}",
    "broker: {passwordFile: \"hunter2\\0\"}", "broker: {username: \"ann\\nhunter2\"}",
    "broker: {password: {hunter2: 1}}",
  ])
  func noMistakeShowsAPassword(_ text: String) {
    let lines = mistakes(text)
    #expect(lines.count == 1)
    #expect(!lines.joined().contains("hunter2"))
  }

  @Test func mistakesBeyondTheLimitAreCounted() {
    let text = (0..<250).map { "unknown\($0): 1" }.joined(separator: "\n")
    let lines = mistakes(text)
    #expect(lines.count == ConfigurationErrors.limit + 1)
    #expect(lines.last == "and 150 more")
  }

  @Test func aMistakeIsToldInTheOrderOfTheLines() {
    let text = """
      rooms:
        lobby: {gift: {holdMs: -1}}
      gift:
        holdMs: -1
        preset: none
      """
    #expect(mistakes(text).map { $0.prefix(10) } == ["f.yaml:2:2", "f.yaml:4:1", "f.yaml:5:1"])
  }

  @Test func aFileThatCannotBeReadSaysWhy() throws {
    let directory = try TemporaryDirectory()
    for (path, reason) in [
      (directory.path + "/none.yaml", "No such file or directory"), (directory.path, "Is a directory"),
    ] {
      let error = #expect(throws: ConfigurationErrors.self) { try Configuration.read(file: path) }
      #expect(error?.description == "\(path): it cannot be read (\(reason)), expected a readable file")
    }
    let error = #expect(throws: ConfigurationErrors.self) { try Configuration.read(file: "/dev/zero") }
    #expect(error?.description == "/dev/zero: it is too large, expected at most 16777216 bytes")
  }
}

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "ab", 2), ("ab", "ba", 1), ("holdMs", "holdMs", 0),
    ("kitten", "sitting", 3),
    ("abc", "abd", 1),
  ])
  func distanceCountsEdits(_ left: String, _ right: String, _ distance: Int) {
    #expect(editDistance(Array(left.utf8), Array(right.utf8)) == distance)
  }

  @Test func theNearestIsMeant() {
    #expect(suggestion(for: "flushMS", among: ["burstMs", "flushMs"]) == "flushMs")
    #expect(suggestion(for: "zebra", among: ["burstMs", "flushMs"]) == nil)
    #expect(
      suggestion(for: String(repeating: "a", count: 65), among: [String(repeating: "a", count: 65)]) == nil)
  }
}
