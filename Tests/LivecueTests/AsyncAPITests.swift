import EventLoop
import Glibc
import PrivateBroker
import TestSupport
import Testing

/// Real messages against config/asyncapi.yaml.
@Suite struct AsyncAPITests {
  /// Validates what is in `output.jsonl` of a folder, and the input if it is given. Returns the counts by
  /// message.
  private func check(_ folder: TemporaryFolder, input: String? = nil) throws -> [String: Int] {
    let script = #"cd "$0" && exec "$@" >answer 2>complaints"#
    let words = [
      "/usr/bin/python3", checkoutPath("Tests/AsyncAPI/check.py"), checkoutPath("config/asyncapi.yaml"),
      "output.jsonl",
    ]
    let child = try ChildProcess(
      ["sh", "-c", script, folder.path] + words + (input.map { [checkoutPath($0)] } ?? []))
    #expect(try child.wait(milliseconds: 60_000) == 0, "\(folder.read("complaints"))")
    var counts: [String: Int] = [:]
    for line in folder.read("answer").split(separator: "\n") {
      let words = line.split(separator: " ")
      counts[String(words[0])] = Int(words[1])
    }
    return counts
  }

  private func simulate(_ arguments: [String], in folder: TemporaryFolder) throws {
    let outcome = try Livecue.run(["simulate"] + arguments, in: folder)
    #expect(outcome.code == 0, "\(outcome.errors)")
    try folder.write(outcome.output, to: "output.jsonl")
  }

  @Test func everyMessageOfACapturedRoomMatchesAndNoDamagedOne() throws {
    let folder = try TemporaryFolder()
    let capture = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")
    // Few tracks and short waits, so that groups are cut and fold too.
    try folder.write("gift: {tracks: 1, maxGroupMs: 1000, foldAfterMs: 2000}\n", to: "busy.yaml")
    try simulate(["--config", "busy.yaml", "--profile", "douyin-capture", capture], in: folder)
    let counts = try check(folder)
    for message in ["show", "count", "hold", "hide", "fold", "append", "burst", "stop"] {
      #expect(counts[message, default: 0] > 0, "\(message)")
    }
    #expect(folder.read("output.jsonl").contains(#""reason":"cut""#))
    #expect(counts["damaged", default: 0] > 300)
  }

  @Test func theSchemasForAuthorsAreTheSpecifications() throws {
    // `make schemas` writes them anew.
    try runProgram([
      "sh", "-c", #"/usr/bin/python3 "$0" "$1" | cmp - "$2""#, checkoutPath("Tests/AsyncAPI/schemas.py"),
      checkoutPath("config/asyncapi.yaml"), checkoutPath("config/commands.schema.json"),
    ])
  }

  @Test func everyMessageOfARandomRoomMatches() throws {
    let seed =
      unsafe getenv("LIVECUE_SEED").flatMap { unsafe Int(String(cString: $0)) } ?? time(nil) % 1_000_000
    print("AsyncAPITests: LIVECUE_SEED=\(seed)")
    let folder = try TemporaryFolder()
    try runProgram(
      ["python3", checkoutPath("Tests/Oracle/fuzz.py"), "--seed", "\(seed)", "--out", folder.path])
    try simulate(["--config", "settings.json", "input.jsonl"], in: folder)
    #expect(try check(folder)["damaged", default: 0] > 0, "seed \(seed)")
  }

  @Test func theSchemasTakeWhatTheProgramTakesAndRefuseWhatItRefuses() throws {
    let folder = try TemporaryFolder()
    try simulate([checkoutPath("Tests/AsyncAPI/inputs.jsonl")], in: folder)
    let counts = try check(folder, input: "Tests/AsyncAPI/inputs.jsonl")
    #expect(counts["rejectedInRoom", default: 0] > 15)
  }

  @Test func whatAStudioAndItsRenderersSayAndHearMatches() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      gift: {tracks: 1, foldAfterMs: 2000, rules: [{priority: 1, gifts: [castle], asset: castle.webm}]}
      stage: {leader: obs}

      """, to: "studio.yaml")
    let input = "Tests/AsyncAPI/studio.jsonl"
    try simulate(["--config", "studio.yaml", "--snapshots", checkoutPath(input)], in: folder)
    let counts = try check(folder, input: input)
    let expected = [
      "play", "end", "pause", "resume", "remove", "click", "snapshot", "controlReply", "show", "count",
      "hold",
      "hide", "fold", "append", "burst", "stop",
    ]
    for message in expected { #expect(counts[message, default: 0] > 0, "\(message)") }
    let output = folder.read("output.jsonl")
    for reason in ["skipped", "cleared", "done", "failed", "expired"] {
      #expect(output.contains(#""reason":"\#(reason)""#), "\(reason)")
    }
    for track in ["gift/0", "gift/fold", "stage", "comment", "like"] {
      #expect(output.contains(#""track":"\#(track)","epoch":1722400002000,"seq":"#), "\(track)")
    }
    for op in ["show", "append", "burst", "play", "click", "fold"] {
      let isMarked = output.split(separator: "\n").contains {
        $0.contains(#""op":"\#(op)""#) && $0.contains(#""test":true"#)
      }
      #expect(isMarked, "\(op)")
    }
    #expect(counts["damaged", default: 0] > 1000)
  }

  @Test func refusalsWithoutARoomMatch() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"at":1,"topic":"im//gift","payload":[{"sender":"Ann","gift":"Rose"}]}"#, to: "input")
    try simulate(["input"], in: folder)
    let counts = try check(folder)
    #expect(counts["rejectedWithoutRoom"] == 1)
    #expect(counts["damaged", default: 0] > 10)
  }

  @Test func theStatusAndTheFiguresOfADaemonMatch() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let viewer = try Client("viewer", filters: ["livecue/#"], port: broker.port, loop: loop)
    let isReady = loop.turn { viewer.isReady }
    try #require(isReady)
    let folder = try TemporaryFolder()
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(broker.port)}\nmetrics: {listen: '', statsSeconds: 1}\n",
      to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    let isOnline = loop.turn { viewer.states() == ["online"] }
    try #require(isOnline, "\(daemon.errors)")
    #expect(loop.turn { viewer.messages.contains { $0.topic == "livecue/main/stats" } })
    #expect(try daemon.end().code == 0)
    let isOffline = loop.turn { viewer.states() == ["online", "offline"] }
    #expect(isOffline)
    let lines = viewer.messages.map { #"{"topic":"\#($0.topic)","payload":\#($0.payload)}"# }
    try folder.write(lines.joined(separator: "\n"), to: "output.jsonl")
    let counts = try check(folder)
    #expect(counts["status"] == 2)
    #expect(counts["stats", default: 0] > 0)
  }

  @Test func theSpecificationIsOfThisVersion() throws {
    let text = String(decoding: readBytes(checkoutPath("config/asyncapi.yaml")), as: UTF8.self)
    let version = try Livecue.run(["--version"]).output.dropFirst("livecue ".count)
    #expect(text.contains("\n  version: \(version)"))
  }
}
