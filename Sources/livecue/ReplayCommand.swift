import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import MQTT
import Wire

let replayCommand = Subcommand(
  name: "replay", operands: "[FILE…]",
  summary: "Publish captures to a broker: in their own rhythm, faster, or as fast as it goes.",
  details: """
    Reads lines {"at":ms,"topic":T,"payload":…} as `run --capture` writes them, from files (also .gz) or standard
    input, and publishes each on its topic, in order, with QoS 1. It ends when the broker has acknowledged everything;
    exit status 1 if that fails or a line could not be read. How far it is stands on standard error.

      livecue replay --speed max yesterday.jsonl.gz
      livecue replay --speed 5 --room rehearsal Tests/Captures/douyin-calm.jsonl.gz
    """,
  flags: BrokerOptions.flags + [
    Flag("speed", "N|max", "How many times as fast as it was captured (default 1), or max."),
    Flag("from", "MS", "Leave out what was captured before this instant."),
    Flag("until", "MS", "Leave out what was captured after this instant."),
    Flag("room", "ROOM", "Publish to this room; the configuration's inputs say where it is in a topic."),
    Flag("timeout", "SECONDS", "Give up after this long without an acknowledgement (default 30)."),
  ],
  operandCount: 0...10_000,
  run: { try ReplayCommand($0).run() })

/// A replayer with its progress.
private final class ReplayCommand {
  private let loop: EventLoop
  private let replayer: Replayer
  private let place: String
  private let timeoutMilliseconds: Int64
  private let startedAt: Instant
  /// How much was acknowledged when something last was, and when that was.
  private var progress: (acknowledged: Int, at: Instant)
  private var shownAt: Instant
  private var refusedLines = 0
  private var fault: String?
  private var isDone = false

  private static let tickMilliseconds: Int64 = 1000
  /// A terminal shows one line that changes; a log gets one in a while.
  private static let logMilliseconds: Int64 = 10_000

  init(_ arguments: Arguments) throws {
    let (configuration, broker) = try BrokerOptions.configuration(arguments)
    loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    replayer = try Replayer(
      try ReplayCommand.plan(arguments, configuration),
      settings: try BrokerOptions.settings(broker, purpose: "replay"), loop: loop)
    place = "\(broker.host):\(broker.port)"
    timeoutMilliseconds = Int64(try arguments.integer("timeout", in: 1...86_400) ?? 30) * 1000
    startedAt = loop.clock.now
    progress = (0, startedAt)
    shownAt = startedAt
  }

  func run() throws -> Int32 {
    try loop.handleSignals([SIGTERM, SIGINT]) { [unowned self] _ in end("interrupted") }
    replayer.failed = { [unowned self] reason in end(reason) }
    replayer.lineRefused = { [unowned self] reason in
      refusedLines += 1
      Terminal.writeError("livecue replay: \(reason)\n")
    }
    replayer.finished = { [unowned self] in
      isDone = true
      replayer.stop()
    }
    replayer.connectionEnded = { [unowned self] reason in
      if isDone { return loop.stop() }
      Terminal.writeError("livecue replay: \(place): \(reason)\n")
      if case .refused = reason { end("\(reason)") }
    }
    replayer.start()
    tick()
    loop.run()
    let seconds = Double(max(1, loop.clock.now - startedAt)) / 1000
    guard isDone else {
      Terminal.writeError(
        "livecue replay: \(fault ?? "interrupted"): \(replayer.acknowledged) acknowledged\n")
      return ExitStatus.failed
    }
    let rate = Int(Double(replayer.acknowledged) / seconds)
    Terminal.write("\(replayer.acknowledged) messages replayed in \(Int(seconds * 1000)) ms (\(rate)/s)\n")
    return refusedLines == 0 ? ExitStatus.fine : ExitStatus.failed
  }

  private func end(_ reason: String) {
    fault = fault ?? reason
    loop.stop()
  }

  private func tick() {
    loop.schedule(at: loop.clock.now + ReplayCommand.tickMilliseconds) { [unowned self] in
      let now = loop.clock.now
      if replayer.acknowledged > progress.acknowledged || replayer.unacknowledged == 0 && replayer.isOnline {
        progress = (replayer.acknowledged, now)
      }
      if now - progress.at >= timeoutMilliseconds {
        return end("no acknowledgement for \(timeoutMilliseconds / 1000) s")
      }
      show(at: now)
      tick()
    }
  }

  private func show(at now: Instant) {
    let isTerminal = isatty(STDERR_FILENO) == 1
    guard isTerminal || now - shownAt >= ReplayCommand.logMilliseconds else { return }
    shownAt = now
    let when = replayer.reached.map { ", the capture at \(Day.text(of: $0))" } ?? ""
    let line = "\(replayer.acknowledged) acknowledged, \(replayer.unacknowledged) under way\(when)"
    Terminal.writeError(isTerminal ? "\r\u{1B}[K\(line)" : "livecue replay: \(line)\n")
  }

  private static func plan(_ arguments: Arguments, _ configuration: Configuration) throws -> ReplayPlan {
    var plan = ReplayPlan(paths: arguments.operands.isEmpty ? ["-"] : arguments.operands)
    if arguments.string("speed") == "max" {
      plan.speed = .max
    } else if let times = try arguments.decimal("speed", in: 0.001...1_000_000) {
      plan.speed = .times(times)
    }
    plan.from = try arguments.integer("from", in: 0...Int.max).map(Int64.init)
    plan.until = try arguments.integer("until", in: 0...Int.max).map(Int64.init)
    guard let text = arguments.string("room") else { return plan }
    let name = try roomName(text, "--room")
    let layout = try TopicLayout(inputs: configuration.inputs, output: configuration.outputs)
    plan.topic = { topic in
      // What is on no input's topic has no room.
      guard case .input(_, let room) = layout.route(topic.span) else { return topic }
      return Array(topic[..<room.lowerBound] + name + topic[room.upperBound...])
    }
    return plan
  }
}
