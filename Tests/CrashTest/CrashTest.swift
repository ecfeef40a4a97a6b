import Glibc
import PrivateBroker

/// Kills the daemon again and again while gifts come in, counts what is shown, and compares it with what
/// `simulate --journal` makes of the journal: `crash-test [KILLS [SEED]]`. With `cut` as the last word the
/// journal is cut behind each snapshot, and there is nothing to compare with. `crash-test prove` shows that a
/// daemon that breaks its promise is caught.
@main
enum CrashTest {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    do {
      var words = Array(CommandLine.arguments.dropFirst())
      let program = try livecuePath()
      if words.first == "prove" {
        exit(try prove(program) ? 0 : 1)
      }
      var plan = Play.Plan()
      plan.keepsJournal = words.last != "cut"
      if !plan.keepsJournal { words.removeLast() }
      let numbers = words.map { UInt64($0) }
      guard numbers.count <= 2, numbers.allSatisfy({ $0 != nil }), numbers.first != 0 else {
        print("usage: crash-test [KILLS [SEED]] [cut] | crash-test prove")
        exit(2)
      }
      if let kills = numbers.first ?? nil { plan.kills = Int(clamping: kills) }
      plan.seed = numbers.count == 2 ? numbers[1] ?? 1 : UInt64.random(in: 1...999_999)
      exit(try run(plan, program) ? 0 : 1)
    } catch {
      print("crash-test: \(error)")
      exit(1)
    }
  }

  private static func run(_ plan: Play.Plan, _ program: String) throws -> Bool {
    print("seed \(plan.seed): again with make crash-test KILLS=\(plan.kills) SEED=\(plan.seed)")
    // A pipe gets it now, too: the run may hang.
    fflush(nil)
    let play = try Play(plan, program: program)
    try play.run()
    let verdict = try Verdict(of: play, program: program)
    print(Report.page(of: play, verdict), terminator: "")
    print(verdict.faults.isEmpty ? "good" : "BAD: \(verdict.faults.count) differences")
    return verdict.faults.isEmpty
  }

  /// A harness that cannot fail proves nothing: each fault must be seen for what it is.
  private static func prove(_ program: String) throws -> Bool {
    var plan = Play.Plan(
      kills: 8, seed: 1, points: [("read", 20)], fault: "acknowledge-early", hasUpsets: false)
    let early = try caught(plan, program) { $0.lost > 0 }
    plan.points = [("commit", 20)]
    plan.fault = "forget-redelivery"
    let forgotten = try caught(plan, program) { $0.twice > 0 }
    return early && forgotten
  }

  private static func caught(
    _ plan: Play.Plan, _ program: String, _ isSeen: (Verdict) -> Bool
  ) throws -> Bool {
    let play = try Play(plan, program: program)
    try play.run()
    let verdict = try Verdict(of: play, program: program)
    let seen = isSeen(verdict)
    print(
      "\(plan.fault ?? ""): \(verdict.lost) lost, \(verdict.twice) twice: \(seen ? "caught" : "NOT CAUGHT")")
    return seen
  }

  /// livecue lies beside this program.
  private static func livecuePath() throws -> String {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { throw ProcessFault("no /proc") }
    defer { unsafe free(own) }
    let folder = unsafe String(cString: own).split(separator: "/").dropLast().joined(separator: "/")
    let path = "/\(folder)/livecue"
    guard unsafe access(path, X_OK) == 0 else { throw ProcessFault("\(path) is not built") }
    return path
  }
}
