import CMosquitto

/// A reason code of MQTT 5 (section 2.4). What MQTT 3.1.1 says is given in the same codes.
public struct MQTTReason: RawRepresentable, Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The code.
  public let rawValue: UInt8

  /// Done.
  public static let success = MQTTReason(rawValue: 0)
  /// A refusal that says no more.
  public static let unspecified = MQTTReason(rawValue: 128)
  /// The broker does not speak this version.
  public static let unsupportedVersion = MQTTReason(rawValue: 132)
  /// The broker does not take the client id.
  public static let clientIDNotValid = MQTTReason(rawValue: 133)
  /// User name or password is wrong.
  public static let badCredentials = MQTTReason(rawValue: 134)
  /// Not allowed.
  public static let notAuthorized = MQTTReason(rawValue: 135)
  /// The broker is there and does not serve.
  public static let serverUnavailable = MQTTReason(rawValue: 136)
  /// The broker is being shut down.
  public static let serverShuttingDown = MQTTReason(rawValue: 139)
  /// A client with the same id has connected.
  public static let sessionTakenOver = MQTTReason(rawValue: 142)
  /// The broker does not take the filter.
  public static let topicFilterInvalid = MQTTReason(rawValue: 143)

  /// The reason of a code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// True from 128 on: what was asked for was not done.
  public var isFailure: Bool { rawValue >= 128 }

  /// The library's words, and the code.
  public var description: String {
    let text = unsafe String(cString: mosquitto_reason_string(Int32(rawValue)))
    return "\(text.hasSuffix(".") ? String(text.dropLast()) : text) (\(rawValue))"
  }

  /// The reason for the return code of a CONNACK. MQTT 3.1.1 has codes 1 … 5 of its own.
  init(connack code: Int32) {
    switch code {
    case 1: self = .unsupportedVersion
    case 2: self = .clientIDNotValid
    case 3: self = .serverUnavailable
    case 4: self = .badCredentials
    case 5: self = .notAuthorized
    default: self.init(rawValue: UInt8(clamping: code))
    }
  }
}

/// Why a connection ended, or was not made.
public enum DisconnectReason: Equatable, Sendable, CustomStringConvertible {
  /// `disconnect` was called.
  case requested
  /// `dropConnection` was called.
  case dropped
  /// The name is not known, with the resolver's code.
  case lookupFailed(code: Int32)
  /// No TCP connection, with `errno`.
  case connectFailed(code: Int32)
  /// Name look-up and TCP connection took longer than `connectTimeoutMilliseconds`.
  case connectTimedOut
  /// The broker took the connection, and did not answer CONNECT in time.
  case handshakeTimedOut
  /// The broker answered CONNECT with a refusal.
  case refused(MQTTReason)
  /// Another client uses our id. A broker of MQTT 5 may say so (`isCertain`); else it is inferred when three
  /// connections on end were closed, the first of them within two seconds, and each next attempt succeeded.
  case takenOver(isCertain: Bool)
  /// The broker said DISCONNECT (MQTT 5).
  case closedByBroker(MQTTReason)
  /// The broker did not answer our ping.
  case keepAliveExpired
  /// The connection broke: end of stream (0) or `errno`.
  case lost(code: Int32)
  /// No TLS connection came about.
  case tlsFailed(TLSFault)
  /// A connection could not be set up at all: a file of the settings cannot be used now.
  case setUpFailed(String)
  /// The library gave up, with its code: a broken packet, no memory.
  case libraryFailed(code: Int32)

  /// One line for the log.
  public var description: String {
    switch self {
    case .requested: "disconnected on request"
    case .dropped: "dropped, so that unacknowledged messages come again"
    case .lookupFailed(let code): "name look-up failed: \(lookupText(code))"
    case .connectFailed(let code): "connect failed: \(systemText(code))"
    case .connectTimedOut: "name look-up and connect timed out"
    case .handshakeTimedOut: "the broker accepted the connection and did not answer CONNECT in time"
    case .refused(let reason): "refused: \(reason)"
    case .takenOver(isCertain: true): "another client took over the session of our client id"
    case .takenOver: "thrown out three times on end: another client probably uses our client id"
    case .closedByBroker(let reason): "closed by the broker: \(reason)"
    case .keepAliveExpired: "the broker did not answer our ping"
    case .lost(code: 0): "the broker closed the connection"
    case .lost(let code): "connection lost: \(systemText(code))"
    case .tlsFailed(let fault): "no secure connection: \(fault)"
    case .setUpFailed(let words): "cannot connect: \(words)"
    case .libraryFailed(let code): "libmosquitto: \(libraryText(code))"
    }
  }
}

/// The broker's answer to one filter.
public enum SubscriptionAnswer: Equatable, Sendable {
  /// QoS 1, as asked for.
  case granted
  /// QoS 0 only: the broker will send without waiting for acknowledgements, so messages can be lost.
  case grantedWithoutAcknowledgement
  /// Nothing will come for this filter.
  case refused(MQTTReason)
}

extension DisconnectReason {
  /// What the library's disconnect callback or failing call means: from 128 on a reason of the broker, else a
  /// result code.
  init(closing code: Int32, errno: Int32) {
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue: self = .closedByBroker(.success)
    case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue: self = .lost(code: 0)
    case MOSQ_ERR_ERRNO.rawValue: self = .lost(code: errno)
    case MOSQ_ERR_KEEPALIVE.rawValue: self = .keepAliveExpired
    case 128...255: self = .closedByBroker(MQTTReason(rawValue: UInt8(code)))
    default: self = .libraryFailed(code: code)
    }
  }
}
