import Base
import CLinux
import EventLoop
import Glibc
import PrivateBroker
import TestSupport

/// The daemon: a child that is started again and again, and what it says.
final class Victim {
  /// From the start of a child until it subscribed, in milliseconds.
  private(set) var recoveries: [Int64] = []
  /// The most rows that one handled again, and how long after its start it had done so.
  private(set) var longestReplay = (rows: 0, milliseconds: Int64(0))
  /// Times that it was started.
  private(set) var starts = 0
  /// Messages that it recognised as redelivered.
  private(set) var redelivered = 0
  /// Times that it told the loss of its session.
  private(set) var sessionsLost = 0
  /// The errors that it told, and each end that was none of ours.
  private var errors: [String] = []
  /// True if there is no child.
  private(set) var hasEnded = true
  /// True if the child of now has subscribed.
  private(set) var isSubscribed = false
  /// What it said last.
  private(set) var lastLine = ""

  private let program: String
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private var child: ChildProcess?
  private var startedAt: Instant = 0
  private let log: Int32
  private let watcher: Int32
  private var unfinished: [UInt8] = []

  /// `program` is livecue; its configuration is livecue.yaml in the folder.
  init(_ program: String, in folder: TemporaryFolder, loop: EventLoop) throws {
    self.program = program
    self.folder = folder
    self.loop = loop
    try folder.write("", to: "log")
    log = unsafe open("\(folder.path)/log", O_RDONLY | O_CLOEXEC)
    watcher = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard log >= 0, watcher >= 0 else { throw ProcessFault("the log cannot be watched") }
    guard unsafe inotify_add_watch(watcher, "\(folder.path)/log", UInt32(IN_MODIFY)) >= 0 else {
      throw ProcessFault("inotify_add_watch")
    }
    try loop.register(watcher, for: .read) { [unowned self] _ in readLog() }
  }

  deinit {
    loop.unregister(watcher)
    close(watcher)
    close(log)
    if let child { loop.unregister(child.endDescriptor) }
  }

  /// Starts a child. `trial` is what it is to do to itself.
  func start(trial: [String]) throws {
    precondition(hasEnded, "there is a child")
    let variables = trial.isEmpty ? [] : ["LIVECUE_TRIAL=\(trial.joined(separator: ","))"]
    hasEnded = false
    isSubscribed = false
    starts += 1
    startedAt = loop.clock.now
    let words = ["env"] + variables + [program, "run", "--config", "\(folder.path)/livecue.yaml"]
    let child = try ChildProcess(words, output: "\(folder.path)/log")
    try loop.register(child.endDescriptor, for: .read) { [unowned self] _ in childEnded() }
    self.child = child
  }

  /// Ends the child with a signal. Returns its exit code, or 128 and the signal that ended it.
  @discardableResult
  func end(_ signal: Int32) throws -> Int32 {
    guard let child else { return 0 }
    child.send(signal)
    // The relay is of our thread, and a daemon that stops needs it.
    guard loop.turn(within: 5000, until: { [unowned self] in hasEnded }) else {
      throw ProcessFault("the daemon has not ended 5 s after signal \(signal)")
    }
    return try child.wait(milliseconds: 0)
  }

  /// The errors that it told, without those that hold one of the texts.
  func errors(allowing texts: [String]) -> [String] {
    errors.filter { error in !texts.contains { error.contains($0) } }
  }

  private func childEnded() {
    guard let child else { return }
    loop.unregister(child.endDescriptor)
    do throws(ProcessFault) {
      let code = try child.wait(milliseconds: 0)
      if code != 0 && code != 128 + SIGKILL { errors.append("it ended with \(code)") }
    } catch {
      errors.append("\(error)")
    }
    readLog()
    self.child = nil
    hasEnded = true
  }

  private func readLog() {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while unsafe read(watcher, &piece, piece.count) > 0 {}
    while true {
      let count = unsafe read(log, &piece, piece.count)
      guard count > 0 else { break }
      unfinished += piece[..<count]
    }
    while let end = unfinished.firstIndex(of: UInt8(ascii: "\n")) {
      hear(String(decoding: unfinished[..<end], as: UTF8.self))
      unfinished.removeFirst(end + 1)
    }
  }

  private func hear(_ line: String) {
    lastLine = line
    if line.contains(" notice subscribed ") {
      if !isSubscribed { recoveries.append(loop.clock.now - startedAt) }
      isSubscribed = true
    } else if line.contains(" notice recovered ") {
      let rows = Victim.number("rows", in: line) ?? 0
      if rows > longestReplay.rows { longestReplay = (rows, loop.clock.now - startedAt) }
    } else if line.contains("the broker sent again") {
      redelivered += Victim.number("messages", in: line) ?? 0
    }
    if line.contains("the broker lost our session") { sessionsLost += 1 }
    if line.contains(" error ") || line.hasPrefix("livecue") || line.contains("Fatal") {
      errors.append(line)
    }
  }

  /// A number of a line of the log.
  static func number(_ name: String, in line: String) -> Int? {
    line.split(separator: " ").first { $0.hasPrefix("\(name)=") }.flatMap {
      Int($0.dropFirst(name.count + 1))
    }
  }
}
