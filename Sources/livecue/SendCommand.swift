import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import MQTT
import Wire

let sendCommand = Subcommand(
  name: "send", operands: "gift|comment|like|FILE",
  summary: "Publish test messages: gifts, comments, likes, or the payload in a file.",
  details: """
    Every gift, comment and like gets an id, so that a message that the broker delivers twice counts once. A file is
    published as it is, on the room's `batch` topic: there each event says its own "type", and brings its own "id". It
    ends when the broker has acknowledged everything; exit status 1 if that fails.

      livecue send gift --room r1 --sender Ann --gift Rose --count 3 --times 10 --rate 5
      livecue send comment --room r1 --sender Bo --text hello
      livecue send batch.json --room r1
    """,
  flags: BrokerOptions.flags + [
    Flag("room", "ROOM", "The room (default demo)."),
    Flag("sender", "ID", "Who sends (default tester)."),
    Flag("level", "N", "The sender's level."),
    Flag("gift", "ID", "What is given (default rose)."),
    Flag("receiver", "ID", "To whom it is given."),
    Flag("price", "N", "The gift's price."),
    Flag("count", "N", "How many gifts or likes an event is (default 1)."),
    Flag("text", "TEXT", "What a comment says (default hello)."),
    Flag("times", "N", "How many messages (default 1)."),
    Flag("rate", "N", "Messages a second (default: as fast as they are acknowledged)."),
    Flag("timeout", "SECONDS", "Give up after this long without an acknowledgement (default 10)."),
  ],
  operandCount: 1...1,
  run: { arguments in
    let (configuration, broker) = try BrokerOptions.configuration(arguments)
    let loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    let sender = try Sender(
      script: try SendScript(arguments, inputs: configuration.inputs),
      rate: try arguments.decimal("rate", in: 0.001...1_000_000),
      timeoutSeconds: try arguments.integer("timeout", in: 1...3600) ?? 10,
      settings: try BrokerOptions.settings(broker, purpose: "send"), loop: loop)
    try loop.handleSignals([SIGTERM, SIGINT]) { _ in loop.stop() }
    sender.start()
    loop.run()
    guard sender.isDone else {
      Terminal.writeError(
        "livecue send: \(sender.fault ?? "interrupted"): \(sender.acknowledged) acknowledged\n")
      return ExitStatus.failed
    }
    Terminal.write("\(sender.acknowledged) sent to \(sender.topic)\n")
    return ExitStatus.fine
  })

/// What `send` publishes: the same event with another id each time, or a file.
struct SendScript {
  let topic: String
  let times: Int
  private let kind: EventKind?
  private let members: String
  private let file: [UInt8]
  private let run = String(UInt64.random(in: 0...UInt64.max), radix: 16)

  init(_ arguments: Arguments, inputs: [InputPlan]) throws {
    let room = arguments.string("room") ?? "demo"
    let bytes = Array(room.utf8)
    guard TopicLayout.isRoomName(bytes.span, bytes.indices) else {
      throw UsageError("--room is \"\(room)\": expected 1-128 bytes without control characters and + # /")
    }
    let operand = arguments.operands[0]
    kind = EventKind.allCases.first { $0.name == operand && $0 != .remove }
    times = try arguments.integer("times", in: 1...100_000_000) ?? 1
    file = kind == nil ? try SendScript.read(operand) : []
    members = try SendScript.members(of: kind, arguments)
    topic = try SendScript.topic(of: kind, room: room, inputs)
  }

  /// The topic that takes events of a kind, nil for batches, in the native format.
  private static func topic(of kind: EventKind?, room: String, _ inputs: [InputPlan]) throws -> String {
    var found: (level: Int, filter: String)?
    for input in inputs where input.profile == .native {
      guard let level = input.roomLevel else { continue }
      if input.kind == kind {
        found = (level, input.filter)
        break
      }
      if input.kind == nil, found == nil { found = (level, input.filter) }
    }
    guard let found else {
      throw UsageError(
        "no input of the configuration takes \(kind?.name ?? "batches") in the native format, with the room in the topic"
      )
    }
    var levels = found.filter.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    levels[found.level] = room
    return levels.joined(separator: "/")
  }

  /// The payload of message `number`, from 0.
  func payload(_ number: Int) -> [UInt8] {
    kind == nil ? file : Array("[{\"id\":\"send-\(run)-\(number)\",\(members)}]".utf8)
  }

  private static func members(of kind: EventKind?, _ arguments: Arguments) throws -> String {
    guard let kind else { return "" }
    let sender = quoted(arguments.string("sender") ?? "tester")
    let level = try arguments.integer("level", in: 0...Int.max).map { ",\"level\":\($0)" } ?? ""
    let count = try arguments.integer("count", in: 1...1_000_000) ?? 1
    let head = "\"type\":\"\(kind.name)\",\"sender\":{\"id\":\(sender),\"name\":\(sender)\(level)}"
    switch kind {
    case .gift:
      let gift = quoted(arguments.string("gift") ?? "rose")
      let price = try arguments.integer("price", in: 0...1_000_000_000_000).map { ",\"price\":\($0)" } ?? ""
      let receiver = arguments.string("receiver").map { ",\"receiver\":\(quoted($0))" } ?? ""
      return "\(head),\"gift\":{\"id\":\(gift),\"name\":\(gift)\(price)}\(receiver),\"count\":\(count)"
    case .comment: return "\(head),\"text\":\(quoted(arguments.string("text") ?? "hello"))"
    case .like: return "\(head),\"count\":\(count)"
    case .remove: return head
    }
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    let content = Array(text.utf8)
    JSONWriter.append(string: content.span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func read(_ path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw UsageError(
        "\(path): \(unsafe String(cString: strerror(errno))): expected gift, comment, like or a file")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw UsageError("\(path): \(unsafe String(cString: strerror(errno)))") }
      bytes.append(contentsOf: piece[..<count])
    }
  }
}

/// Publishes a script, at a rate or as fast as it is acknowledged.
final class Sender: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let script: SendScript
  private let interval: Double?
  private let timeoutMilliseconds: Int64
  private var published = 0
  private var startedAt: Instant = 0
  private var timer: TimerID?
  private var timeout: TimerID?
  /// Messages that the broker took.
  private(set) var acknowledged = 0
  /// Why it gave up.
  private(set) var fault: String?

  init(
    script: SendScript, rate: Double?, timeoutSeconds: Int, settings: MQTTSettings, loop: EventLoop
  ) throws {
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    self.script = script
    self.loop = loop
    interval = rate.map { 1000 / $0 }
    timeoutMilliseconds = Int64(timeoutSeconds) * 1000
    connection.delegate = self
  }

  /// True if the broker took everything.
  var isDone: Bool { acknowledged == script.times && fault == nil }

  var topic: String { script.topic }

  func start() {
    armTimeout()
    connection.start()
  }

  private func armTimeout() {
    if let timeout { loop.cancel(timeout) }
    timeout = loop.schedule(at: loop.clock.now + timeoutMilliseconds) { [unowned self] in
      giveUp("no acknowledgement for \(timeoutMilliseconds / 1000) s")
    }
  }

  private func giveUp(_ reason: String) {
    fault = fault ?? reason
    loop.stop()
  }

  private func pump() {
    while published < script.times, connection.publishRoom > 0 {
      if let interval {
        let due = startedAt + Int64(Double(published) * interval)
        if due > loop.clock.now {
          if timer == nil {
            timer = loop.schedule(at: due) { [unowned self] in
              timer = nil
              pump()
            }
          }
          return
        }
      }
      do throws(PublishFault) {
        try connection.publish(topic: script.topic, payload: script.payload(published))
        published += 1
        armTimeout()
      } catch {
        return giveUp("cannot publish: \(error)")
      }
    }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    // What was not acknowledged before the connection was lost is published again, with the same ids.
    published = acknowledged
    startedAt = loop.clock.now - Int64((interval ?? 0) * Double(published))
    pump()
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {}

  func connectionDidReceive(_ connection: MQTTConnection) { connection.flush() }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    if reason.isFailure { return giveUp("the broker refused a message: \(reason)") }
    acknowledged += 1
    // With nothing under way there is nothing to wait for, however slow the rate.
    if acknowledged == published, let timeout { loop.cancel(timeout) } else { armTimeout() }
    if acknowledged == script.times { connection.disconnect() } else { pump() }
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    if isDone { return loop.stop() }
    Terminal.writeError("livecue send: \(connection.settings.host):\(connection.settings.port): \(reason)\n")
    switch reason {
    // Trying again changes nothing about these.
    case .refused, .tlsFailed: giveUp("\(reason)")
    default: break
    }
  }
}
