import Base

/// What a connection is doing.
enum ConnectionState: Equatable {
  /// Nothing, until `start`.
  case idle
  /// The helper thread looks up the name and connects.
  case connecting(deadline: Instant)
  /// There is a socket; CONNECT is on its way and CONNACK is awaited.
  case handshaking(deadline: Instant)
  /// Messages come and go.
  case online(since: Instant)
  /// DISCONNECT is being written.
  case disconnecting(deadline: Instant)
  /// Waiting before the next attempt.
  case backingOff(until: Instant)
}

/// What the connection has to do about an input.
enum ConnectionAction: Equatable {
  case nothing
  /// Begin an attempt.
  case connect
  /// Tell everyone that we are online.
  case announce
  /// Queue DISCONNECT.
  case sendDisconnect
  /// Let go of handle or attempt, with this reason.
  case giveUp(DisconnectReason)
}

/// Decides when to connect, how long to wait and what an ending means. No I/O and no clock.
struct ConnectionMachine {
  private(set) var state = ConnectionState.idle
  private let connectTimeout: Int64
  private var backOff: BackOff
  /// Losses on end that look as if another client had our id.
  private var suspiciousLosses = 0
  private var lastLoss: Instant = .min
  /// So long after a loss it is forgotten; both sides wait for less than this.
  private let forgetMilliseconds: Int64

  /// A connection that lasted this long was a good one: the next wait is short again.
  private static let stableMilliseconds: Int64 = 10_000
  /// Two clients with one id throw each other out about once a second.
  private static let quickLossMilliseconds: Int64 = 2_000
  private static let lossesOfATakeover = 3
  /// How long DISCONNECT may take to be written.
  private static let disconnectMilliseconds: Int64 = 2_000

  init(_ settings: MQTTSettings) {
    connectTimeout = settings.connectTimeoutMilliseconds
    forgetMilliseconds = 2 * settings.maxBackOffMilliseconds + Self.stableMilliseconds
    backOff = BackOff(shortest: settings.minBackOffMilliseconds, longest: settings.maxBackOffMilliseconds)
  }

  /// When `deadlinePassed` is to be called.
  var deadline: Instant? {
    switch state {
    case .idle, .online: nil
    case .connecting(let deadline), .handshaking(let deadline), .disconnecting(let deadline): deadline
    case .backingOff(let until): until
    }
  }

  /// The owner wants a connection.
  mutating func start(at now: Instant) -> ConnectionAction {
    guard case .idle = state else { return .nothing }
    backOff.reset()
    suspiciousLosses = 0
    return connect(at: now)
  }

  /// The helper thread has a socket. The attempt's deadline goes on.
  mutating func opened() -> ConnectionAction {
    guard case .connecting(let deadline) = state else { return .nothing }
    state = .handshaking(deadline: deadline)
    return .nothing
  }

  /// CONNACK came.
  mutating func answered(_ reason: MQTTReason, at now: Instant) -> ConnectionAction {
    guard case .handshaking = state else { return .nothing }
    guard reason == .success else { return .giveUp(.refused(reason)) }
    state = .online(since: now)
    return .announce
  }

  /// The owner wants to leave cleanly; with `mustDrop` without a DISCONNECT.
  mutating func disconnect(mustDrop: Bool, at now: Instant) -> ConnectionAction {
    switch state {
    case .idle, .disconnecting: return .nothing
    case .online where !mustDrop:
      state = .disconnecting(deadline: now + Self.disconnectMilliseconds)
      return .sendDisconnect
    case .online, .connecting, .handshaking, .backingOff: return .giveUp(.requested)
    }
  }

  /// The instant of `deadline` is here.
  mutating func deadlinePassed(at now: Instant) -> ConnectionAction {
    guard let deadline, deadline <= now else { return .nothing }
    switch state {
    case .idle, .online: return .nothing
    case .connecting: return .giveUp(.connectTimedOut)
    case .handshaking: return .giveUp(.handshakeTimedOut)
    case .disconnecting: return .giveUp(.requested)
    case .backingOff: return connect(at: now)
    }
  }

  /// The connection or the attempt is over. Returns what it means and, unless it was wanted, when to try
  /// again.
  mutating func ended(
    _ reason: DisconnectReason, at now: Instant, using generator: inout some RandomNumberGenerator
  ) -> (reason: DisconnectReason, retryAt: Instant?) {
    if case .disconnecting = state {
      state = .idle
      return (.requested, nil)
    }
    guard reason != .requested else {
      state = .idle
      return (reason, nil)
    }
    let meaning = interpret(reason, at: now)
    let until = now + backOff.wait(isAway: isAway(reason), using: &generator)
    state = .backingOff(until: until)
    return (meaning, until)
  }

  /// True if an attempt came to no broker that answers. One that refuses us does so the next time too.
  private func isAway(_ reason: DisconnectReason) -> Bool {
    switch reason {
    case .lookupFailed, .connectFailed, .connectTimedOut, .handshakeTimedOut: return true
    case .lost:
      if case .online = state { return false }
      return true
    case .requested, .dropped, .refused, .takenOver, .closedByBroker, .keepAliveExpired, .tlsFailed,
      .setUpFailed,
      .libraryFailed:
      return false
    }
  }

  private mutating func connect(at now: Instant) -> ConnectionAction {
    state = .connecting(deadline: now + connectTimeout)
    return .connect
  }

  private mutating func interpret(_ reason: DisconnectReason, at now: Instant) -> DisconnectReason {
    guard case .online(let since) = state else {
      // A broker that takes nobody in throws nobody out. One that closes before it has answered may do just
      // that.
      if case .lost = reason { return reason }
      suspiciousLosses = 0
      return reason
    }
    if now - since >= Self.stableMilliseconds { backOff.reset() }
    if reason == .closedByBroker(.sessionTakenOver) {
      // Coming back at once would throw the other out, and so on for ever.
      backOff.jumpToLongest()
      return .takenOver(isCertain: true)
    }
    // MQTT 3.1.1 has no reason, and mosquitto 2.0.11 gives none in MQTT 5 either: the broker just closes.
    guard case .lost = reason else {
      suspiciousLosses = 0
      return reason
    }
    if lastLoss < now - forgetMilliseconds { suspiciousLosses = 0 }
    lastLoss = now
    // The first of two that fight to notice backs off; the other is thrown out only when it comes back, which
    // is not quick, and belongs to the same fight.
    guard now - since < Self.quickLossMilliseconds || suspiciousLosses > 0 else { return reason }
    suspiciousLosses += 1
    guard suspiciousLosses >= Self.lossesOfATakeover else { return reason }
    backOff.jumpToLongest()
    return .takenOver(isCertain: false)
  }
}
