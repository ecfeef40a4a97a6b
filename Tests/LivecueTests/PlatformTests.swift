import PrivateBroker
import TestSupport
import Testing
import Wire

/// The profiles of platforms on what those platforms send: `Tests/Profiles`.
@Suite struct PlatformTests {
  static let platforms = [
    "bilibili-open", "bilibili-web", "douyin-barragegrab", "douyin-dycast", "tiktok", "twitch-eventsub",
    "tuikit", "youtube",
  ]

  private func path(_ platform: String, _ name: String) -> String {
    checkoutPath("Tests/Profiles/\(platform)/\(name)")
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test(arguments: platforms) func theSamplesGiveTheEvents(platform: String) throws {
    let outcome = try Livecue.run(
      ["profile", "test", platform, "--json"], input: path(platform, "samples.json"))
    let expected = String(decoding: readBytes(path(platform, "events.jsonl")), as: UTF8.self)
    #expect(lines(outcome.output) == lines(expected))
    #expect(outcome.errors == "")
    #expect(outcome.code == (expected.contains("\"refused\"") ? 1 : 0))
  }

  @Test(arguments: platforms) func theStreamGivesTheCommands(platform: String) throws {
    let outcome = try Livecue.run(["simulate", "--profile", platform, path(platform, "stream.jsonl")])
    let expected = String(decoding: readBytes(path(platform, "commands.jsonl")), as: UTF8.self)
    #expect(lines(outcome.output) == lines(expected))
    #expect(outcome.code == 0)
  }

  /// For each room the last number of each banner, in the order in which they hide.
  @Test(arguments: [
    ("bilibili-open", ["repeat": [5], "super-chat-again": [1], "deleted": [1, 1, 1]]),
    (
      "bilibili-web",
      [
        "combo": [200], "no-running-number": [200], "send-lost": [200], "no-combo": [2], "super-chat": [1],
        "super-chat-jpn-first": [1], "guard": [1], "toast-first": [1], "two-receivers": [1, 1],
        // A correction that corrects nothing that is known, one that comes between two sends, and a send
        // again.
        "combo-alone": [5], "combo-between": [20], "send-again": [100], "several-in-one": [2, 3],
        // Anonymous gifts are banners of their own, of one combo.
        "masked": [1, 2],
        // What was paid stays, whatever becomes of its comment.
        "deleted": [1, 1],
      ]
    ),
    (
      "douyin-barragegrab",
      ["skips": [3], "end-higher": [4], "one-group-id": [2, 3], "two-receivers": [1, 1], "at-once": [67]]
    ),
    (
      "douyin-dycast",
      [
        "skips": [3], "end-higher": [4], "two-users": [2, 3], "once": [2],
        // Without an id the repeat closes the streak, and the closing frame begins another.
        "skips-repeats": [6],
        "own-skips-repeats": [3], "own-names": [6], "own-clicks": [30], "own-at-once": [66],
        "own-one-group-id": [2, 3], "own-two-receivers": [1, 1],
      ]
    ),
    (
      "tiktok",
      [
        "streak": [3], "single-twice": [2], "end-lost": [5], "end-lost-next": [4, 1], "single": [1],
        "end-higher": [4], "once": [2],
        "two-receivers": [1, 2], "number-and-text": [2], "streak-v2": [3], "single-twice-v2": [2],
        "once-v2": [1], "no-group-id": [3], "no-type": [2], "history-again": [2],
      ]
    ),
    (
      "twitch-eventsub",
      [
        "parts-after": [5], "parts-before": [5], "parts-missing": [5], "parts-never": [5], "anonymous": [5],
        "anonymous-parts-before": [5], "notices-too": [5], "cheer-again": [100], "cheer-and-bits": [100],
      ]
    ),
    ("tuikit", ["each-counts": [4], "with-id": [1], "envelope": [4]]),
    (
      "youtube",
      [
        "parts-after": [5], "parts-before": [5], "parts-missing": [5], "page-again": [1], "twins": [1],
        "two-currencies": [1, 1], "deleted": [1],
      ]
    ),
  ])
  func theBannersComeToTheseNumbers(platform: String, numbers: [String: [Int64]]) throws {
    let outcome = try Livecue.run(["simulate", "--profile", platform, path(platform, "stream.jsonl")])
    var found: [String: [Int64]] = [:]
    for line in lines(outcome.output) {
      let command = try #require(try JSONValue(Array(line.utf8).span)["payload"])
      guard command["op"]?.string == "hide" else { continue }
      let room = try #require(command["room"]?.string)
      found[room, default: []].append(try #require(command["count"]?.integer))
      #expect(command["reason"]?.string == "expired")
    }
    #expect(found == numbers)
  }

  /// The lines of the comment list that a renderer has at the end, as `id`, or `id style` where there is one.
  @Test(arguments: [
    ("bilibili-web", "deleted", ["sc:8 super-chat", "d1"]), ("bilibili-open", "deleted", ["sc:7 super-chat"]),
    ("twitch-eventsub", "deleted", ["c-1", "c-3"]), ("twitch-eventsub", "banned", ["c-3"]),
    ("twitch-eventsub", "cleared", ["c-1", "c-2"]), ("youtube", "deleted", ["LCC.2"]),
    ("youtube", "banned", ["LCC.2"]), ("twitch-eventsub", "shared-chat", ["c-1", "c-2"]),
    ("bilibili-web", "super-chat", ["sc:5 super-chat"]), ("youtube", "twins", ["LCC.t super-chat"]),
    (
      "tiktok", "notices", ["7137749190944233031 follow"]
    ),
    ("douyin-barragegrab", "notices", ["7300000000000009104 follow"]),
  ])
  func theCommentListHasTheseLines(platform: String, room: String, expected: [String]) throws {
    let outcome = try Livecue.run(["simulate", "--profile", platform, path(platform, "stream.jsonl")])
    var found: [(id: String, style: String)] = []
    for line in lines(outcome.output) {
      let command = try #require(try JSONValue(Array(line.utf8).span)["payload"])
      guard command["room"]?.string == room else { continue }
      switch command["op"]?.string {
      case "append":
        for item in command["items"]?.array ?? [] {
          found.append((try #require(item["id"]?.string), item["style"].map { " \($0.string ?? "?")" } ?? ""))
        }
      case "remove":
        let gone = try #require(command["ids"]?.array).map(\.string)
        found.removeAll { gone.contains($0.id) }
      default: break
      }
    }
    #expect(found.map { $0.id + $0.style } == expected)
  }

  /// A total of likes that falls is a new baseline: 100, 110, 90, 95 are 10 and 5.
  @Test(arguments: ["bilibili-web", "douyin-dycast"])
  func aTotalOfLikesThatFallsAddsNothing(platform: String) throws {
    let outcome = try Livecue.run(["simulate", "--profile", platform, path(platform, "stream.jsonl")])
    let commands = try lines(outcome.output).map {
      try #require(try JSONValue(Array($0.utf8).span)["payload"])
    }
    let bursts = commands.filter { $0["op"]?.string == "burst" && $0["room"]?.string == "likes" }
    #expect(bursts.map { $0["count"]?.integer } == [10, 5])
    #expect(bursts.map { $0["total"]?.integer } == [110, 110])
  }

  @Test func aProfileWithMistakesIsToldWithItsPlaces() throws {
    let folder = try TemporaryFolder()
    try folder.write("profile: x\ncases:\n  - when: {a: b}\n    kin: gift\n", to: "p.yaml")
    let outcome = try Livecue.run(["profile", "test", "p.yaml"], in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors == "p.yaml:4:5: cases[0].kin: unknown setting, did you mean 'kind'?\n")
  }

  @Test func thePagesForPeopleSayWhatBecameOfEachElement() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"sender":"Ann"},{"sender":"Bo","giftName":"Rose"}]"#, to: "payload")
    let outcome = try Livecue.run(
      ["profile", "test", "native", "--kind", "gift"], in: folder, input: "payload")
    #expect(outcome.code == 1)
    #expect(
      outcome.output == """
        element 0: refused, missing-gift: found no gift with an id, expected a string or an integer
        element 1: {"type":"gift","sender":{"id":"Bo","name":"Bo"},"gift":{"id":"Rose","name":"Rose"},"count":1}

        """)
  }
}
