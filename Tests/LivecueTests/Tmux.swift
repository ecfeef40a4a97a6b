import PrivateBroker
import TestSupport
import Testing

/// A terminal of one's own: a tmux server with one window, and what is to be seen in it.
final class Tmux {
  /// Where its socket is, and the files that a script in it writes.
  let folder: TemporaryFolder
  private let server: ChildProcess

  /// Starts a window of a size that runs a script of a shell in the folder.
  init(columns: Int, rows: Int, _ script: String) throws {
    folder = try TemporaryFolder()
    try folder.write("", to: "pane")
    try folder.write(script, to: "script")
    try folder.write("set -g default-terminal tmux-256color\n", to: "tmux.conf")
    // In the foreground, so that it is gone when it is let go.
    server = try ChildProcess(
      ["tmux", "-u", "-D", "-S", "\(folder.path)/socket", "-f", "\(folder.path)/tmux.conf"])
    // Nothing runs before its output is followed.
    let start = "cd \(folder.path) && read line && exec sh script"
    try begin(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", start])
    try tell("pipe-pane", "-O", "cat >>\(folder.path)/pane")
    try press("Enter")
  }

  /// Presses keys, by tmux's names for them.
  func press(_ keys: String...) throws { try tell(["send-keys"] + keys) }

  /// Gives the terminal another size.
  func resize(columns: Int, rows: Int) throws {
    try tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// The rows of the screen, without the blanks at their ends. `isColored`: with the escape sequences of its
  /// styles.
  func screen(isColored: Bool = false) throws -> [String] {
    let text = try ask(["capture-pane", "-p"] + (isColored ? ["-e"] : []))
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// A figure of the pane by tmux's format.
  func figure(_ format: String) throws -> String {
    try ask(["display-message", "-p", format]).split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Waits until the screen satisfies a condition; looks after each output of the program. Returns the
  /// screen.
  @discardableResult
  func await(
    milliseconds: Int64 = 20_000, _ holds: @escaping ([String]) throws -> Bool
  ) throws -> [String] {
    var seen: [String] = []
    var fault: (any Error)?
    let isThere = try awaitFile("pane", in: folder, milliseconds: milliseconds) { _ in
      do {
        seen = try screen()
        return try holds(seen)
      } catch {
        fault = error
        return true
      }
    }
    if let fault { throw fault }
    try #require(isThere, "\(seen.joined(separator: "\n"))")
    return seen
  }

  private func tell(_ words: String...) throws { try tell(words) }

  private func tell(_ words: [String]) throws {
    try runProgram(["tmux", "-S", "\(folder.path)/socket"] + words)
  }

  private func ask(_ words: [String]) throws -> String {
    try folder.write("", to: "answer")
    let script = #"exec tmux -u -S "$0/socket" "$@" >"$0/answer""#
    try runProgram(["sh", "-c", script, folder.path] + words)
    return folder.read("answer")
  }

  /// Makes the session. Nothing tells when the server listens, but that it answers.
  private func begin(_ words: [String]) throws {
    let deadline = Livecue.now + 10_000
    while true {
      do throws(ProcessFault) {
        return try runProgram(["tmux", "-N", "-S", "\(folder.path)/socket"] + words)
      } catch {
        guard Livecue.now < deadline else { throw error }
      }
    }
  }
}
