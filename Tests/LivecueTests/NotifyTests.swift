import Glibc
import PrivateBroker
import Testing

/// What a service manager hears, from a socket that stands for systemd's.
@Suite struct NotifyTests {
  @Test func systemdHearsReadyWatchdogAndStoppingThoughThereIsNoBroker() throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(in: folder)
    let port = try findFreePort()
    try folder.write("broker: {host: 127.0.0.1, port: \(port)}\n", to: "livecue.yaml")
    let daemon = try Livecue(
      ["run", "--config", "livecue.yaml"], in: folder,
      wrappedBy: ["env", "NOTIFY_SOCKET=\(socket.path)", "WATCHDOG_USEC=100000", "STATE_DIRECTORY=state"])
    // A broker that is away must not keep it from being ready, or systemd would start it anew for ever.
    #expect(socket.heard(until: { $0.count { $0 == "WATCHDOG=1" } >= 3 }))
    #expect(socket.states.first == "READY=1")
    #expect(socket.states.contains("STATUS=not subscribed, not publishing, 0 rooms"))
    #expect(!socket.states.contains("STOPPING=1"))
    #expect(try daemon.end().code == 0)
    #expect(socket.heard(until: { $0.contains("STOPPING=1") }))
    #expect(socket.states.count { $0 == "READY=1" } == 1)
  }

  @Test func theOverlayTellsSystemdTheSame() throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(in: folder)
    let broker = try PrivateBroker()
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(broker.port), reconnectMinMs: 20, reconnectMaxMs: 100}\n"
        + "overlay: {listen: \(folder.path)/page}\n", to: "livecue.yaml")
    let overlay = try Livecue(
      ["overlay", "--config", "livecue.yaml"], in: folder,
      wrappedBy: ["env", "NOTIFY_SOCKET=\(socket.path)", "WATCHDOG_USEC=100000"])
    #expect(
      socket.heard(until: { $0.count { $0 == "WATCHDOG=1" } >= 3 && $0.contains("STATUS=subscribed") }),
      "\(overlay.errors)")
    #expect(socket.states.starts(with: ["READY=1", "STATUS=not subscribed"]))
    try broker.stop()
    #expect(socket.heard(until: { $0.last { $0.hasPrefix("STATUS=") } == "STATUS=not subscribed" }))
    #expect(try overlay.end().code == 0)
    #expect(socket.heard(until: { $0.contains("STOPPING=1") }))
    #expect(socket.states.count { $0 == "READY=1" } == 1)
  }

  /// A thousand readers need more files than most systems allow at first, and some at all.
  @Test(arguments: [("256:4096", false), ("256:256", true)])
  func theOverlayAllowsItselfTheFilesOfItsReaders(limit: String, isTold: Bool) throws {
    let folder = try TemporaryFolder()
    let port = try findFreePort()
    try folder.write(
      "broker: {host: 127.0.0.1, port: \(port)}\noverlay: {listen: \(folder.path)/page}\n", to: "livecue.yaml"
    )
    let overlay = try Livecue(
      ["overlay", "--config", "livecue.yaml"], in: folder, wrappedBy: ["prlimit", "--nofile=\(limit)"])
    #expect(try overlay.await("errors") { $0.contains("no connection to the broker") })
    #expect(overlay.errors.contains("fewer files may be open") == isTold, "\(overlay.errors)")
    #expect(overlay.errors.contains("limit=256 needed=1064") == isTold)
    #expect(try overlay.end().code == 0)
  }

  @Test func whatCannotStartIsNeverReady() throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(in: folder)
    // The state directory is a file.
    try folder.write("", to: "state")
    let outcome = try Livecue.run(
      ["run"], in: folder, wrappedBy: ["env", "NOTIFY_SOCKET=\(socket.path)", "STATE_DIRECTORY=state"])
    #expect(outcome.code == 1)
    #expect(!socket.heard(until: { !$0.isEmpty }, milliseconds: 0))
  }

  @Test func withoutAWatchdogNoneIsFed() throws {
    let folder = try TemporaryFolder()
    let socket = try NotifySocket(in: folder)
    let port = try findFreePort()
    try folder.write("broker: {host: 127.0.0.1, port: \(port)}\n", to: "livecue.yaml")
    let daemon = try Livecue(
      ["run", "--config", "livecue.yaml"], in: folder, wrappedBy: ["env", "NOTIFY_SOCKET=\(socket.path)"])
    #expect(socket.heard(until: { $0.contains("READY=1") }))
    #expect(try daemon.end().code == 0)
    #expect(socket.heard(until: { $0.contains("STOPPING=1") }))
    #expect(!socket.states.contains("WATCHDOG=1"))
  }
}

/// A datagram socket in a folder, and the states that it heard.
private final class NotifySocket {
  let path: String
  private let descriptor: Int32
  private(set) var states: [String] = []

  init(in folder: TemporaryFolder) throws {
    path = "\(folder.path)/notify"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = path
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name.utf8) }
    let code = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] in
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else { throw ProcessFault("bind \(path)") }
  }

  deinit { close(descriptor) }

  /// Hears until the states satisfy a condition; false if they do not in time.
  func heard(until holds: ([String]) -> Bool, milliseconds: Int64 = 10_000) -> Bool {
    let deadline = Livecue.now + milliseconds
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !holds(states) {
      var watch = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&watch, 1, Int32(max(0, deadline - Livecue.now))) == 1 else { return false }
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      states.append(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
    }
    return true
  }
}
