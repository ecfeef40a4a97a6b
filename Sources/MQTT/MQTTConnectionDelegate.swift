public import Base

/// Hears what happens to a connection, on the loop's thread.
///
/// Every method may call the connection back: publish, flush, drop, disconnect, start.
public protocol MQTTConnectionDelegate: AnyObject {
  /// The broker accepted us, and the filters are being subscribed. `sessionPresent`: it kept our session, so
  /// messages that were not acknowledged come again with their old ids. What was published and not
  /// acknowledged before is forgotten here; publish it again.
  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool)

  /// The broker answered for one of the filters.
  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer)

  /// There are new messages at the end of `received`. Record them, then call `flush`.
  func connectionDidReceive(_ connection: MQTTConnection)

  /// The broker has taken the message of this id, or with a failing reason (MQTT 5 only) refused it for good.
  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason)

  /// The connection is over, or an attempt failed. `retryAt`: when the next attempt begins; nil: `start`
  /// begins it.
  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?)
}

/// What a connection counts.
public struct MQTTCounters: Equatable, Sendable {
  /// Times that the broker accepted us.
  public var connections = 0
  /// Connections that ended and attempts that failed, other than on request.
  public var losses = 0
  /// Messages read.
  public var messagesReceived = 0
  /// Bytes of the topics and payloads read.
  public var bytesReceived = 0
  /// Messages handed to the library.
  public var messagesPublished = 0
  /// Messages that the broker took.
  public var messagesAcknowledged = 0
  /// Messages that the broker refused (MQTT 5).
  public var messagesRefused = 0
  /// Filters that the broker refused, or granted without acknowledgements.
  public var filtersRefused = 0

  /// All zero.
  public init() {}
}
