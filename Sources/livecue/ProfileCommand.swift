import Base
import CommandLine
import Configuration
import Glibc
import Wire

let profileCommand = Subcommand(
  name: "profile", operands: "test FILE",
  summary: "Show what a profile makes of a payload, element by element, and why not.",
  details: """
    Reads one payload from standard input, as it would come by MQTT, and prints for each element the event that the
    profile makes of it in the native format, which case of the profile drops it and why, or why it is refused. FILE is
    a profile file, or the name of one in config/profiles. Exit status: 0 if nothing was refused, 1 if something was, or
    if the profile itself has mistakes, which are told with line and column.

      livecue profile test config/profiles/tiktok.yaml <payload.json
    """,
  flags: [
    Flag("kind", "KIND", "What the topic says that every event is.", choices: EventKind.allCases.map(\.name)),
    Flag("json", nil, "Print JSON, a line each."),
  ],
  operandCount: 2...2,
  run: { arguments in
    guard arguments.operands[0] == "test" else {
      throw UsageError("no \"\(arguments.operands[0])\": expected test FILE")
    }
    var kind: EventKind?
    if let name = arguments.string("kind") {
      kind = EventKind.allCases.first { $0.name == name }
      if kind == nil {
        throw UsageError("--kind is \"\(name)\": expected one of gift, comment, like, remove")
      }
    }
    do {
      let profile = try ConfigurationOptions.profile(named: arguments.operands[1])
      return try ProfileTrial(profile, kind: kind).run(asJSON: arguments.has("json"))
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

/// One payload read by a profile.
private struct ProfileTrial {
  /// A line of the answer.
  struct Line {
    var index: Int?
    var text: String
    var json: String
  }

  private var decoder = BatchDecoder()
  private let input: DecoderInput
  private var batch = EventBatch()
  private var rejections: [Rejection] = []

  init(_ profile: Profile, kind: EventKind?) {
    input = DecoderInput(source: 0, kind: kind, profile: CompiledProfile(profile))
  }

  mutating func runAll(_ payload: [UInt8]) -> [Line] {
    decoder.decode(
      payload.span, input: input, limits: RoomLimits(), into: &batch, rejections: &rejections)
    var lines = rejections.map { line(of: $0) } + batch.events.map { line(of: $0) }
    for outcome in decoder.outcomes {
      if case .dropped(let why) = outcome.result {
        lines.append(
          Line(
            index: outcome.index, text: "dropped by cases[\(outcome.caseIndex)]: \(why)",
            json: "\"case\":\(outcome.caseIndex),\"dropped\":\(quoted(why))"))
      }
    }
    // Of one element in the order of its events; sorting keeps no order of its own.
    return lines.enumerated().sorted {
      ($0.element.index ?? -1, $0.offset) < ($1.element.index ?? -1, $1.offset)
    }
    .map(\.element)
  }

  func run(asJSON: Bool) throws -> Int32 {
    var trial = self
    guard let payload = ProfileTrial.standardInput(limit: RoomLimits().maxBatchBytes) else {
      Terminal.writeError("livecue profile: cannot read standard input\n")
      return ExitStatus.failed
    }
    for line in trial.runAll(payload) {
      if asJSON {
        let index = line.index.map { "\"index\":\($0)," } ?? ""
        Terminal.write("{\(index)\(line.json)}\n")
      } else {
        Terminal.write("\(line.index.map { "element \($0)" } ?? "payload"): \(line.text)\n")
      }
    }
    return trial.rejections.isEmpty ? ExitStatus.fine : ExitStatus.failed
  }

  private func line(of rejection: Rejection) -> Line {
    Line(
      index: rejection.index, text: "refused, \(rejection.reason.rawValue): \(rejection.detail)",
      json: "\"refused\":\"\(rejection.reason.rawValue)\",\"detail\":\(quoted("\(rejection.detail)"))")
  }

  private func line(of event: Event) -> Line {
    var bytes: [UInt8] = []
    batch.append(event, to: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    return Line(index: event.index, text: text, json: "\"event\":\(text)")
  }

  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONWriter.append(string: Array(text.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All of standard input, or a byte more than the limit, which the decoder refuses.
  private static func standardInput(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= limit {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      }
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      bytes.append(contentsOf: chunk[..<count])
    }
    return bytes
  }
}
