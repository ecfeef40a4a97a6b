import Base
import EventLoop
import MQTT
import Simulation
import Wire

/// What a replayer plays, and how.
struct ReplayPlan {
  /// How fast.
  enum Speed: Equatable {
    /// So many times as fast as it was captured.
    case times(Double)
    /// As fast as the broker acknowledges.
    case max
  }

  /// The captures, one after another; `-` is standard input.
  var paths: [String]
  var speed = Speed.times(1)
  /// True: over and over.
  var repeats = false
  /// Lines before are left out.
  var from: Instant?
  /// Lines after are left out.
  var until: Instant?
  /// Maps the topic of a line to the one on which it is published.
  var topic: ([UInt8]) -> [UInt8] = { $0 }
}

/// Publishes the messages of captures to a broker in their own rhythm, faster or slower: in order, and each
/// until the broker has acknowledged it. `livecue replay` and `livecue demo` are made of it.
final class Replayer: MQTTConnectionDelegate {
  private struct Message {
    /// The topic with a zero byte behind it.
    var topic: [UInt8]
    var payload: [UInt8]
    var id: UInt16 = 0
  }

  private let connection: MQTTConnection
  private let loop: EventLoop
  private let plan: ReplayPlan
  private let reader = CaptureLineReader()
  private var remainingPaths: ArraySlice<String>
  private var file: CaptureFile?
  private var line: [UInt8] = []
  /// The line that is next, which lies in the reader.
  private var next: (at: Instant, topic: TextSlice, payload: TextSlice)?
  private var isAtEnd = false
  /// The instants of the capture and of the clock that belong together.
  private var origin: (capture: Instant, clock: Instant)?
  private var isScheduled = false
  /// Published and not acknowledged, in order.
  private var underWay: [Message] = []
  /// What a connection that was lost left unacknowledged: it goes first.
  private var unsent: [Message] = []
  /// Messages that the broker has taken.
  private(set) var acknowledged = 0
  /// The capture's instant that has been reached.
  private(set) var reached: Instant?
  /// Called when it cannot go on: a capture cannot be opened or read, or the broker refuses a message.
  var failed: ((String) -> Void)?
  /// Called for a line that cannot be read; it costs no other.
  var lineRefused: ((String) -> Void)?
  /// Called when all is acknowledged.
  var finished: (() -> Void)?
  /// Called when the connection opens, ends, or cannot be opened, with the reason.
  var connectionEnded: ((DisconnectReason) -> Void)?

  /// A replayer that has opened its first capture.
  init(_ plan: ReplayPlan, settings: MQTTSettings, loop: EventLoop) throws {
    self.plan = plan
    self.loop = loop
    remainingPaths = plan.paths[...]
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    file = try remainingPaths.popFirst().map { path throws(CaptureFile.Fault) in try CaptureFile(path: path) }
    connection.delegate = self
  }

  /// True if the broker takes messages.
  var isOnline: Bool { connection.isOnline }

  /// Messages that were published and wait for the broker.
  var unacknowledged: Int { underWay.count + unsent.count }

  /// Finds the first message, connects and begins.
  func start() {
    attempt { try readNext() }
    connection.start()
  }

  /// Leaves.
  func stop() { connection.disconnect() }

  private func pump() {
    attempt {
      while connection.publishRoom > 0 {
        if !unsent.isEmpty {
          try publish(unsent[0])
          unsent.removeFirst()
          continue
        }
        guard !isScheduled else { return }
        try readNext()
        guard let message = next else { break }
        if case .times(let speed) = plan.speed {
          let origin = self.origin ?? (message.at, loop.clock.now)
          self.origin = origin
          let due = origin.clock + Int64(Double(message.at - origin.capture) / speed)
          if due > loop.clock.now { return schedule(at: due) }
        }
        let bytes = reader.bytes
        try publish(
          Message(
            topic: plan.topic(Array(bytes[message.topic.range])) + [0],
            payload: Array(bytes[message.payload.range])))
        reached = message.at
        next = nil
      }
      finishIfDone()
    }
  }

  /// Does what can fail, and tells why it did.
  private func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch PublishFault.notConnected {
      // It ends now: what is under way is published on the next connection.
    } catch let fault as PublishFault {
      failed?("cannot publish: \(fault)")
    } catch {
      failed?("\(error)")
    }
  }

  private func publish(_ message: Message) throws(PublishFault) {
    var message = message
    message.id = try connection.publish(topic: message.topic.span, payload: message.payload.span)
    underWay.append(message)
  }

  private func schedule(at due: Instant) {
    isScheduled = true
    loop.schedule(at: due) { [weak self] in
      self?.isScheduled = false
      self?.pump()
    }
  }

  private func finishIfDone() {
    if isAtEnd, next == nil, underWay.isEmpty, unsent.isEmpty { finished?() }
  }

  /// Reads the next message, unless one is there. At the end of the last file it ends, or begins again, and
  /// the present is then its beginning.
  private func readNext() throws {
    while next == nil, !isAtEnd {
      guard let file else { return isAtEnd = true }
      guard try file.readLine(into: &line) else {
        try openNext()
        continue
      }
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      do throws(CaptureLineFault) {
        guard case .message(let at, let topic, let payload) = try reader.read(line) else { continue }
        if at < plan.from ?? .min || at > plan.until ?? .max { continue }
        // A file that begins before the last one ended has a time of its own.
        if let reached, at < reached, origin != nil, file.lineNumber == 1 { origin = nil }
        next = (at, topic, payload)
      } catch {
        lineRefused?("\(file.path):\(file.lineNumber): \(error.message)")
      }
    }
  }

  private func openNext() throws {
    if remainingPaths.isEmpty, plan.repeats {
      remainingPaths = plan.paths[...]
      origin = nil
    }
    // A capture without a message, over and over, would never let go of the loop.
    if plan.repeats, reached == nil { remainingPaths = [] }
    file = try remainingPaths.popFirst().map { path throws(CaptureFile.Fault) in try CaptureFile(path: path) }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) { pump() }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {}

  func connectionDidReceive(_ connection: MQTTConnection) { connection.flush() }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    guard let place = underWay.firstIndex(where: { $0.id == id }) else { return }
    let message = underWay.remove(at: place)
    if reason.isFailure {
      let topic = String(decoding: message.topic.dropLast(), as: UTF8.self)
      failed?("the broker refused a message on \(topic): \(reason)")
      return
    }
    acknowledged += 1
    pump()
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    unsent = underWay + unsent
    underWay.removeAll()
    connectionEnded?(reason)
  }
}
