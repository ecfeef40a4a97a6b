import CLinux
import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The built program, run as a child.
final class Livecue {
  /// Where its files are; it runs there.
  let folder: TemporaryFolder
  let child: ChildProcess

  /// Starts `livecue` with arguments. `input` is the name of a file of the folder; `wrapper` are words of a
  /// program that runs it.
  init(
    _ arguments: [String], in folder: TemporaryFolder, input: String = "/dev/null",
    wrappedBy wrapper: [String] = []
  ) throws {
    self.folder = folder
    // Both outputs apart, and nothing of the shell left: signals reach the program itself.
    let script = #"cd "$0" && exec "$@" <"$INPUT" >>output 2>>errors"#
    let words =
      ["env", "INPUT=\(input)", "sh", "-c", script, folder.path] + wrapper
      + [try Livecue.path()] + arguments
    try folder.write("", to: "output")
    try folder.write("", to: "errors")
    child = try ChildProcess(words)
  }

  /// What it wrote to standard output so far.
  var output: String { folder.read("output") }
  /// What it wrote to standard error so far.
  var errors: String { folder.read("errors") }

  /// Runs it to its end.
  static func run(
    _ arguments: [String], in folder: TemporaryFolder? = nil, input: String = "/dev/null",
    wrappedBy wrapper: [String] = [], milliseconds: Int64 = 20_000
  ) throws -> Outcome {
    let livecue = try Livecue(
      arguments, in: try folder ?? TemporaryFolder(), input: input, wrappedBy: wrapper)
    let code = try livecue.child.wait(milliseconds: milliseconds)
    return Outcome(code: code, output: livecue.output, errors: livecue.errors)
  }

  /// Ends it with a signal. Returns the exit code, and how long that took.
  func end(_ signal: Int32 = SIGTERM) throws -> (code: Int32, milliseconds: Int64) {
    let start = Livecue.now
    child.send(signal)
    let code = try child.wait(milliseconds: 10_000)
    return (code, Livecue.now - start)
  }

  /// Waits until one of its outputs satisfies a condition.
  func await(_ name: String = "output", until holds: (String) -> Bool) throws -> Bool {
    try awaitFile(name, in: folder, until: holds)
  }

  /// Its resident memory in KiB.
  var residentKilobytes: Int {
    let status = String(decoding: readBytes("/proc/\(child.id)/status"), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
  }

  /// The program lies beside the bundle of the tests, which runs now.
  static func path() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    let folder = String(decoding: bytes, as: UTF8.self).split(separator: "/").dropLast().joined(
      separator: "/")
    for candidate in ["/\(folder)/livecue", checkoutPath(".build/debug/livecue")] {
      if unsafe access(candidate, X_OK) == 0 { return candidate }
    }
    throw ProcessFault("livecue is not built: it is not in /\(folder)")
  }

  static var now: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// No test listens on a fixed port.
let noMetrics = "metrics: {listen: '', statsSeconds: 0}"

/// How a run ended.
struct Outcome: Equatable {
  var code: Int32
  var output: String
  var errors: String
}

/// Waits until the text of a file satisfies a condition; the kernel tells each change to it.
func awaitFile(
  _ name: String, in folder: TemporaryFolder, milliseconds: Int64 = 15_000, until holds: (String) -> Bool
) throws -> Bool {
  let watcher = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
  guard watcher >= 0 else { throw ProcessFault("inotify_init1") }
  defer { close(watcher) }
  guard unsafe inotify_add_watch(watcher, "\(folder.path)/\(name)", UInt32(IN_MODIFY)) >= 0 else {
    throw ProcessFault("inotify_add_watch")
  }
  var buffer = [UInt8](repeating: 0, count: 4096)
  let deadline = Livecue.now + milliseconds
  while !holds(folder.read(name)) {
    var watch = pollfd(fd: watcher, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&watch, 1, Int32(max(0, deadline - Livecue.now))) == 1 else { return false }
    while unsafe read(watcher, &buffer, buffer.count) > 0 {}
  }
  return true
}
