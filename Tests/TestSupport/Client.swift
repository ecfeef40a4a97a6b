public import Base
public import EventLoop
public import MQTT
import Wire

/// An MQTT client of a test: a renderer that keeps what it sees, or a source that publishes.
public final class Client: MQTTConnectionDelegate {
  /// The connection, which comes back after every loss.
  public let connection: MQTTConnection
  private let loop: EventLoop
  private var unanswered: Int
  private var waiting: [(topic: String, payload: [UInt8], retain: Bool)] = []
  private var underWay: [(topic: String, payload: [UInt8], retain: Bool)] = []
  /// All that arrived, with the instants of arrival.
  public private(set) var messages: [PublishedMessage] = []
  /// What a renderer made of it.
  public private(set) var renderer = Renderer()

  /// A client with a session that the broker keeps, so that it misses nothing when the connection is lost.
  public init(
    _ id: String, _ version: MQTTVersion = .v5, filters: [String] = [], port: UInt16, loop: EventLoop
  ) throws {
    var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: id)
    settings.version = version
    settings.minBackOffMilliseconds = 20
    settings.maxBackOffMilliseconds = 100
    self.loop = loop
    unanswered = filters.count
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.setFilters(filters)
    connection.delegate = self
    connection.start()
  }

  /// True if messages come and go.
  public var isReady: Bool { connection.isOnline && unanswered == 0 }

  /// True if the broker has taken all that was published.
  public var isDone: Bool { waiting.isEmpty && underWay.isEmpty }

  /// Publishes, now or when there is a connection.
  public func publish(_ payload: String, to topic: String) { publish(Array(payload.utf8), to: topic) }

  /// Publishes, now or when there is a connection.
  public func publish(_ payload: [UInt8], to topic: String, retain: Bool = false) {
    waiting.append((topic, payload, retain))
    pump()
  }

  /// The payloads on a topic, in order.
  public func payloads(_ topic: String) -> [String] { messages.filter { $0.topic == topic }.map(\.payload) }

  /// The state of an instance in each of its messages on its topic.
  public func states(of instance: String = "main") -> [String] {
    messages.filter { $0.topic == "livecue/\(instance)/status" }.compactMap { $0["state"]?.string }
  }

  private func pump() {
    while connection.publishRoom > 0, !waiting.isEmpty {
      do throws(PublishFault) {
        let first = waiting[0]
        try connection.publish(topic: first.topic, payload: first.payload, retain: first.retain)
        underWay.append(waiting.removeFirst())
      } catch {
        // The connection is ending: it is published on the next one.
        precondition(error == .notConnected, "a test's message cannot be published: \(error)")
        return
      }
    }
  }

  /// Publishes what waits.
  public func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) { pump() }

  /// Counts the answers.
  public func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer)
  {
    unanswered = max(0, unanswered - 1)
  }

  /// Keeps what arrived.
  public func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    for message in arena.messages {
      let arrived = PublishedMessage(
        at: loop.clock.now, topic: arena.bytes.string(message.topic),
        payload: arena.bytes.string(message.payload), isRetained: message.isRetained)
      messages.append(arrived)
      renderer.receive(arrived)
    }
    connection.flush()
  }

  /// Publishes the next.
  public func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    // Brokers answer in order.
    underWay.removeFirst()
    pump()
  }

  /// What was not answered is published again.
  public func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    waiting = underWay + waiting
    underWay.removeAll()
  }
}
