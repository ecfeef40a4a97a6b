import Base
import EventLoop
import Glibc
import MQTT
import Screen
import Watch

/// A client that shows rooms on the terminal and lets keys choose among them.
final class ScreenWatcher: MQTTConnectionDelegate {
  /// Called when the person wants the end, or when the terminal is gone; nil: all is well, else why not.
  var ended: ((_ fault: String?) -> Void)?

  private let connection: MQTTConnection
  private let loop: EventLoop
  private let screen: NcursesScreen
  private var session: WatchSession
  private var frame: TimerID?
  private var lastFrame: Instant = 0
  private var resyncTimer: TimerID?
  private var resyncID: UInt16?

  /// Twenty frames a second are smooth for a terminal, also over a network.
  private static let frameMilliseconds: Int64 = 50
  /// Ages are told in seconds.
  private static let restMilliseconds: Int64 = 1000

  init(session: WatchSession, settings: MQTTSettings, screen: NcursesScreen, loop: EventLoop) throws {
    var settings = settings
    settings.takesRetained = true
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    self.session = session
    self.screen = screen
    self.loop = loop
    connection.setFilters(session.filters)
    connection.delegate = self
  }

  /// Connects, and reads keys if standard input is a terminal.
  func start() throws(EventLoopFault) {
    if isatty(STDIN_FILENO) == 1 {
      try loop.register(STDIN_FILENO, for: .read) { [unowned self] readiness in
        press(screen.readKeys())
        // A terminal that is gone stays readable for ever.
        if readiness.contains(.hungUp) { ended?("the terminal is gone") }
      }
    }
    draw()
    connection.start()
  }

  /// The terminal has another size.
  func redraw() {
    screen.resize()
    draw()
  }

  /// Stops as a shell wants it, until it wants us to go on.
  func stopForShell() {
    screen.suspend()
    raise(SIGSTOP)
    goOn()
  }

  /// Takes the terminal again: whoever had it meanwhile may have changed it.
  func goOn() {
    screen.resume()
    draw()
  }

  // MARK: Frames

  /// Draws soon: what changes within a frame is drawn once.
  private func changed() { schedule(at: max(loop.clock.now, lastFrame + Self.frameMilliseconds)) }

  private func schedule(at instant: Instant) {
    if let frame { loop.cancel(frame) }
    frame = loop.schedule(at: instant) { [unowned self] in draw() }
  }

  private func draw() {
    let now = loop.clock.now
    lastFrame = now
    let size = screen.size
    screen.show(session.page(columns: size.columns, rows: size.rows, at: now))
    schedule(at: now + (session.isMoving(at: now) ? Self.frameMilliseconds : Self.restMilliseconds))
  }

  private func press(_ keys: [Key]) {
    for key in keys {
      switch session.press(key) {
      case .nothing: break
      case .subscribe:
        connection.setFilters(session.filters)
        armResync()
      case .quit:
        ended?(nil)
        return
      }
    }
    if !keys.isEmpty { changed() }
  }

  // MARK: Asking for a snapshot

  private func armResync() {
    if let resyncTimer { loop.cancel(resyncTimer) }
    resyncTimer = session.resyncDeadline.map { deadline in
      loop.schedule(at: deadline) { [unowned self] in askForSnapshot() }
    }
  }

  private func askForSnapshot() {
    session.noteResync(at: loop.clock.now)
    let (topic, payload) = session.resync
    do throws(PublishFault) {
      resyncID = try connection.publish(topic: topic, payload: Array(payload.utf8))
    } catch {
      session.resyncRefused("\(error)")
      changed()
    }
    armResync()
  }

  // MARK: The connection

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    session.connectionOpened()
    changed()
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    var refusal: String?
    if case .refused(let reason) = answer { refusal = "\(reason)" }
    session.subscribed(filter, refusal: refusal, at: loop.clock.now)
    armResync()
    changed()
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    connection.flush()
    for message in arena.messages {
      let bytes = arena.bytes.span
      session.take(
        topic: arena.bytes.string(message.topic), payload: bytes.extracting(message.payload.range),
        isKept: message.isRetained, at: loop.clock.now)
    }
    armResync()
    changed()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    guard id == resyncID else { return }
    resyncID = nil
    guard reason.isFailure else { return }
    session.resyncRefused("\(reason)")
    changed()
  }

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    resyncID = nil
    session.connectionEnded("\(reason)")
    armResync()
    changed()
  }
}
