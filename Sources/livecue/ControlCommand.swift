import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import MQTT
import Wire

let controlCommand = Subcommand(
  name: "control", operands: "ROOM OP [ARGUMENT…]",
  summary: "Command a room: pause, resume, skip, clear, mute, unmute, remove, test. Waits for the answer.",
  details: """
    pause, resume and clear are for the whole room, or for one part: gift, stage, comment or like. skip takes a track
    off: gift/0, gift/1, … or stage. mute and unmute take a sender's id, remove the ids of comments, or with --sender
    all of one sender's. test shows an event in the native format, marked as a test and counted nowhere.

      livecue control lobby pause
      livecue control lobby clear gift
      livecue control lobby skip gift/0
      livecue control lobby mute u1
      livecue control lobby remove c-17 c-18
      livecue control lobby test '{"type":"gift","sender":"Ann","gift":"rose","count":3}'

    A command that arrives later than five seconds after it was given does nothing. Exit status 1 if the service refuses
    it or does not answer.
    """,
  flags: BrokerOptions.flags + [
    Flag("sender", "ID", "With remove: all comments of this sender."),
    Flag("timeout", "SECONDS", "Give up after this long without an answer (default 5)."),
  ],
  operandCount: 2...10_000,
  run: { arguments in
    let payload = try ControlPayload(arguments)
    let (configuration, broker) = try BrokerOptions.configuration(arguments)
    let loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    let client = try ControlClient(
      topic: "\(configuration.outputs.roomPrefix)/\(payload.room)/control", payload: payload,
      timeoutSeconds: try arguments.integer("timeout", in: 1...3600) ?? 5,
      settings: try BrokerOptions.settings(broker, purpose: "control"), loop: loop)
    try loop.handleSignals([SIGTERM, SIGINT]) { _ in loop.stop() }
    client.start()
    loop.run()
    guard let fault = client.fault else {
      Terminal.write("ok\n")
      return ExitStatus.fine
    }
    Terminal.writeError("livecue control: \(fault)\n")
    return ExitStatus.failed
  })

/// What is published: the members of one operation, checked as far as the service is not needed for it.
struct ControlPayload {
  let room: String
  let id = "control-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
  private var members: [String: JSONValue] = [:]

  init(_ arguments: Arguments) throws {
    room = arguments.operands[0]
    let name = Array(room.utf8)
    guard TopicLayout.isRoomName(name.span, name.indices) else {
      throw UsageError("ROOM is \"\(room)\": expected 1-128 bytes without control characters and + # /")
    }
    let operation = arguments.operands[1]
    let rest = Array(arguments.operands.dropFirst(2))
    members["op"] = .string(operation)
    if arguments.has("sender"), operation != "remove" {
      throw UsageError("--sender is for remove")
    }
    switch operation {
    case "pause", "resume", "clear":
      guard rest.count <= 1 else { throw UsageError("\(operation): expected one part, or none") }
      members["part"] = rest.first.map { .string($0) }
    case "skip": members["track"] = .string(try ControlPayload.one(rest, "skip", "a track: gift/0 or stage"))
    case "mute", "unmute":
      members["sender"] = .string(try ControlPayload.one(rest, operation, "a sender's id"))
    case "remove":
      if let sender = arguments.string("sender"), rest.isEmpty {
        members["sender"] = .string(sender)
      } else if !arguments.has("sender"), !rest.isEmpty {
        members["ids"] = .array(rest.map { .string($0) })
      } else {
        throw UsageError("remove: expected ids of comments, or --sender")
      }
    case "test": members["event"] = try ControlPayload.event(rest)
    default:
      throw UsageError(
        "OP is \"\(operation)\": expected pause, resume, skip, clear, mute, unmute, remove or test")
    }
    let object = JSONValue.object(members)
    do throws(ControlRefusal) {
      _ = try ControlRequest(object, room: name)
    } catch {
      throw UsageError("\(operation): \(error.detail)")
    }
  }

  /// The bytes, given at an instant.
  func bytes(at now: Instant) -> [UInt8] {
    var object = members
    object["id"] = .string(id)
    object["time"] = .integer(now)
    var bytes: [UInt8] = []
    JSONValue.object(object).append(to: &bytes)
    return bytes
  }

  private static func one(_ rest: [String], _ operation: String, _ what: String) throws(UsageError) -> String
  {
    guard rest.count == 1 else { throw UsageError("\(operation): expected \(what)") }
    return rest[0]
  }

  private static func event(_ rest: [String]) throws(UsageError) -> JSONValue {
    let text = Array(try one(rest, "test", "an event as a JSON object").utf8)
    do throws(JSONFault) {
      return try JSONValue(text.span)
    } catch {
      throw UsageError("test: \"\(rest[0])\" is not JSON")
    }
  }
}

/// Publishes one command and waits for its answer.
final class ControlClient: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let topic: String
  private let payload: ControlPayload
  private let timeoutSeconds: Int
  private var isAnswered = false
  /// Why it was not done; nil once it was.
  private(set) var fault: String? = "interrupted"

  init(
    topic: String, payload: ControlPayload, timeoutSeconds: Int, settings: MQTTSettings, loop: EventLoop
  ) throws {
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    self.topic = topic
    self.payload = payload
    self.timeoutSeconds = timeoutSeconds
    self.loop = loop
    connection.setFilters(["\(topic)/reply"])
    connection.delegate = self
  }

  func start() {
    loop.schedule(at: loop.clock.now + Int64(timeoutSeconds) * 1000) { [unowned self] in
      finish("no answer on \(topic)/reply for \(timeoutSeconds) s: is the service running?")
    }
    connection.start()
  }

  private func finish(_ fault: String?) {
    guard !isAnswered else { return }
    isAnswered = true
    self.fault = fault
    if connection.isOnline { connection.disconnect() } else { loop.stop() }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {}

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    if case .refused(let reason) = answer {
      return finish("the broker refused the subscription of \(filter): \(reason)")
    }
    // Not before: the answer would come to nobody.
    do throws(PublishFault) {
      try connection.publish(topic: topic, payload: payload.bytes(at: loop.clock.now))
    } catch {
      finish("cannot publish: \(error)")
    }
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    connection.flush()
    for message in arena.messages {
      let bytes = arena.bytes.span
      let answer: JSONValue
      do throws(JSONFault) {
        answer = try JSONValue(bytes.extracting(message.payload.range))
      } catch {
        // Not ours: the service writes JSON.
        continue
      }
      guard answer["id"]?.string == payload.id else { continue }
      if answer["ok"] == .bool(true) { return finish(nil) }
      finish("\(answer["error"]?.string ?? "refused"): \(answer["detail"]?.string ?? "no reason was given")")
    }
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    if reason.isFailure { finish("the broker refused the command: \(reason)") }
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    if isAnswered { return loop.stop() }
    Terminal.writeError(
      "livecue control: \(connection.settings.host):\(connection.settings.port): \(reason)\n")
    if case .refused = reason { finish("\(reason)") }
  }
}
