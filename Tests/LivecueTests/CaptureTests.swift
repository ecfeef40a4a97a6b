import EventLoop
import Glibc
import PrivateBroker
import TestSupport
import Testing

/// `run --capture`, and what `simulate` makes of the capture and of the journal.
@Suite struct CaptureTests {
  private static let settings = """
    state: {directory: state}
    gift: {showMs: 10, stepMs: 10, catchUpMs: 50, holdMs: 100, holdBusyMs: 50, hideMs: 10}
    """

  /// The payloads of a topic in a simulation's lines.
  private func payloads(_ lines: String, _ topic: String) -> [String] {
    let mark = "\"topic\":\"\(topic)\",\"payload\":"
    return lines.split(separator: "\n").compactMap { line in
      // After `{"at":ms,`.
      let rest = line.drop { $0 != "," }.dropFirst()
      return rest.hasPrefix(mark) ? String(rest.dropFirst(mark.count).dropLast()) : nil
    }
  }

  @Test func theCaptureAndTheJournalGiveWhatWasPublishedAlsoAcrossAKill() throws {
    let loop = try EventLoop.forTest()
    let (broker, first) = try LedgerTests.serve(Self.settings, ["--capture", "capture.jsonl"])
    let folder = first.folder
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    source.publish(#"[{"id":"a","sender":"Ann","gift":"rose","count":3},{"sender":"Bo"}]"#, to: "im/r1/gift")
    source.publish("no\njson", to: "im/r1/gift")
    #expect(loop.turn { viewer.payloads("cue/r1/rejected").count == 2 && viewer.renderer.giftCount == 3 })
    _ = try first.end(SIGKILL)
    source.publish(
      #"[{"id":"a","sender":"Ann","gift":"rose"},{"sender":"Bo","gift":"car"}]"#, to: "im/r1/gift")
    let second = try Livecue(["run", "--config", "livecue.yaml", "--capture", "capture.jsonl"], in: folder)
    #expect(loop.turn(within: 10_000) { viewer.renderer.giftCount == 4 }, "\(second.errors)")
    #expect(
      loop.turn { viewer.payloads("cue/r1/gift/0").contains { $0.contains(#""op":"hide","group":2"#) } })
    #expect(try second.end().code == 0)
    #expect(second.errors.contains("the capture ends"))

    let config = "\(folder.path)/livecue.yaml"
    let capture = try Livecue.run(["simulate", "--config", config, "\(folder.path)/capture.jsonl"])
    let journal = try Livecue.run(["simulate", "--journal", "\(folder.path)/state"])
    #expect(capture.code == 0 && capture.errors == "")
    #expect(journal == capture)
    for topic in ["cue/r1/gift/0", "cue/r1/rejected"] {
      var seen: [String] = []
      for payload in viewer.payloads(topic) where !seen.contains(payload) { seen.append(payload) }
      #expect(payloads(journal.output, topic) == seen, "\(topic)")
    }
    let summary = try Livecue.run(["simulate", "--journal", "\(folder.path)/state/livecue.db", "--summary"])
    #expect(summary.output.contains("gifts      4 accepted = 4 shown"), "\(summary.output)")
    let nothing = try Livecue.run(["simulate", "--journal", "\(folder.path)/state", "--until", "1000"])
    #expect(nothing.code == 0 && nothing.output == "")

    let why = try Livecue.run(["why", "r1", "a", "--state", "\(folder.path)/state"])
    #expect(why.code == 0)
    #expect(why.output.contains("accepted, 3 added to group 1\n") && why.output.contains("duplicate: its id"))
    #expect(
      why.output.contains("  gift/0 seq 1  ") && why.output.contains("  count  0 → 3\n"), "\(why.output)")
    let refused = try Livecue.run(["why", "r1", "Bo", "--config", config])
    #expect(refused.output.contains("rejected, missing-gift: "), "\(refused.output)")
    #expect(try Livecue.run(["why", "r1", "nobody", "--config", config]).code == 1)
    #expect(try Livecue.run(["backup", "\(folder.path)/copy.db", "--config", config]).code == 0)
    #expect(try Livecue.run(["simulate", "--journal", "\(folder.path)/copy.db"]) == journal)
    let copied = try Livecue.run(["why", "r1", "a", "--state", "\(folder.path)/copy.db"])
    #expect(copied.output.replacing("; this is a backup", with: "") == why.output)
  }

  @Test func aFullDiskUnderTheCaptureNeverStopsTheService() throws {
    let loop = try EventLoop.forTest()
    let (broker, daemon) = try LedgerTests.serve(Self.settings, ["--capture", "/dev/full"])
    let viewer = try Client("viewer", filters: ["cue/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady && source.isReady })
    for number in 0..<3 { source.publish(#"[{"sender":"s\#(number)","gift":"rose"}]"#, to: "im/r1/gift") }
    #expect(loop.turn { viewer.renderer.giftCount == 3 })
    #expect(try daemon.end().code == 0)
    let warnings = daemon.errors.split(separator: "\n").filter {
      $0.contains("the capture cannot be written")
    }
    #expect(warnings.count == 1, "\(daemon.errors)")
    #expect(daemon.errors.contains("No space left on device"))
    // Three messages, and the time away before the connection if that took any.
    let lost = ["lines_lost=3", "lines_lost=4"].contains { daemon.errors.contains($0) }
    #expect(lost, "\(daemon.errors)")
  }

  @Test func aCompressedCaptureIsAppendedToAndReplayed() throws {
    let loop = try EventLoop.forTest()
    let (broker, first) = try LedgerTests.serve(Self.settings, ["--capture", "capture.jsonl.gz"])
    let source = try Client("source", port: broker.port, loop: loop)
    try #require(loop.turn { source.isReady })
    source.publish(#"[{"sender":"Ann","gift":"rose"}]"#, to: "im/r1/gift")
    #expect(loop.turn { source.isDone })
    #expect(try first.end().code == 0)
    let second = try Livecue(
      ["run", "--config", "livecue.yaml", "--capture", "capture.jsonl.gz"], in: first.folder)
    try #require(try second.await("errors") { $0.contains("subscribed") })
    source.publish(#"[{"sender":"Bo","gift":"rose"}]"#, to: "im/r1/gift")
    #expect(loop.turn { source.isDone })
    #expect(try second.end().code == 0)
    let viewer = try Client("viewer", filters: ["im/#"], port: broker.port, loop: loop)
    try #require(loop.turn { viewer.isReady })
    let replay = try Livecue.run([
      "replay", "--speed", "max", "--broker", "127.0.0.1:\(broker.port)",
      "\(first.folder.path)/capture.jsonl.gz",
    ])
    #expect(replay.code == 0 && replay.output.hasPrefix("2 messages replayed in "), "\(replay.errors)")
    #expect(loop.turn { viewer.messages.count == 2 })
    #expect(
      viewer.payloads("im/r1/gift")
        == [#"[{"sender":"Ann","gift":"rose"}]"#, #"[{"sender":"Bo","gift":"rose"}]"#])
  }
}
