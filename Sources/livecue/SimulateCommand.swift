import Bridge
import CommandLine
import Configuration
import Glibc
import Inquiry
import Simulation
import Store
import Wire

let simulateCommand = Subcommand(
  name: "simulate", operands: "[FILE…]",
  summary: "Play captured batches or a journal through the engine in virtual time and print the commands.",
  details: """
    Reads lines {"at":ms,"topic":T,"payload":…} from files (also .gz) or standard input, and writes the messages that
    the daemon would publish, as such lines, in order. A payload that is no JSON is carried as "base64"; a line
    {"away":{"from":ms,"to":ms}} says that the daemon was away. It ends when the queue is drained. Two runs give the
    same bytes.

    With --journal it plays what a daemon recorded: from row 1, or where the journal has been cut from the saved state
    on, under the configurations that were in force, and gives the bytes that the daemon published. What was still to
    come at the last row is played on; beside a daemon that is busy, play a backup.

      livecue simulate --profile douyin-capture --summary Tests/Captures/douyin-calm.jsonl.gz
      livecue simulate --journal /var/lib/livecue
    """,
  flags: [
    ConfigurationOptions.config, ConfigurationOptions.profile,
    Flag("journal", "DIR|FILE", "Play the journal of a state directory or a store file instead of captures."),
    Flag("until", "MS", "Stop at this instant instead of when the queue is drained."),
    Flag("snapshots", nil, "Print the rooms' snapshots too, beside the commands."),
    Flag("summary", nil, "Print a summary instead of the commands."),
  ],
  operandCount: 0...10_000,
  run: { arguments in
    guard let journal = arguments.string("journal") else {
      return try SimulateCommand(arguments: arguments).run()
    }
    guard arguments.operands.isEmpty, !arguments.has("config"), !arguments.has("profile") else {
      throw UsageError(
        "--journal brings its own configuration and input: expected no FILE, --config and --profile")
    }
    return try SimulateCommand(arguments: arguments).run(journal: journal)
  })

/// Plays the files one after another through one engine.
private final class SimulateCommand {
  private var simulator: Simulator
  private let until: Int64?
  private let writer = CaptureWriter(descriptor: STDOUT_FILENO)
  private let paths: [String]
  private let printsSummary: Bool
  private var faults = 0

  init(arguments: Arguments) throws {
    let configuration = try ConfigurationOptions.configuration(arguments)
    let inputs = try ConfigurationOptions.inputs(arguments, of: configuration)
    until = try arguments.integer("until", in: 0...Int.max).map(Int64.init)
    simulator = Simulator(bridge: try Bridge(configuration: configuration, inputs: inputs), until: until)
    simulator.keepsSnapshots = arguments.has("snapshots")
    paths = arguments.operands.isEmpty ? ["-"] : arguments.operands
    printsSummary = arguments.has("summary")
  }

  func run() -> Int32 {
    for path in paths { play(path) }
    return finish()
  }

  func run(journal path: String) throws -> Int32 {
    let store = try StoreOptions.open(path)
    try JournalStart.replay(store) { start in
      simulator = Simulator(bridge: start.bridge, until: until)
    } _: { row, topic, payload in
      try simulator.play(row, topic: topic, payload: payload) { if !printsSummary { writer.add($0) } }
    }
    return finish()
  }

  private func finish() -> Int32 {
    simulator.finish { if !printsSummary { writer.add($0) } }
    writer.flush()
    if let fault = writer.fault {
      Terminal.writeError("livecue simulate: cannot write: \(fault)\n")
      return ExitStatus.failed
    }
    if printsSummary { Terminal.write(simulator.summary.page) }
    guard simulator.summary.conserves else {
      Terminal.writeError("livecue simulate: the conservation law is broken; this is a bug\n")
      return ExitStatus.failed
    }
    return faults == 0 ? ExitStatus.fine : ExitStatus.failed
  }

  /// A line that cannot be read is told and costs no other.
  private func play(_ path: String) {
    do throws(CaptureFile.Fault) {
      let file = try CaptureFile(path: path)
      var line: [UInt8] = []
      while try file.readLine(into: &line) {
        guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { continue }
        play(line, of: file)
      }
    } catch {
      Terminal.writeError("livecue simulate: \(error.message)\n")
      faults += 1
    }
  }

  private func play(_ line: [UInt8], of file: CaptureFile) {
    do throws(CaptureLineFault) {
      try simulator.play(line) { if !printsSummary { writer.add($0) } }
    } catch {
      Terminal.writeError("livecue simulate: \(file.path):\(file.lineNumber): \(error.message)\n")
      faults += 1
    }
  }
}
