import Base
import EventLoop
import MQTT
import Simulation
import Wire

/// Publishes the messages of a capture to a broker in their own rhythm, faster or slower, over and over.
final class Replayer: MQTTConnectionDelegate {
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let path: String
  private let speed: Double
  private let reader = CaptureLineReader()
  private var file: CaptureFile
  private var line: [UInt8] = []
  /// The message that is next, which lies in the reader.
  private var next: (at: Instant, topic: TextSlice, payload: TextSlice)?
  /// The instants of the capture and of the clock that belong together.
  private var origin: (capture: Instant, clock: Instant)?
  private var isScheduled = false
  /// Called when the capture cannot be read on.
  var failed: ((String) -> Void)?

  init(path: String, speed: Double, settings: MQTTSettings, loop: EventLoop) throws {
    self.path = path
    self.speed = speed
    self.loop = loop
    file = try CaptureFile(path: path)
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.delegate = self
  }

  /// Connects and begins.
  func start() { connection.start() }

  /// Leaves.
  func stop() { connection.disconnect() }

  private func pump() {
    do {
      while connection.publishRoom > 0, !isScheduled {
        if next == nil { try readNext() }
        guard let message = next, let origin else { return }
        let due = origin.clock + Int64(Double(message.at - origin.capture) / speed)
        if due > loop.clock.now { return schedule(at: due) }
        try publish(message.topic, message.payload)
        next = nil
      }
    } catch let fault as CaptureFile.Fault {
      failed?(fault.message)
    } catch let fault as CaptureLineFault {
      failed?("\(path):\(file.lineNumber): \(fault.message)")
    } catch {
      failed?("cannot publish: \(error)")
    }
  }

  private func schedule(at due: Instant) {
    isScheduled = true
    loop.schedule(at: due) { [weak self] in
      self?.isScheduled = false
      self?.pump()
    }
  }

  /// Reads the next message; at the end of the file it begins again, and the present is then its beginning.
  private func readNext() throws {
    while next == nil {
      if try !file.readLine(into: &line) {
        file = try CaptureFile(path: path)
        origin = nil
        guard try file.readLine(into: &line) else { return }
      }
      guard case .message(let at, let topic, let payload) = try reader.read(line) else { continue }
      if origin == nil { origin = (at, loop.clock.now) }
      next = (at, topic, payload)
    }
  }

  private func publish(_ topic: TextSlice, _ payload: TextSlice) throws {
    var terminated = Array(reader.bytes[topic.range])
    terminated.append(0)
    let bytes = reader.bytes
    _ = try connection.publish(topic: terminated.span, payload: bytes.span.extracting(payload.range))
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) { pump() }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {}

  func connectionDidReceive(_ connection: MQTTConnection) { connection.flush() }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) { pump() }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {}
}
