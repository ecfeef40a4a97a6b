import Foundation
import Simulation

/// A generator whose whole future is its seed.
struct Chance: RandomNumberGenerator {
  private var generator: SplitMix

  init(seed: UInt64) { generator = SplitMix(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  /// One of several.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: choices.indices, using: &self)]
  }

  /// True once in `times`.
  mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

  /// The seeds of a property: 1 … `count`, or by the environment variables LIVECUE_SEED that one, or
  /// LIVECUE_SEEDS so many times as many.
  static func seeds(_ count: UInt64) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["LIVECUE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let times = environment["LIVECUE_SEEDS"].flatMap { UInt64($0) } ?? 1
    return Array(1...max(1, count * times))
  }

  /// What a failure says.
  static func howToRepeat(_ seed: UInt64, _ test: String = #function) -> String {
    "seed \(seed); repeat with: LIVECUE_SEED=\(seed) swift test --filter \(test.prefix { $0 != "(" })"
  }
}
