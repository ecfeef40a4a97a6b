import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import MQTT
import Telemetry
import Watch
import Wire

let watchCommand = Subcommand(
  name: "watch", operands: "[ROOM]",
  summary: "Subscribe to a room's commands, or to those of all rooms, and print each on a line.",
  details: """
    A gap in a topic's sequence numbers is marked, and a command that comes twice is printed once. Ctrl-C ends it.
    """,
  flags: BrokerOptions.flags + [
    Flag("seconds", "N", "End by itself after N seconds.")
  ],
  operandCount: 0...1,
  run: { arguments in
    let (configuration, broker) = try BrokerOptions.configuration(arguments)
    let seconds = try arguments.integer("seconds", in: 1...1_000_000)
    let room = arguments.operands.first ?? "+"
    if !arguments.operands.isEmpty { _ = try roomName(room, "ROOM") }
    let loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    let log = Log(threshold: .notice)
    let watcher = try Watcher(
      filters: ["\(configuration.outputs.roomPrefix)/\(room)/#"],
      settings: try BrokerOptions.settings(broker, purpose: "watch"), loop: loop, log: log)
    try loop.handleSignals([SIGTERM, SIGINT]) { _ in loop.stop() }
    if let seconds { loop.schedule(at: loop.clock.now + Int64(seconds) * 1000) { loop.stop() } }
    var status = ExitStatus.fine
    watcher.outputEnded = {
      status = ExitStatus.failed
      loop.stop()
    }
    watcher.start()
    loop.run()
    log.flush()
    return status
  })

/// A client that prints what it receives.
final class Watcher: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let log: Log
  private var transcript = Transcript()
  /// Called when all filters are subscribed.
  var subscribed: (() -> Void)?
  /// Called when nobody can read what is printed any more (`| head`).
  var outputEnded: (() -> Void)?

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
    if !Terminal.write(page) { outputEnded?() }
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {}

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    log.write(
      .warning, "no connection to the broker", LogField("host", .text(connection.settings.host)),
      LogField("port", LogValue(connection.settings.port)), LogField("reason", "\(reason)"),
      at: loop.clock.now)
  }
}
