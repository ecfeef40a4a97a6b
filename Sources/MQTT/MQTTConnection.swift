import Base
public import EventLoop
import Glibc

/// One MQTT client in an event loop: it connects, stays connected, reads, acknowledges when told, and
/// publishes.
///
/// Messages are taken in with the acknowledgement held: they are handed out in `received`, and `flush` says
/// that they are recorded; only then are they acknowledged. As long as something is unrecorded nothing at all
/// is written, pings included, so recording must not take longer than the keepalive. Publishes are queued,
/// and written by `flush` or at the end of the turn.
public final class MQTTConnection {
  /// What it was made with.
  public let settings: MQTTSettings
  /// Who hears what happens.
  public weak var delegate: (any MQTTConnectionDelegate)?
  /// What happened so far.
  public internal(set) var counters = MQTTCounters()
  /// What the broker said of its limits when it accepted us last.
  public private(set) var brokerLimits = BrokerLimits()
  /// Messages of ours that the broker has not answered.
  public internal(set) var unacknowledgedCount = 0

  let loop: EventLoop
  let inbox = Inbox()
  var machine: ConnectionMachine
  var handle: MosquittoHandle?
  /// The filters that are subscribed on each connect.
  public internal(set) var filters: [String] = []
  /// Filters whose answer is awaited, by the id of their SUBSCRIBE.
  var awaitedFilters: [Int32: String] = [:]
  private var generator: any RandomNumberGenerator
  private var attempt: ConnectAttempt?
  private var lateAttempts: [ConnectAttempt] = []
  /// The socket as it is registered: the library may have closed it and forgotten its number.
  private var registeredSocket: Int32?
  /// What is left of a connection that we are leaving.
  private var farewell: Farewell?
  private var deadlineTimer: TimerID?
  private var keepAliveTimer: TimerID?
  private var outputHook: HookID?
  /// True if the messages in the inbox may be acknowledged, and thrown away at the next read.
  private var isRecorded = true
  private var handedOutCount = 0
  private var isSettling = false

  /// Attempts that hang in name look-up or connect; a new one has to wait for one of them to come back.
  private static let maxLateAttempts = 4
  private static let keepAliveMilliseconds: Int64 = 1000

  /// A connection that does nothing before `start`. Throws if the settings cannot work. `generator` is the
  /// source of the jitter between attempts.
  public init(
    _ settings: MQTTSettings, loop: EventLoop, generator: any RandomNumberGenerator
  ) throws(MQTTFault) {
    // The library checks the rest, topic of the will and client id, when a handle is made.
    _ = try MosquittoHandle(settings)
    self.settings = settings
    self.loop = loop
    self.generator = generator
    machine = ConnectionMachine(settings)
    outputHook = loop.addHook(.output) { [unowned self] in finishTurn() }
  }

  deinit {
    letGo()
    if let deadlineTimer { loop.cancel(deadlineTimer) }
    if let outputHook { loop.removeHook(outputHook) }
  }

  // MARK: The owner's inputs

  /// True between `connectionDidOpen` and the end.
  public var isOnline: Bool {
    if case .online = machine.state { true } else { false }
  }

  /// True if nothing is under way, and nothing will be before `start`.
  public var isIdle: Bool { machine.state == .idle }

  /// The messages that were read: all since the last `flush`, and until the next read those before it.
  public var received: MessageArena { inbox.arena }

  /// Makes other payloads of messages as they arrive, before anybody sees or records them; nil: they stay.
  public var rewriter: PayloadRewriter? {
    get { inbox.rewriter }
    set { inbox.rewriter = newValue }
  }

  /// Connects, and from then on comes back after every loss. Nothing happens if it is at it already.
  public func start() { perform(machine.start(at: loop.clock.now)) }

  /// Says that everything in `received` is recorded: acknowledges it, and writes what is queued. Call it
  /// after the commit. Cheap if there is nothing to do. An end that it meets is reported at the end of the
  /// turn.
  public func flush() {
    isRecorded = true
    guard let handle else { return }
    if handle.wantsWrite { handle.write() }
  }

  /// Closes without acknowledging what is unrecorded, so that the broker sends it again, and comes back after
  /// a wait. The broker publishes the will.
  public func dropConnection() {
    guard handle != nil || attempt != nil else { return }
    end(.dropped)
  }

  /// Leaves cleanly: what is recorded is acknowledged, the broker forgets the will and keeps the session.
  /// With unrecorded messages it drops the connection instead. Ends with `didEnd(.requested)`.
  public func disconnect() {
    perform(machine.disconnect(mustDrop: !isFreeToWrite, at: loop.clock.now))
  }

  // MARK: Connecting

  private func perform(_ action: ConnectionAction) {
    switch action {
    case .nothing: armDeadline()
    case .connect: beginAttempt()
    case .announce: announce()
    case .sendDisconnect:
      leave()
      armDeadline()
    case .giveUp(let reason): end(reason)
    }
  }

  private func beginAttempt() {
    armDeadline()
    lateAttempts.removeAll { $0.isDone }
    // All of them hang: that is the same fault again.
    guard lateAttempts.count < Self.maxLateAttempts else { return end(.connectTimedOut) }
    do {
      let wakeUp = try loop.makeWakeUp { [unowned self] in attemptFinished() }
      let attempt = ConnectAttempt(try MosquittoHandle(settings), wakeUp: wakeUp)
      let code = attempt.begin()
      if code == 0 {
        self.attempt = attempt
      } else {
        loop.remove(wakeUp)
        end(.connectFailed(code: code))
      }
    } catch let fault as EventLoopFault {
      end(.connectFailed(code: fault.code))
    } catch let fault as MQTTFault where settings.tls != nil {
      // A certificate that was there at the start may be gone, or just being renewed.
      end(.setUpFailed("\(fault)"))
    } catch {
      // The settings were good enough once: what is left is want of memory.
      end(.connectFailed(code: ENOMEM))
    }
  }

  private func attemptFinished() {
    guard let attempt, attempt.isDone else { return }
    loop.remove(attempt.wakeUp)
    self.attempt = nil
    if case .failed(let reason) = attempt.outcome { return end(reason) }
    guard let socket = attempt.handle.socket else { return end(.lost(code: 0)) }
    attempt.handle.attach(inbox)
    handle = attempt.handle
    do {
      // The descriptor is a new one after each connect.
      try loop.register(socket, for: [.read, .write]) { [unowned self] in socketIsReady($0) }
      registeredSocket = socket
      perform(machine.opened())
    } catch {
      end(.connectFailed(code: error.code))
    }
  }

  private func announce() {
    counters.connections += 1
    scheduleKeepAlive()
    armDeadline()
    subscribe(filters)
  }

  private func scheduleKeepAlive() {
    keepAliveTimer = loop.schedule(at: loop.clock.now + Self.keepAliveMilliseconds) { [unowned self] in
      scheduleKeepAlive()
      handle?.attendKeepAlive()
      settle()
    }
  }

  private func armDeadline() {
    if let deadlineTimer { loop.cancel(deadlineTimer) }
    deadlineTimer = machine.deadline.map {
      loop.schedule(at: $0) { [unowned self] in perform(machine.deadlinePassed(at: loop.clock.now)) }
    }
  }

  // MARK: Ending

  /// Sends DISCONNECT, and waits for the broker to close its side. Nothing is handed out any more: its
  /// acknowledgement would come after DISCONNECT.
  private func leave() {
    guard let handle, let socket = handle.socket else { return }
    handle.disconnect()
    do {
      farewell = Farewell(socket: socket, loop: loop)
      // While the second descriptor is open, epoll would not forget the first by itself.
      stopWatching()
      try farewell?.watch { [unowned self] in goOnLeaving() }
      goOnLeaving()
    } catch {
      end(.lost(code: error.code))
    }
  }

  private func goOnLeaving() {
    guard let handle, let farewell else { return end(.requested) }
    do {
      if handle.socket != nil { handle.write() }
      if handle.socket == nil { try farewell.isWritten() }
      if farewell.isOver() { end(.requested) }
    } catch {
      end(.lost(code: error.code))
    }
  }

  private func stopWatching() {
    if let registeredSocket { loop.unregister(registeredSocket) }
    registeredSocket = nil
  }

  func end(_ reason: DisconnectReason) {
    letGo()
    let (meaning, retryAt) = machine.ended(reason, at: loop.clock.now, using: &generator)
    armDeadline()
    if meaning != .requested { counters.losses += 1 }
    delegate?.connection(self, didEnd: meaning, retryAt: retryAt)
  }

  /// Lets go of attempt, handle and socket, and of all that belonged to the connection.
  private func letGo() {
    if let attempt {
      loop.remove(attempt.wakeUp)
      if !attempt.isDone { lateAttempts.append(attempt) }
    }
    attempt = nil
    stopWatching()
    farewell = nil
    if let keepAliveTimer { loop.cancel(keepAliveTimer) }
    keepAliveTimer = nil
    // Packets that wait, acknowledgements among them, go with the handle.
    handle = nil
    inbox.removeAllButMessages()
    awaitedFilters.removeAll()
    unacknowledgedCount = 0
    isRecorded = true
    handedOutCount = inbox.arena.messages.count
  }

  // MARK: Reading and writing

  /// Nothing may be written while something is unrecorded: its acknowledgement is in the same queue.
  var isFreeToWrite: Bool { isRecorded || inbox.arena.messages.isEmpty }

  private var hasRoomToRead: Bool {
    isFreeToWrite
      || inbox.arena.messages.count < settings.readLimitMessages
        && inbox.arena.bytes.count < settings.readLimitBytes
  }

  private func socketIsReady(_ readiness: Readiness) {
    guard let handle else { return }
    if readiness.contains(.hungUp) && !hasRoomToRead {
      // What is left in the socket was not acknowledged and comes again; reading it would break the limit.
      return end(.lost(code: 0))
    }
    if readiness.contains(.writable) && isFreeToWrite { handle.write() }
    if !readiness.isDisjoint(with: [.readable, .hungUp]) && hasRoomToRead { read(from: handle) }
    settle()
  }

  private func read(from handle: MosquittoHandle) {
    if isRecorded {
      inbox.arena.removeAll()
      handedOutCount = 0
      isRecorded = false
    }
    handle.readUntilDry(
      ReadLimit(messages: settings.readLimitMessages, bytes: settings.readLimitBytes))
  }

  private func finishTurn() {
    guard let handle else { return }
    if isFreeToWrite && handle.wantsWrite { handle.write() }
    settle()
  }

  /// Tells the delegate what the last calls of the library brought, in the order in which it must be known.
  private func settle() {
    // The delegate may call back; what that brings is told by the call that is under way, or at the turn's
    // end.
    guard !isSettling else { return }
    isSettling = true
    defer { isSettling = false }
    settleConnack()
    settleSubscriptions()
    settleAcknowledgements()
    settleMessages()
    // The library closes its descriptor when DISCONNECT is written, which is not the end yet.
    if let code = inbox.closing, farewell == nil { end(reason(of: code)) }
    updateInterest()
  }

  private func settleConnack() {
    guard let (reason, sessionPresent, limits) = inbox.connack else { return }
    inbox.connack = nil
    handle?.hearNoComplaints()
    inbox.complaints.removeAll()
    brokerLimits = limits
    perform(machine.answered(reason, at: loop.clock.now))
    if isOnline { delegate?.connectionDidOpen(self, sessionPresent: sessionPresent) }
  }

  private func settleMessages() {
    let arena = inbox.arena.messages
    guard arena.count > handedOutCount else { return }
    counters.messagesReceived += arena.count - handedOutCount
    for message in arena[handedOutCount...] {
      counters.bytesReceived += Int(message.topic.count) + Int(message.payload.count)
    }
    handedOutCount = arena.count
    delegate?.connectionDidReceive(self)
  }

  private func updateInterest() {
    guard let registeredSocket, let handle, handle.socket != nil else { return }
    var interest: Interest = hasRoomToRead ? .read : []
    if handle.wantsWrite && isFreeToWrite { interest.insert(.write) }
    do {
      try loop.change(registeredSocket, to: interest)
    } catch {
      end(.lost(code: error.code))
    }
  }

  private func reason(of code: Int32) -> DisconnectReason {
    // Before CONNACK a complaint says more than the code: the broker may refuse us after TLS stands for us.
    if let handle, settings.tls != nil, !isOnline {
      let fault = handle.tlsFault
      if code == MosquittoHandle.tlsCode || fault != .other("") { return .tlsFailed(fault) }
    }
    return DisconnectReason(closing: code, errno: handle?.closingErrno ?? 0)
  }
}
