import Glibc
import PrivateBroker
import TestSupport
import Testing
import Wire

/// `simulate` beside an independent model of the rules, on random settings and random input.
///
/// The first seed is `LIVECUE_SEED`, or of the time; `LIVECUE_SEEDS` says how many there are.
@Suite struct OracleTests {
  private static let first = number("LIVECUE_SEED") ?? time(nil) % 1_000_000
  private static let count = number("LIVECUE_SEEDS") ?? 40

  @Test func simulateSaysWhatTheModelSays() throws {
    let seeds = OracleTests.first..<OracleTests.first + OracleTests.count
    print("OracleTests: seeds \(seeds.lowerBound) to \(seeds.upperBound - 1)")
    var compared = 0
    for seed in seeds {
      let folder = try TemporaryFolder()
      let oracle = checkoutPath("Tests/Oracle")
      try runProgram(["python3", "\(oracle)/fuzz.py", "--seed", "\(seed)", "--out", folder.path])
      let script = #"cd "$0" && exec python3 "$1" --settings settings.json <input.jsonl >model.jsonl"#
      try runProgram(["sh", "-c", script, folder.path, "\(oracle)/model.py"])
      let ours = try Livecue.run(
        ["simulate", "--config", "settings.json"], in: folder, input: "input.jsonl")
      #expect(ours.code == 0, "seed \(seed): \(ours.errors)")
      let (wanted, found) = (commands(folder.read("model.jsonl")), commands(ours.output))
      compared += found.count
      guard let place = firstDifference(wanted, found) else { continue }
      Issue.record(
        """
        seed \(seed), command \(place + 1); repeat it with LIVECUE_SEED=\(seed) LIVECUE_SEEDS=1
        model: \(place < wanted.count ? wanted[place] : "(no more)")
        ours:  \(place < found.count ? found[place] : "(no more)")
        """)
    }
    #expect(compared > OracleTests.count)
  }

  /// The lines of an output, without the reports of refusals, which the model does not make.
  private func commands(_ output: String) -> [String] {
    output.split(separator: "\n").map(String.init).filter { !$0.contains(#"/rejected","payload":{"#) }
  }

  /// Where two lists of lines differ first as JSON values.
  private func firstDifference(_ wanted: [String], _ found: [String]) -> Int? {
    for place in 0..<max(wanted.count, found.count) {
      guard place < wanted.count, place < found.count else { return place }
      let (one, other) = (json(wanted[place]), json(found[place]))
      if one == nil || one != other { return place }
    }
    return nil
  }

  private func json(_ line: String) -> JSONValue? {
    let bytes = Array(line.utf8)
    do {
      return try JSONValue(bytes.span)
    } catch {
      return nil
    }
  }

  private static func number(_ variable: String) -> Int? {
    unsafe getenv(variable).flatMap { unsafe Int(String(cString: $0)) }
  }
}
