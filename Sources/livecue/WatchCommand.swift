import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import MQTT
import Screen
import Telemetry
import Watch
import Wire

let watchCommand = Subcommand(
  name: "watch", operands: "[ROOM]",
  summary: "Show a room on the terminal: its tracks, combos, stage, likes and comments, live.",
  details: """
    Without a room: the rooms that there are, to choose from with the arrows and Enter; ? tells the keys, q or Ctrl-C
    ends it. It asks the daemon for a snapshot on cue/ROOM/feedback if it misses a command; without the right to publish
    there it says so and waits for the next one. NO_COLOR in the environment does without colours.

    With --plain, or if standard output is no terminal: each command on a line, of the room or of all rooms. A gap in a
    topic's sequence numbers is marked, and a command that comes twice is printed once.
    """,
  flags: BrokerOptions.flags + [
    Flag("plain", nil, "Print each command on a line, without taking the terminal over."),
    Flag("seconds", "N", "End by itself after N seconds."),
  ],
  operandCount: 0...1,
  run: { arguments in
    let (configuration, broker) = try BrokerOptions.configuration(arguments)
    let seconds = try arguments.integer("seconds", in: 1...1_000_000)
    let room = arguments.operands.first
    if let room { _ = try roomName(room, "ROOM") }
    let settings = try BrokerOptions.settings(broker, purpose: "watch")
    let loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    if let seconds { loop.schedule(at: loop.clock.now + Int64(seconds) * 1000) { loop.stop() } }
    if arguments.has("plain") || !canShowPages() {
      return try printCommands(of: room, configuration.outputs, settings, loop)
    }
    return try showPages(of: room, configuration.outputs, settings, loop)
  })

/// True if standard output is a terminal that can move its cursor.
private func canShowPages() -> Bool {
  let terminal = environment("TERM") ?? ""
  return isatty(STDOUT_FILENO) == 1 && !terminal.isEmpty && terminal != "dumb"
}

private func environment(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

private func printCommands(
  of room: String?, _ outputs: OutputPlan, _ settings: MQTTSettings, _ loop: EventLoop
) throws -> Int32 {
  let log = Log(threshold: .notice)
  let watcher = try Watcher(
    filters: ["\(outputs.roomPrefix)/\(room ?? "+")/#"], settings: settings, loop: loop, log: log)
  try loop.handleSignals([SIGTERM, SIGINT]) { _ in loop.stop() }
  var status = ExitStatus.fine
  watcher.outputEnded = { code in
    // `| head` has read as much as it wanted.
    if code != EPIPE {
      Terminal.writeError("livecue watch: \(Terminal.outputFault(code))\n")
      status = ExitStatus.failed
    }
    loop.stop()
  }
  watcher.start()
  loop.run()
  log.flush()
  return status
}

private func showPages(
  of room: String?, _ outputs: OutputPlan, _ settings: MQTTSettings, _ loop: EventLoop
) throws -> Int32 {
  // Before the terminal is taken: ncurses leaves signals alone that never reach it.
  var signaled: ((Int32) -> Void)?
  try loop.handleSignals([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) { signaled?($0) }
  var fault: String?
  let screen = try NcursesScreen(usesColor: (environment("NO_COLOR") ?? "").isEmpty)
  // Also if something throws: what is told of it must be readable.
  defer { screen.close() }
  let watcher = try ScreenWatcher(
    session: WatchSession(room: room, outputs: outputs, broker: "\(settings.host):\(settings.port)"),
    settings: settings, screen: screen, loop: loop)
  signaled = { signal in
    switch signal {
    case SIGWINCH: watcher.redraw()
    case SIGCONT: watcher.goOn()
    case SIGTSTP: watcher.stopForShell()
    default: loop.stop()
    }
  }
  watcher.ended = { reason in
    fault = reason
    loop.stop()
  }
  try watcher.start()
  loop.run()
  screen.close()
  guard let fault else { return ExitStatus.fine }
  Terminal.writeError("livecue watch: \(fault)\n")
  return ExitStatus.failed
}

/// A client that prints what it receives.
final class Watcher: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let log: Log
  private var transcript = Transcript()
  /// Called when all filters are subscribed.
  var subscribed: (() -> Void)?
  /// Called with `errno` when what is printed is taken no more: its reader went, or a disk is full.
  var outputEnded: ((Int32) -> Void)?

  init(filters: [String], settings: MQTTSettings, loop: EventLoop, log: Log) throws {
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    self.loop = loop
    self.log = log
    connection.setFilters(filters)
    connection.delegate = self
  }

  func start() { connection.start() }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {}

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    if case .refused(let reason) = answer {
      log.write(
        .error, "the broker refused the subscription", LogField("filter", .text(filter)),
        LogField("reason", "\(reason)"), at: loop.clock.now)
    } else {
      subscribed?()
    }
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    connection.flush()
    var page = ""
    for message in arena.messages {
      let bytes = arena.bytes.span
      let topic = arena.bytes.string(message.topic)
      for line in transcript.lines(topic: topic, payload: bytes.extracting(message.payload.range)) {
        page += "\(line)\n"
      }
    }
    if !Terminal.write(page) { outputEnded?(errno) }
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {}

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    log.write(
      .warning, "no connection to the broker", LogField("host", .text(connection.settings.host)),
      LogField("port", LogValue(connection.settings.port)), LogField("reason", "\(reason)"),
      at: loop.clock.now)
  }
}
