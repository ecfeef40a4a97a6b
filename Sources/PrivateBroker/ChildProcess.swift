import CLinux
import Glibc

/// A program that we started, and that ends with us: killed when it is let go, and also when our own process
/// dies.
public final class ChildProcess {
  /// Its process id.
  public let id: Int32
  private let idDescriptor: Int32
  private var status: Int32?
  private var guardian: (id: pid_t, lifeline: Int32)?

  /// Starts a program that is looked up in PATH. Both outputs go to the end of `output`.
  public init(_ arguments: [String], output: String = "/dev/null") throws(ProcessFault) {
    id = try Self.spawn(arguments, input: nil, output: output)
    idDescriptor = pidfd_open(id, 0)
    guard idDescriptor >= 0 else { throw .call("pidfd_open") }
    try startGuardian()
  }

  deinit {
    if status == nil {
      send(SIGKILL)
      do throws(ProcessFault) {
        try wait(milliseconds: 10_000)
      } catch {
        // Killed and not gone: it hangs in the kernel. Nobody is left to tell, and the guardian goes with us.
      }
    }
    close(idDescriptor)
  }

  /// A descriptor that becomes readable when it has ended.
  public var endDescriptor: Int32 { idDescriptor }

  /// True if it has ended; `wait` returns at once then.
  public var hasEnded: Bool {
    if status != nil { return true }
    var watch = pollfd(fd: idDescriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&watch, 1, 0) == 1
  }

  /// Sends it a signal, if it has not ended.
  public func send(_ signal: Int32) {
    if status == nil { kill(id, signal) }
  }

  /// Waits for its end; returns the exit code, or 128 and the signal.
  @discardableResult
  public func wait(milliseconds: Int64) throws(ProcessFault) -> Int32 {
    if let status { return status }
    var watch = pollfd(fd: idDescriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&watch, 1, Int32(milliseconds)) == 1 else {
      throw ProcessFault("process \(id) has not ended within \(milliseconds) ms")
    }
    var raw: Int32 = 0
    guard unsafe waitpid(id, &raw, 0) == id else { throw .call("waitpid") }
    let ended = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    status = ended
    dismissGuardian()
    return ended
  }

  /// A shell that kills the child when its input ends without a line: when our process is gone.
  private func startGuardian() throws(ProcessFault) {
    var ends: [Int32] = [-1, -1]
    // Not a pipe: other children are started meanwhile, and none of them may get hold of our end.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .call("socketpair") }
    defer { close(ends[0]) }
    let script = "read line || kill -9 \(id)"
    do throws(ProcessFault) {
      guardian = (try Self.spawn(["sh", "-c", script], input: ends[0], output: "/dev/null"), ends[1])
    } catch {
      close(ends[1])
      throw error
    }
  }

  private func dismissGuardian() {
    guard let guardian else { return }
    _ = unsafe Glibc.write(guardian.lifeline, "\n", 1)
    close(guardian.lifeline)
    _ = waitpid(guardian.id, nil, 0)
    self.guardian = nil
  }

  // Looked up once: another thread may change the environment while this one starts a program.
  private static let searchPath = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"

  private static func spawn(
    _ arguments: [String], input: Int32?, output: String
  ) throws(ProcessFault) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input { unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    unsafe posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // A loop under test may have blocked signals in this thread; the child must hear SIGTERM all the same.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var variables = unsafe [strdup("PATH=\(searchPath)"), nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var id: pid_t = 0
    let code = unsafe posix_spawnp(&id, arguments[0], &actions, &attributes, &words, &variables)
    guard code == 0 else { throw ProcessFault("cannot start \(arguments[0]): \(code)") }
    return id
  }
}

/// Runs a program to its end. Throws with its output if it takes too long or fails.
public func runProgram(_ arguments: [String], milliseconds: Int64 = 10_000) throws(ProcessFault) {
  let folder = try TemporaryFolder()
  let child = try ChildProcess(arguments, output: "\(folder.path)/output")
  let code = try child.wait(milliseconds: milliseconds)
  guard code == 0 else {
    throw ProcessFault("\(arguments.joined(separator: " ")) ended with \(code): \(folder.read("output"))")
  }
}
