import CLinux
import Glibc

/// A real mosquitto of one's own, for the demo and the tests: on a free loopback port, in a temporary folder,
/// gone when it is let go.
public final class PrivateBroker {
  /// How the broker is set up. The defaults are the settings that LiveCue recommends.
  public struct Options: Sendable {
    /// Bytes of the largest packet that it takes.
    public var maxPacketBytes = 4 << 20
    /// Messages that may be unacknowledged in each direction.
    public var maxInflightMessages = 500
    /// Users and their passwords; with none, everyone may connect.
    public var users: [(name: String, password: String)] = []
    /// Lines of an access list (`acl_file`); nil: everything is allowed.
    public var accessList: String?
    /// True: without the settings that LiveCue recommends, for a test of others in `extraLines`.
    public var isBare = false
    /// Lines at the end of the configuration. `{folder}` becomes the path of the broker's folder.
    public var extraLines: [String] = []
    /// Files to write into the folder first: name and text.
    public var files: [(name: String, text: String)] = []

    /// The defaults.
    public init() {}
  }

  /// Where it listens, on 127.0.0.1; the same after a restart.
  public private(set) var port: UInt16 = 0
  /// Its folder: configuration, database, log.
  public let folder: TemporaryFolder
  private let options: Options
  private var child: ChildProcess?

  private static let logName = "broker.log"
  private static let startMilliseconds: Int64 = 10_000
  private static let stopMilliseconds: Int64 = 10_000
  private static let signalMilliseconds: Int64 = 1000

  /// Starts a broker, and returns when it listens.
  public init(_ options: Options = Options()) throws(ProcessFault) {
    folder = try TemporaryFolder()
    self.options = options
    for file in options.files { try folder.write(file.text, to: file.name) }
    for (index, user) in options.users.enumerated() {
      let create = index == 0 ? ["-c"] : []
      try runProgram(
        ["mosquitto_passwd"] + create + ["-b", "\(folder.path)/passwords", user.name, user.password])
    }
    // Someone else may take the port between our look and the broker's.
    for remaining in (0..<5).reversed() {
      port = try findFreePort()
      try writeConfiguration()
      do throws(ProcessFault) {
        try start()
        return
      } catch {
        guard remaining > 0 && log.contains("Address already in use") else { throw error }
      }
    }
  }

  /// What it wrote to its log so far.
  public var log: String { folder.read(Self.logName) }

  /// True while it has not been stopped.
  public var isRunning: Bool { child != nil }

  /// Starts it again where it was, and returns when it listens.
  public func start() throws(ProcessFault) {
    precondition(child == nil, "the broker runs already")
    let runs = runCount
    let child = try ChildProcess(
      ["mosquitto", "-c", "\(folder.path)/mosquitto.conf"], output: "\(folder.path)/\(Self.logName)")
    try awaitLog(of: child) { self.runCount > runs }
    self.child = child
  }

  /// Ends it with SIGTERM: it saves its sessions first.
  public func stop() throws(ProcessFault) {
    guard let child else { return }
    // mosquitto says that it runs a moment before it sets the flag that a signal clears: one that comes in
    // between is lost, and has to be sent again.
    let deadline = monotonicMilliseconds() + Self.stopMilliseconds
    while true {
      child.send(SIGTERM)
      do throws(ProcessFault) {
        try child.wait(milliseconds: Self.signalMilliseconds)
        break
      } catch {
        if monotonicMilliseconds() >= deadline { throw error }
      }
    }
    self.child = nil
  }

  /// Ends it with SIGKILL: it loses what it has not saved.
  public func kill() throws(ProcessFault) {
    child?.send(SIGKILL)
    try child?.wait(milliseconds: Self.stopMilliseconds)
    child = nil
  }

  /// Stops and starts it.
  public func restart() throws(ProcessFault) {
    try stop()
    try start()
  }

  /// Publishes a message with another program, and returns when the broker has taken it.
  public func publish(
    _ payload: String, to topic: String, qos: Int = 1, retain: Bool = false
  ) throws(ProcessFault) {
    var arguments = ["mosquitto_pub", "-h", "127.0.0.1", "-p", "\(port)", "-q", "\(qos)"]
    if let user = options.users.first { arguments += ["-u", user.name, "-P", user.password] }
    if retain { arguments.append("-r") }
    try runProgram(arguments + ["-t", topic, "-m", payload])
  }

  /// How often it has come up, by its log.
  private var runCount: Int { log.split(separator: "\n").count { $0.hasSuffix(" running") } }

  private func writeConfiguration() throws(ProcessFault) {
    var lines = [
      "listener \(port) 127.0.0.1", "user root",
      "persistence true", "persistence_location \(folder.path)/", "set_tcp_nodelay true",
      "connection_messages false", "log_dest stderr",
    ]
    if !options.isBare {
      lines += [
        "autosave_interval 60", "max_queued_messages 1000000",
        "max_inflight_messages \(options.maxInflightMessages)", "max_packet_size \(options.maxPacketBytes)",
      ]
    }
    if options.users.isEmpty {
      lines.append("allow_anonymous true")
    } else {
      lines += ["allow_anonymous false", "password_file \(folder.path)/passwords"]
    }
    if let accessList = options.accessList {
      lines.append("acl_file \(try folder.write(accessList, to: "access"))")
    }
    for line in options.extraLines {
      let parts = line.split(separator: "{folder}", omittingEmptySubsequences: false)
      lines.append(parts.joined(separator: folder.path))
    }
    try folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
  }

  /// Waits until the log says what is awaited, by being told of each change to it.
  private func awaitLog(of child: ChildProcess, until isReady: () -> Bool) throws(ProcessFault) {
    let watcher = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard watcher >= 0 else { throw .call("inotify_init1") }
    defer { close(watcher) }
    guard unsafe inotify_add_watch(watcher, "\(folder.path)/\(Self.logName)", UInt32(IN_MODIFY)) >= 0 else {
      throw .call("inotify_add_watch")
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let deadline = monotonicMilliseconds() + Self.startMilliseconds
    while !isReady() {
      var watches = [
        pollfd(fd: watcher, events: Int16(POLLIN), revents: 0),
        pollfd(fd: child.endDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      let rest = Int32(max(0, deadline - monotonicMilliseconds()))
      let count = unsafe poll(&watches, nfds_t(watches.count), rest)
      if count == 0 || watches[1].revents != 0 { throw ProcessFault("the broker does not come up: \(log)") }
      while unsafe read(watcher, &buffer, buffer.count) > 0 {}
    }
  }
}

/// Milliseconds of a clock that only goes forward.
func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
