import EventLoop
import PrivateBroker
import TestSupport
import Testing

@Suite struct ReplayTests {
  private let loop: EventLoop
  private let broker: PrivateBroker
  private let viewer: Client
  private let folder: TemporaryFolder

  init() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let viewer = try Client("viewer", filters: ["im/#"], port: broker.port, loop: loop)
    self.loop = loop
    self.broker = broker
    self.viewer = viewer
    folder = try TemporaryFolder()
    try #require(loop.turn { viewer.isReady })
  }

  private func write(_ count: Int, to name: String = "capture.jsonl", step: Int = 10) throws -> String {
    let lines = (0..<count).map { #"{"at":\#($0 * step),"topic":"im/r\#($0 % 3)/gift","payload":[\#($0)]}"# }
    return try folder.write(lines.joined(separator: "\n") + "\n", to: name)
  }

  private func replay(_ words: String...) throws -> Outcome {
    try Livecue.run(["replay", "--broker", "127.0.0.1:\(broker.port)"] + words)
  }

  @Test func everythingIsPublishedInOrderAsFastAsItGoes() throws {
    let outcome = try replay("--speed", "max", try write(3000, step: 3_600_000))
    #expect(outcome.code == 0 && outcome.errors == "", "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("3000 messages replayed in "))
    #expect(loop.turn(within: 10_000) { viewer.messages.count == 3000 })
    #expect(viewer.messages.map(\.payload) == (0..<3000).map { "[\($0)]" })
    #expect(viewer.messages[4].topic == "im/r1/gift")
  }

  @Test func itsOwnRhythmIsKeptAndMadeFaster() throws {
    // Two seconds of capture at ten times their speed: a fifth of one, and not less.
    let start = Livecue.now
    let outcome = try replay("--speed", "10", try write(3, step: 1000))
    #expect(outcome.code == 0)
    #expect(Livecue.now - start >= 200)
    #expect(loop.turn { viewer.messages.count == 3 })
  }

  @Test func aPartIsReplayedIntoAnotherRoom() throws {
    let outcome = try replay("--speed", "max", "--from", "20", "--until", "40", "--room", "x", try write(100))
    #expect(outcome.output.hasPrefix("3 messages"))
    #expect(loop.turn { viewer.messages.count == 3 })
    #expect(viewer.payloads("im/x/gift") == ["[2]", "[3]", "[4]"])
  }

  @Test func aBadLineIsToldAndCostsNoOther() throws {
    let path = try folder.write(
      "{\n\n{\"away\":{\"from\":1,\"to\":2}}\n{\"at\":1,\"topic\":\"im/a/gift\",\"payload\":[1]}",
      to: "bad.jsonl")
    let outcome = try replay("--speed", "max", path, try write(2))
    #expect(outcome.code == 1)
    #expect(outcome.errors.hasPrefix("livecue replay: \(path):1: not a JSON object"), "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("3 messages replayed"))
    #expect(loop.turn { viewer.messages.count == 3 })
  }

  @Test func aFileThatIsNotThereIsToldInItsTurn() throws {
    let outcome = try replay("--speed", "max", try write(2), "/nowhere.jsonl")
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("/nowhere.jsonl: cannot open: No such file or directory"))
  }

  @Test func anEmptyCaptureIsReplayedAtOnce() throws {
    #expect(try replay("--speed", "max", try folder.write("", to: "empty")).output.hasPrefix("0 messages"))
  }

  @Test func whatABrokerThatRestartsHasNotAcknowledgedIsPublishedAgain() throws {
    let replay = try Livecue(
      ["replay", "--speed", "20", "--broker", "127.0.0.1:\(broker.port)", try write(600, step: 100)],
      in: try TemporaryFolder())
    #expect(loop.turn { viewer.messages.count >= 50 })
    try broker.restart()
    #expect(try replay.child.wait(milliseconds: 20_000) == 0, "\(replay.errors)")
    #expect(replay.output.hasPrefix("600 messages replayed"))
    #expect(loop.turn(within: 10_000) { Set(viewer.messages.map(\.payload)).count == 600 })
    var firsts: [String] = []
    for message in viewer.messages where !firsts.contains(message.payload) { firsts.append(message.payload) }
    #expect(firsts == (0..<600).map { "[\($0)]" })
  }

  @Test func itGivesUpOnABrokerThatIsNotThere() throws {
    let port = try findFreePort()
    let outcome = try Livecue.run([
      "replay", "--broker", "127.0.0.1:\(port)", "--timeout", "1", try write(2),
    ])
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("no acknowledgement for 1 s: 0 acknowledged"), "\(outcome.errors)")
  }
}
