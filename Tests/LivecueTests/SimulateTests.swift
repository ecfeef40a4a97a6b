import PrivateBroker
import TestSupport
import Testing

@Suite struct SimulateTests {
  private static let example =
    #"{"at":50000,"topic":"im/r1/gift","payload":[{"sender":"Ann","giftName":"Rose"},{"sender":"Bo"},"#
    + #"{"sender":"Ann","giftName":"Rose","count":2}]}"#

  private static let golden = #"""
    {"at":50000,"topic":"cue/r1/gift/0","payload":{"v":1,"room":"r1","track":"gift/0","epoch":50000,"seq":1,"at":50000,"op":"show","group":1,"sender":{"id":"Ann","name":"Ann"},"gift":{"id":"Rose","name":"Rose"},"combo":true,"base":0,"priority":0,"durationMs":300,"until":53700}}
    {"at":50000,"topic":"cue/r1/rejected","payload":{"v":1,"room":"r1","topic":"im/r1/gift","at":50000,"count":1,"items":[{"index":1,"reason":"missing-gift","detail":"found no gift with an id, expected a string or an integer"}],"payload":"[{\"sender\":\"Ann\",\"giftName\":\"Rose\"},{\"sender\":\"Bo\"},{\"sender\":\"Ann\",\"giftName\":\"Rose\",\"count\":2}]"}}
    {"at":50300,"topic":"cue/r1/gift/0","payload":{"v":1,"room":"r1","track":"gift/0","epoch":50000,"seq":2,"at":50300,"op":"count","group":1,"from":0,"to":3,"durationMs":1200,"until":54500}}
    {"at":51500,"topic":"cue/r1/gift/0","payload":{"v":1,"room":"r1","track":"gift/0","epoch":50000,"seq":3,"at":51500,"op":"hold","group":1,"count":3,"until":54500}}
    {"at":54500,"topic":"cue/r1/gift/0","payload":{"v":1,"room":"r1","track":"gift/0","epoch":50000,"seq":4,"at":54500,"op":"hide","group":1,"count":3,"reason":"expired","durationMs":300}}

    """#

  @Test func theIssuesExampleGivesTheseBytes() throws {
    let folder = try TemporaryFolder()
    try folder.write(SimulateTests.example + "\n", to: "example.jsonl")
    let wanted = Outcome(code: 0, output: SimulateTests.golden, errors: "")
    #expect(try Livecue.run(["simulate", "example.jsonl"], in: folder) == wanted)
    // From standard input, with and without a dash, and without a newline at the end.
    #expect(try Livecue.run(["simulate"], in: folder, input: "example.jsonl") == wanted)
    #expect(try Livecue.run(["simulate", "-"], in: folder, input: "example.jsonl") == wanted)
    try folder.write("\r\n  \n\(SimulateTests.example)", to: "example.jsonl")
    #expect(try Livecue.run(["simulate", "example.jsonl"], in: folder) == wanted)
  }

  @Test func aBadLineIsToldWithItsPlaceAndCostsNoOther() throws {
    let folder = try TemporaryFolder()
    try folder.write("{\n\n\(SimulateTests.example)\n{\"at\":1}\n", to: "a.jsonl")
    try folder.write("[]\n", to: "b.jsonl")
    let outcome = try Livecue.run(["simulate", "a.jsonl", "nowhere", "b.jsonl"], in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.output == SimulateTests.golden)
    let lines = outcome.errors.split(separator: "\n")
    let starts = [
      "a.jsonl:1: not a JSON", "a.jsonl:4: no member", "nowhere: cannot open", "b.jsonl:1: not a JSON",
    ]
    #expect(lines.count == 4)
    for (line, start) in zip(lines, starts) {
      #expect(line.hasPrefix("livecue simulate: \(start)"), "\(line)")
    }
  }

  @Test func filesArePlayedOneAfterTheOther() throws {
    let folder = try TemporaryFolder()
    let like = #"{"at":1,"topic":"im/r1/like","payload":{"sender":"Bo"}}"#
    try folder.write(SimulateTests.example, to: "a.jsonl")
    try folder.write(like, to: "b.jsonl")
    let output = try Livecue.run(["simulate", "a.jsonl", "b.jsonl"], in: folder).output
    try folder.write("\(SimulateTests.example)\n\(like)\n", to: "both.jsonl")
    #expect(try Livecue.run(["simulate", "both.jsonl"], in: folder).output == output)
    #expect(output.contains(#""op":"burst""#))
  }

  @Test func theClearedSnapshotOfARoomThatLeftIsNoPayload() throws {
    let folder = try TemporaryFolder()
    let lines = [
      #"{"at":1000,"topic":"im/r1/comment","payload":{"sender":"Bo","text":"hello"}}"#,
      #"{"at":9000000,"topic":"im/r2/comment","payload":{"sender":"Bo","text":"hello"}}"#,
    ]
    try folder.write(lines.joined(separator: "\n"), to: "input.jsonl")
    let output = try Livecue.run(["simulate", "--snapshots", "input.jsonl"], in: folder).output
    let written = output.split(separator: "\n")
    #expect(written.count == 4)
    #expect(written[2] == #"{"at":7201000,"topic":"cue/r1/snapshot","base64":""}"#)
    // It can be played again: what it says is a line of the same form.
    try folder.write(output, to: "output.jsonl")
    #expect(try Livecue.run(["simulate", "output.jsonl"], in: folder).errors == "")
  }

  @Test func theCapturedRoomIsPlayedByItsProfileFromAnyFolder() throws {
    let capture = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")
    let words = ["simulate", "--profile", "douyin-capture"]
    let summary = try Livecue.run(words + ["--summary", capture])
    #expect(summary.code == 0)
    #expect(summary.output.contains("gifts      189 accepted = "))
    #expect(!summary.output.contains("BROKEN"))
    let first = try Livecue.run(words + [capture])
    let again = try Livecue.run(words + [capture])
    let isSame = first == again && first.code == 0 && first.output.utf8.count > 100_000
    #expect(isSame)
  }

  @Test func anOutputThatIsFullIsTold() throws {
    let folder = try TemporaryFolder()
    try folder.write(SimulateTests.example, to: "a.jsonl")
    let script = #"exec "$@" >/dev/full"#
    let outcome = try Livecue.run(
      ["simulate", "a.jsonl"], in: folder, wrappedBy: ["sh", "-c", script, "sh"])
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("cannot write: No space left on device"))
  }
}
