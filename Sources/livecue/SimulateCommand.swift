import Bridge
import CommandLine
import Configuration
import Glibc
import Simulation
import Wire

let simulateCommand = Subcommand(
  name: "simulate", operands: "[FILE…]",
  summary: "Play captured batches through the engine in virtual time and print the commands.",
  details: """
    Reads lines {"at":ms,"topic":T,"payload":…} from files (also .gz) or standard input, and writes the messages that
    the daemon would publish, as such lines, in order. A payload that is no JSON is carried as "base64"; a line
    {"away":{"from":ms,"to":ms}} says that the daemon was away. It ends when the queue is drained. Two runs give the
    same bytes.

      livecue simulate --profile douyin-capture --summary Tests/Captures/douyin-calm.jsonl.gz
    """,
  flags: [
    ConfigurationOptions.config, ConfigurationOptions.profile,
    Flag("until", "MS", "Stop at this instant instead of when the queue is drained."),
    Flag("snapshots", nil, "Print the rooms' snapshots too, beside the commands."),
    Flag("summary", nil, "Print a summary instead of the commands."),
  ],
  operandCount: 0...10_000,
  run: { try SimulateCommand(arguments: $0).run() })

/// Plays the files one after another through one engine.
private final class SimulateCommand {
  private var simulator: Simulator
  private let writer = CaptureWriter(descriptor: STDOUT_FILENO)
  private let paths: [String]
  private let printsSummary: Bool
  private var faults = 0

  init(arguments: Arguments) throws {
    let configuration = try ConfigurationOptions.configuration(arguments)
    let inputs = try ConfigurationOptions.inputs(arguments, of: configuration)
    let until = try arguments.integer("until", in: 0...Int.max)
    simulator = Simulator(
      bridge: try Bridge(configuration: configuration, inputs: inputs), until: until.map(Int64.init))
    simulator.keepsSnapshots = arguments.has("snapshots")
    paths = arguments.operands.isEmpty ? ["-"] : arguments.operands
    printsSummary = arguments.has("summary")
  }

  func run() -> Int32 {
    for path in paths { play(path) }
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
