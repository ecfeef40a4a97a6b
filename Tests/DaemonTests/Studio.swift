import Base
import Configuration
import Daemon
import EventLoop
import MQTT
import PrivateBroker
import Telemetry
import TestSupport
import Testing

/// What a daemon logged.
final class LogLines {
  private(set) var lines: [String] = []

  /// How many lines hold a text.
  func count(_ text: String) -> Int { lines.count { $0.contains(text) } }

  func append(_ line: borrowing [UInt8]) { lines.append(String(decoding: copy line, as: UTF8.self)) }
}

/// A broker, a daemon behind a wire that can be blocked or cut, a viewer and a source, in one loop.
final class Studio {
  let loop: EventLoop
  let broker: PrivateBroker
  /// Between the daemon and the broker.
  let relay: Relay
  let daemon: Daemon
  let log = LogLines()
  let viewer: Client
  let source: Client
  private(set) var stops = 0
  private let port: UInt16

  /// The client ids of the daemon's connections.
  static let intake = "livecue-main-in"
  static let publisher = "livecue-main-out"

  /// `settings` are lines of YAML; those of the broker are members of its own. `isDirect`: the daemon does
  /// without the wire.
  ///
  /// - Parameters:
  ///   - folder: Where the daemon records; nil: in memory.
  ///   - shared: A broker that is there, of another studio; nil: one of its own, with `options`.
  ///   - start: What its clock shows at first, or the lease of what it recorded if that is later.
  init(
    _ settings: String = "", broker more: String = "receiveMaximum: 500", isDirect: Bool = false,
    recordsIn folder: TemporaryFolder? = nil, on shared: PrivateBroker? = nil,
    options: PrivateBroker.Options = PrivateBroker.Options(), at start: Instant = 1_700_000_000_000
  ) throws {
    let state = try folder.map { try StateDirectory(path: $0.path, instance: "main") }
    loop = try EventLoop(clock: WallClock(startingAt: max(start, state?.lease ?? .min)))
    broker = try shared ?? PrivateBroker(options)
    relay = try Relay(loop: loop, to: broker.port)
    viewer = try Client("viewer", filters: ["cue/#", "livecue/#"], port: broker.port, loop: loop)
    source = try Client("source", port: broker.port, loop: loop)
    port = isDirect ? broker.port : relay.port
    daemon = try makeDaemon(
      settings, broker: more, port: port, loop: loop, log: log,
      state: state)
    daemon.stopped = { [unowned self] in stops += 1 }
  }

  /// What the daemon would read for these settings.
  func configuration(
    _ settings: String, broker more: String = "receiveMaximum: 500"
  ) throws(ConfigurationErrors) -> Configuration {
    try makeConfiguration(settings, broker: more, port: port)
  }

  /// Waits for the viewer and the source, starts the daemon, and waits until it serves.
  func open() throws {
    let isReady = loop.turn { [unowned self] in viewer.isReady && source.isReady }
    try #require(isReady)
    try daemon.start()
    let isServing = loop.turn { [unowned self] in daemon.isServing && viewer.states() == ["online"] }
    try #require(isServing)
  }

  /// A viewer of its own that comes only now. It speaks MQTT 3.1.1, in which a client cannot refuse what the
  /// broker had kept, as ours do.
  func lateViewer(_ filter: String) throws -> Client {
    let late = try Client("late", .v311, filters: [filter], port: broker.port, loop: loop)
    let isReady = loop.turn { late.isReady }
    try #require(isReady)
    return late
  }
}

/// A configuration for a broker of the test.
private func makeConfiguration(
  _ settings: String, broker more: String, port: UInt16
) throws(ConfigurationErrors) -> Configuration {
  // No test listens on a fixed port.
  let metrics = settings.contains("metrics:") ? "" : "metrics: {listen: '', statsSeconds: 0}"
  let text = """
    \(metrics)
    broker: {host: 127.0.0.1, port: \(port), reconnectMinMs: 20, reconnectMaxMs: 100, \(more)}
    \(settings)
    """
  return try Configuration.read(bytes: Array(text.utf8), file: "test.yaml")
}

/// A daemon that has not been started, with short waits between attempts.
func makeDaemon(
  _ settings: String = "", broker more: String = "receiveMaximum: 500", port: UInt16, loop: EventLoop,
  log: LogLines, state: StateDirectory? = nil
) throws -> Daemon {
  return try Daemon(
    configuration: try makeConfiguration(settings, broker: more, port: port), state: state,
    password: nil,
    version: "1.2.3", loop: loop,
    log: Log(threshold: .debug, format: .plain, repeatMilliseconds: 0) { line in
      log.append(line)
      return true
    },
    makeGenerator: { SystemRandomNumberGenerator() })
}

/// Settings under which a gift is over within 200 ms.
let quickGifts = "gift: {showMs: 10, stepMs: 10, catchUpMs: 20, holdMs: 50, holdBusyMs: 20, hideMs: 10}"
