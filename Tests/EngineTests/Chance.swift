import Foundation

/// A generator whose whole future is its seed (SplitMix64).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

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
