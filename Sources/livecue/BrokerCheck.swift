import Base
import Configuration
import Daemon
import EventLoop
import MQTT

/// Looks at a broker as the daemon would use it, and leaves nothing behind.
///
/// All clients have ids and topics of this one run, so a daemon beside it is not disturbed.
struct BrokerCheck {
  private let configuration: Configuration
  private let broker: BrokerPlan
  private let password: [UInt8]?
  private let loop: EventLoop
  private let run64 = String(UInt64.random(in: 0...UInt64.max), radix: 16)
  private var report = BrokerReport()

  /// More than the 1000 that mosquitto keeps by default.
  private static let queueCount = 1200
  /// How long the broker keeps a session of ours if we cannot remove it.
  private static let sessionSeconds: UInt32 = 60
  private static let answerMilliseconds: Int64 = 5000
  private static let queueMilliseconds: Int64 = 20_000
  /// When nothing came for so long, nothing more will.
  private static let silenceMilliseconds: Int64 = 3000

  init(_ configuration: Configuration) throws {
    self.configuration = configuration
    broker = configuration.broker
    password = try broker.readPassword()
    loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
  }

  /// Does all checks, one after another.
  consuming func run() throws -> BrokerReport {
    var check = self
    guard try check.checkConnection() else { return check.report }
    try check.checkInputs()
    try check.checkOutputs()
    try check.checkQueue()
    try check.checkDrops()
    try check.checkAnonymous()
    check.report.add(
      .note, "nodelay",
      "cannot be seen from here: set_tcp_nodelay true, or each command waits for the one before")
    check.report.add(
      .note, "restart",
      "cannot be seen from here: persistence true, and stop the broker with SIGTERM, never SIGKILL")
    return check.report
  }

  /// The settings of a client of this run.
  private func settings(_ purpose: String, sessionSeconds: UInt32 = 0) throws -> MQTTSettings {
    var settings = try MQTTSettings(broker, password: password, connection: "check-\(purpose)-\(run64)")
    settings.sessionExpirySeconds = sessionSeconds
    return settings
  }

  private var patience: Int64 { broker.connectTimeoutMilliseconds + Self.answerMilliseconds }

  /// What the broker says of itself when it takes us in as it would take the daemon.
  private mutating func checkConnection() throws -> Bool {
    let asked = UInt32(broker.sessionExpirySeconds)
    let probe = try BrokerProbe(try settings("session", sessionSeconds: asked), loop: loop)
    guard probe.open(within: patience) else {
      let reason = probe.ending.map { "\($0)" } ?? "no answer"
      report.add(.loss, "connection", "\(broker.host):\(broker.port): \(reason)")
      return false
    }
    report.add(
      .good, "connection",
      "\(broker.host):\(broker.port), MQTT \(broker.protocolVersion.rawValue)"
        + (broker.tls.isEnabled ? ", TLS" : ", not encrypted"))
    let limits = probe.connection.brokerLimits
    probe.close()
    // The session that the probe left goes with a clean start.
    let cleaner = try BrokerProbe(try settings("session"), loop: loop)
    if cleaner.open(within: patience) { cleaner.close() }
    if broker.protocolVersion == .v311 {
      report.add(
        .note, "limits", "MQTT 3.1.1 tells none: set max_packet_size to the largest command and more")
    } else {
      judge(limits, asked: asked)
    }
    return true
  }

  private mutating func judge(_ limits: BrokerLimits, asked: UInt32) {
    let plans = [configuration.defaultPlan] + configuration.roomPlans.values
    let largest = plans.map(\.limits.maxCommandBytes).max() ?? 0
    if let most = limits.maxPacketBytes, Int(most) < largest + Self.topicBytes {
      report.add(
        .loss, "packet limit",
        "\(most) bytes: a command may have \(largest) (limits.maxCommandBytes), raise max_packet_size")
    } else {
      report.add(.good, "packet limit", limits.maxPacketBytes.map { "\($0) bytes" } ?? "none told")
    }
    let window = Int(limits.receiveMaximum ?? .max)
    report.add(
      window < broker.publishWindow ? .warning : .good, "inflight",
      window < broker.publishWindow
        ? "\(window) messages of ours at a time, publishWindow is \(broker.publishWindow): slower than it could be"
        : "\(broker.publishWindow) messages of ours at a time (broker.publishWindow)")
    let kept = limits.sessionExpirySeconds ?? asked
    report.add(
      kept < asked ? .loss : .good, "session",
      kept < asked
        ? "is kept for \(kept) s and not \(asked): what comes after that is lost while we are away"
        : "is kept for \(kept) s while we are away")
    if limits.retains == false {
      report.add(
        .warning, "retain", "not available: a renderer that joins late sees nothing until something moves")
    } else {
      report.add(.good, "retain", "available")
    }
    if limits.maxQoS == 0 { report.add(.loss, "QoS", "0 only: nothing is acknowledged") }
  }

  /// A topic and the rest of a packet's head.
  private static let topicBytes = 512

  /// Whether the broker lets us subscribe. It sends us copies for this moment; the daemon gets its own.
  private mutating func checkInputs() throws {
    let filters = configuration.inputs.map(\.filter)
    let probe = try BrokerProbe(try settings("inputs"), filters: filters, loop: loop)
    guard probe.open(within: patience) else {
      report.add(.loss, "inputs", probe.ending.map { "\($0)" } ?? "no answer to a subscription")
      return
    }
    let bad = filters.filter { probe.answers[$0] != .granted }
    probe.close()
    for filter in bad {
      report.add(.loss, "inputs", "\(filter) is not granted with QoS 1: nothing, or not everything, comes")
    }
    if bad.isEmpty { report.add(.good, "inputs", "\(filters.count) filters granted") }
  }

  private var ownTopic: String {
    "\(configuration.outputs.instancePrefix)/\(configuration.instance)/check/\(run64)"
  }

  /// Whether the broker lets us write where commands go, in a room that nobody has.
  private mutating func checkOutputs() throws {
    let room = "\(configuration.outputs.roomPrefix)/livecue-check-\(run64)"
    let topics = ["\(room)/gift/0", "\(room)/snapshot", "\(room)/control/reply", ownTopic]
    let probe = try BrokerProbe(try settings("outputs"), loop: loop)
    guard probe.open(within: patience) else { return report.add(.loss, "outputs", "no connection for them") }
    var ids: [(topic: String, id: UInt16)] = []
    for topic in topics { ids.append((topic, try probe.connection.publish(topic: topic, payload: []))) }
    _ = loop.turn(within: Self.answerMilliseconds) { probe.acknowledgements.count == ids.count }
    for (topic, id) in ids {
      guard let reason = probe.acknowledgements[id] else {
        report.add(.loss, "outputs", "\(topic): no acknowledgement")
        continue
      }
      if reason.isFailure { report.add(.loss, "outputs", "\(topic): \(reason)") }
    }
    let areGood = ids.allSatisfy { probe.acknowledgements[$0.id]?.isFailure == false }
    probe.close()
    guard areGood else { return }
    if broker.protocolVersion == .v311 {
      report.add(.note, "outputs", "acknowledged; MQTT 3.1.1 does not tell when the broker drops them")
    } else {
      report.add(.good, "outputs", "ours to write")
    }
  }

  /// How many messages the broker keeps for a client that is away.
  private mutating func checkQueue() throws {
    let away = try settings("queue", sessionSeconds: Self.sessionSeconds)
    let reader = try BrokerProbe(away, filters: [ownTopic], loop: loop)
    let writer = try BrokerProbe(try settings("writer"), loop: loop)
    let areOpen = reader.open(within: patience) && writer.open(within: patience)
    if areOpen { try fill(reader, writer) } else { report.add(.note, "queue", "not tried: no second client") }
    reader.close()
    writer.close()
    let cleaner = try BrokerProbe(try settings("queue"), loop: loop)
    if cleaner.open(within: patience) { cleaner.close() }
  }

  private mutating func fill(_ reader: BrokerProbe, _ writer: BrokerProbe) throws {
    reader.close()
    var sent = 0
    let topic = ownTopic
    let isTaken = loop.turn(within: Self.queueMilliseconds) {
      while sent < Self.queueCount, writer.connection.publishRoom > 0 {
        do throws(PublishFault) {
          try writer.connection.publish(topic: topic, payload: [UInt8(ascii: "q")])
          sent += 1
        } catch {
          return writer.ending != nil
        }
      }
      return writer.connection.unacknowledgedCount == 0 || writer.ending != nil
    }
    guard isTaken, writer.ending == nil, writer.acknowledgements.values.allSatisfy({ !$0.isFailure }) else {
      return report.add(.note, "queue", "not measured: the broker did not take \(Self.queueCount) messages")
    }
    guard reader.open(within: patience) else {
      return report.add(.note, "queue", "not measured: the reader did not come back")
    }
    // What was kept comes in order before what is sent now; a full queue may drop that, so it is sent again.
    let end = UInt8(ascii: "e")
    let start = loop.clock.now
    var nextEnd = start
    let isComplete = loop.turn(within: Self.queueMilliseconds) { [loop] in
      if loop.clock.now >= nextEnd, writer.connection.publishRoom > 0 {
        nextEnd = loop.clock.now + 100
        loop.schedule(at: nextEnd) {}
        do throws(PublishFault) { try writer.connection.publish(topic: topic, payload: [end]) } catch {
          return true
        }
      }
      return reader.payloads.contains([end])
        || loop.clock.now - max(start, reader.lastArrival) > Self.silenceMilliseconds
    }
    let kept = reader.payloads.count { $0 == [UInt8(ascii: "q")] }
    guard isComplete, reader.payloads.contains([end]) else {
      return report.add(.note, "queue", "not measured: nothing comes back from \(topic), may we read it?")
    }
    if kept >= Self.queueCount {
      report.add(.good, "queue", "keeps \(Self.queueCount) messages and more for a client that is away")
    } else {
      report.add(
        .loss, "queue",
        "keeps \(kept) of \(Self.queueCount) messages for a client that is away: raise max_queued_messages")
    }
  }

  /// What mosquitto says of its full queues. It is retained, which our clients of MQTT 5 never ask for.
  private mutating func checkDrops() throws {
    var old = try settings("drops")
    old.version = .v311
    guard old.username != nil || old.password == nil else {
      return report.add(.note, "drops", "not asked: a password without a user name")
    }
    let filter = "$SYS/broker/publish/messages/dropped"
    let probe = try BrokerProbe(old, filters: [filter], loop: loop)
    let isOpen = probe.open(within: patience)
    if isOpen { _ = loop.turn(within: 500) { !probe.payloads.isEmpty } }
    probe.close()
    guard let count = probe.payloads.last.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else {
      return report.add(.note, "drops", "the broker does not tell us what it has dropped (\(filter))")
    }
    report.add(
      count > 0 ? .warning : .good, "drops",
      count > 0 ? "\(count) messages since the broker was started: some queue was full" : "none so far")
  }

  /// Whether a stranger comes in too.
  private mutating func checkAnonymous() throws {
    guard broker.username != nil || password != nil || broker.tls.certificateFile != nil else {
      return report.add(.warning, "access", "we came in without any credentials, and so may everyone")
    }
    var stranger = try settings("anonymous")
    stranger.username = nil
    stranger.password = nil
    stranger.tls?.identity = nil
    let probe = try BrokerProbe(stranger, loop: loop)
    if probe.open(within: patience) {
      report.add(.warning, "access", "everyone who reaches the broker comes in: allow_anonymous false")
    } else {
      report.add(.good, "access", "nobody comes in without credentials")
    }
    probe.close()
  }
}
