import Glibc
import Synchronization

/// For the project's own proof only: the daemon ends itself at a chosen point, or breaks its promise on
/// purpose, so that the tests of the promise can be seen to fail.
///
/// LIVECUE_TRIAL is a list of words with commas between them. `commit:17` ends the process with SIGKILL when
/// it passes the point `commit` for the 17th time; `acknowledge-early`, `forget-redelivery` and `trap` are
/// faults. Without the variable a point costs a comparison.
final class Trial: Sendable {
  /// Where a process may end itself.
  enum Point: String, CaseIterable {
    /// Messages were read, and are not recorded.
    case read
    /// They are recorded, and not acknowledged.
    case commit
    /// They are acknowledged, and not handled.
    case acknowledgement
    /// A message of ours was handed to the library, and is perhaps not sent.
    case publish
    /// The broker has taken a message of ours, and that is not recorded.
    case confirmation
    /// A piece of the state is to be saved.
    case snapshot
    /// A command of a row that is handled again is to be published.
    case recovery
  }

  /// How the promise may be broken.
  enum Fault: String, CaseIterable {
    /// What was read is acknowledged before it is recorded.
    case acknowledgeEarly = "acknowledge-early"
    /// What the broker sends again is taken for new.
    case forgetRedelivery = "forget-redelivery"
    /// To handle a message that holds the text `livecue-trap` ends the process.
    case trap
  }

  /// A word of LIVECUE_TRIAL that means nothing.
  struct Unknown: Error, CustomStringConvertible {
    let word: String

    var description: String {
      let points = Point.allCases.map { "\($0.rawValue):N" }
      let known = (points + Fault.allCases.map(\.rawValue)).joined(separator: ", ")
      return "LIVECUE_TRIAL has \"\(word)\": expected \(known)"
    }
  }

  private let point: Point?
  /// Passings that are left until the end.
  private let remaining: Atomic<Int>
  private let faults: [Fault]

  private static let current = Result { () throws(Unknown) in try Trial.ofEnvironment() }

  /// A trial of what the words ask for.
  init(_ text: String) throws(Unknown) {
    var point: Point?
    var passings = 0
    var faults: [Fault] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      if let fault = Fault(rawValue: String(word)) {
        faults.append(fault)
      } else if parts.count == 2, let named = Point(rawValue: String(parts[0])), let number = Int(parts[1]),
        number > 0, point == nil
      {
        point = named
        passings = number
      } else {
        throw Unknown(word: String(word))
      }
    }
    self.point = point
    self.faults = faults
    remaining = Atomic(passings)
  }

  /// Throws if the environment asks for what there is not. Returns what is tried, for the log; nil: nothing.
  static func check() throws(Unknown) -> String? {
    try current.get().map { trial in
      let point = trial.point.map { ["ends at \($0.rawValue)"] } ?? []
      return (point + trial.faults.map(\.rawValue)).joined(separator: ", ")
    }
  }

  /// The process passes a point; perhaps it is the last thing that it does.
  static func pass(_ point: Point) {
    guard case .success(let trial?) = current, trial.point == point else { return }
    guard trial.remaining.subtract(1, ordering: .relaxed).newValue == 0 else { return }
    kill(getpid(), SIGKILL)
  }

  /// True if the promise is to be broken in this way.
  static func has(_ fault: Fault) -> Bool {
    guard case .success(let trial?) = current else { return false }
    return trial.faults.contains(fault)
  }

  /// A message is handled; perhaps it is one that no process survives.
  static func handle(_ payload: Span<UInt8>) {
    guard has(.trap) else { return }
    let text = Array("livecue-trap".utf8)
    guard payload.count >= text.count else { return }
    for start in 0...payload.count - text.count {
      if text.indices.allSatisfy({ payload[start + $0] == text[$0] }) { kill(getpid(), SIGKILL) }
    }
  }

  private static func ofEnvironment() throws(Unknown) -> Trial? {
    guard let text = unsafe getenv("LIVECUE_TRIAL") else { return nil }
    return try Trial(unsafe String(cString: text))
  }
}
