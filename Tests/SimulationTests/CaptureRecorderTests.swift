import Base
import PrivateBroker
import Simulation
import TestSupport
import Testing
import Wire

@Suite struct CaptureRecorderTests {
  private func add(
    _ recorder: CaptureRecorder, _ at: Instant, _ payload: [UInt8], topic: String = "im/r1/gift"
  ) {
    recorder.add(topic: Array(topic.utf8).span, payload: payload.span, at: at)
  }

  /// The messages of a capture as `at topic payload`, with the payload as it came.
  private func messages(_ path: String) throws -> [String] {
    let file = try CaptureFile(path: path)
    let reader = CaptureLineReader()
    var line: [UInt8] = []
    var found: [String] = []
    while try file.readLine(into: &line) {
      switch try reader.read(line) {
      case .message(let at, let topic, let payload):
        found.append("\(at) \(reader.bytes.string(topic)) \(Array(reader.bytes[payload.range]))")
      case .away(let from, let to): found.append("away \(from) \(to)")
      }
    }
    return found
  }

  private static let payloads: [[UInt8]] = [
    Array(#"[{"sender":"Ann","gift":"rose"}]"#.utf8), Array(#"{"a":{"payload":[1,{}]}}"#.utf8),
    Array("[\n1\n]".utf8), Array("[1]\r".utf8), Array(" [1] ".utf8), Array("{]".utf8), Array("[1]]".utf8),
    Array("\"text\"".utf8), Array("3".utf8), Array("3 ".utf8), [], [0x5B], [0, 0xFF, 0x0A, 0x22],
    [0x5B, 0x22, 0xFF, 0x22, 0x5D], Array(#"["\ud800"]"#.utf8), Array(#"[01]"#.utf8), Array("[1e999]".utf8),
    Array(String(repeating: "[", count: 100).utf8) + Array(String(repeating: "]", count: 100).utf8),
    Array("[\"\u{1F339}\u{2028}\"]".utf8),
  ]

  @Test(arguments: ["capture.jsonl", "capture.jsonl.gz"])
  func everyPayloadIsReadAsTheBytesThatCame(name: String) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(name)"
    let recorder = try CaptureRecorder(path: path)
    var wanted: [String] = []
    for (number, payload) in Self.payloads.enumerated() {
      add(recorder, Int64(number), payload, topic: "im/\u{1F339} \"r\"/gift")
      wanted.append("\(number) im/\u{1F339} \"r\"/gift \(payload)")
    }
    recorder.addAway(from: 100, to: 200)
    wanted.append("away 100 200")
    #expect(recorder.hasUnwritten)
    recorder.flush()
    #expect(!recorder.hasUnwritten && recorder.fault == nil)
    #expect(recorder.linesWritten == wanted.count)
    #expect(try messages(path) == wanted)
  }

  @Test(arguments: ["capture.jsonl", "capture.jsonl.gz"])
  func whatWasFlushedIsWholeWithoutAnEndAndIsAppendedTo(name: String) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(name)"
    let killed = try CaptureRecorder(path: path)
    add(killed, 1, Array("[]".utf8))
    killed.flush()
    add(killed, 2, Array("[]".utf8))
    // A second one goes on where the first was killed, before it wrote the second line.
    let next = try CaptureRecorder(path: path)
    add(next, 3, Array("[]".utf8))
    next.flush()
    #expect(try messages(path) == ["1 im/r1/gift [91, 93]", "3 im/r1/gift [91, 93]"])
    withExtendedLifetime(killed) {}
  }

  @Test func aBrokenLastLineCostsNoOther() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("{\"at\":1,\"top", to: "capture.jsonl")
    let recorder = try CaptureRecorder(path: path)
    add(recorder, 3, Array("[]".utf8))
    recorder.flush()
    #expect(
      folder.read("capture.jsonl")
        == "{\"at\":1,\"top\n{\"at\":3,\"topic\":\"im/r1/gift\",\"payload\":[]}\n")
  }

  @Test func whatCannotBeWrittenIsCountedAndCostsNothingElse() throws {
    let recorder = try CaptureRecorder(path: "/dev/full")
    add(recorder, 1, Array("[]".utf8))
    add(recorder, 2, Array("[]".utf8))
    recorder.flush()
    #expect(recorder.fault == "No space left on device")
    #expect(recorder.linesLost == 2 && recorder.linesWritten == 0)
    #expect(!recorder.hasUnwritten)
  }

  @Test func aFileThatCannotBeMadeIsTold() {
    #expect(throws: CaptureFile.Fault.cannotOpen(path: "/nowhere/x", reason: "No such file or directory")) {
      try CaptureRecorder(path: "/nowhere/x")
    }
  }
}
