import Glibc
import PrivateBroker
import TestSupport
import Testing

/// `simulate` beside an independent model of the rules, on random settings and random input (Tests/Oracle).
///
/// The first seed is `LIVECUE_SEED`, or of the time; `LIVECUE_SEEDS` says how many there are.
@Suite struct OracleTests {
  private static let first = number("LIVECUE_SEED") ?? time(nil) % 1_000_000
  private static let count = number("LIVECUE_SEEDS") ?? 30

  @Test func simulateSaysWhatTheModelSays() throws {
    let (first, count) = (OracleTests.first, OracleTests.count)
    print("OracleTests: seeds \(first) to \(first + count - 1)")
    let folder = try TemporaryFolder()
    let script = #"cd "$0" && exec python3 "$@" >found 2>&1"#
    let child = try ChildProcess([
      "sh", "-c", script, folder.path, checkoutPath("Tests/Oracle/compare.py"), "--program",
      try Livecue.path(), "--first", "\(first)", "--seeds", "\(count)",
    ])
    let code = try child.wait(milliseconds: 60_000 + 1_000 * Int64(count))
    let found = folder.read("found")
    #expect(code == 0, "repeat it with LIVECUE_SEED=<seed> LIVECUE_SEEDS=1\n\(found)")
    #expect(found.contains(" lines compared, 0 seeds differ"))
  }

  private static func number(_ variable: String) -> Int? {
    unsafe getenv(variable).flatMap { unsafe Int(String(cString: $0)) }
  }
}
