import Foundation
import Glibc
import Simulation

/// The executable `store-probe` as a child.
struct Probe {
  private let child = Process()
  private let output = Pipe()

  init(_ arguments: String...) throws {
    // The tests' own executable lies beside the probe.
    let here = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    child.executableURL = here.appendingPathComponent("store-probe")
    child.arguments = arguments
    child.standardOutput = output
    try child.run()
  }

  /// Waits for its end and gives what it printed.
  func finish() -> String {
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until it has printed `bytes` more bytes, then kills it. Gives everything printed.
  func kill(afterBytes bytes: Int) -> String {
    var text = Data()
    while text.count < bytes {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      text += more
    }
    _ = Glibc.kill(child.processIdentifier, SIGKILL)
    text += output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }
}

extension SplitMix {
  /// The seed of this run, which is printed when a test fails: given by LIVECUE_SEED, or a new one.
  static func seed() -> UInt64 {
    ProcessInfo.processInfo.environment["LIVECUE_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0...999_999)
  }
}
