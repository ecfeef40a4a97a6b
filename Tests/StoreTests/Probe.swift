import Foundation
import Glibc

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

/// A generator whose seed is printed when a test fails.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// The seed of this run: given by `STORE_SEED`, or a new one.
  static func seed() -> UInt64 {
    ProcessInfo.processInfo.environment["STORE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...999_999)
  }
}
