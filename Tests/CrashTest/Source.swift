import Base
import EventLoop
import MQTT

/// The publisher: makes gifts at a steady rate, and knows what the broker has taken.
final class Source: MQTTConnectionDelegate {
  /// What it makes, and what that comes to.
  var maker: GiftMaker
  /// What operators and renderers say in between; nil: nothing.
  var studio: StudioMaker?
  /// Messages that the broker may or may not have taken when its connection was lost: nobody can say what
  /// they are worth.
  private(set) var doubtful = 0
  private let connection: MQTTConnection
  private let loop: EventLoop
  private var waiting: [GiftMaker.Message] = []
  private var next = 0
  private var underWay = 0
  private var isRunning = false
  /// From when on so many messages are due.
  private var began: Instant = 0
  private var made = 0

  private static let perSecond: Int64 = 1000
  private static let stepMilliseconds: Int64 = 5
  private static let giftsPerStudioMessage = 12

  init(_ maker: GiftMaker, _ studio: StudioMaker?, port: UInt16, loop: EventLoop) throws {
    self.maker = maker
    self.studio = studio
    self.loop = loop
    var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "source")
    settings.minBackOffMilliseconds = 20
    settings.maxBackOffMilliseconds = 100
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.delegate = self
    connection.start()
  }

  var isReady: Bool { connection.isOnline }

  /// Times that the broker accepted it.
  var connectionCount: Int { connection.counters.connections }

  /// True if the broker has taken all that was made.
  var isDone: Bool { next == waiting.count && underWay == 0 }

  /// Makes gifts from now on.
  func resume() {
    guard !isRunning else { return }
    isRunning = true
    began = loop.clock.now
    made = 0
    step()
  }

  /// Makes no more until `resume`, and lets all rooms go on.
  func pause() {
    isRunning = false
    for message in studio?.resumeAll() ?? [] { publish(message) }
  }

  /// Publishes a message out of turn.
  func publish(_ message: GiftMaker.Message) {
    waiting.append(message)
    pump()
  }

  private func step() {
    guard isRunning else { return }
    let due = Int((loop.clock.now - began) * Source.perSecond / 1000)
    while made < due {
      made += 1
      waiting.append(maker.next(at: loop.clock.now))
      if made % Source.giftsPerStudioMessage == 0, let message = studio?.next() { waiting.append(message) }
    }
    pump()
    loop.schedule(at: loop.clock.now + Source.stepMilliseconds) { [weak self] in self?.step() }
  }

  private func pump() {
    while next < waiting.count, connection.publishRoom > 0 {
      let message = waiting[next]
      do throws(PublishFault) {
        try connection.publish(topic: message.topic, payload: Array(message.payload.utf8))
      } catch {
        // The connection is ending: it is published on the next one.
        precondition(error == .notConnected, "a gift cannot be published: \(error)")
        return
      }
      next += 1
      underWay += 1
    }
    guard next == waiting.count else { return }
    waiting.removeAll(keepingCapacity: true)
    next = 0
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) { pump() }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {}

  func connectionDidReceive(_ connection: MQTTConnection) { connection.flush() }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    underWay -= 1
    pump()
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    doubtful += underWay
    underWay = 0
  }
}
