/// Which protocol is spoken.
public enum MQTTVersion: String, CaseIterable, Sendable {
  /// MQTT 3.1.1: no reason codes, so a refused publish looks fine.
  case v311 = "3.1.1"
  /// MQTT 5.
  case v5 = "5"
}

/// What the broker publishes for us when it loses us; QoS 1 and retained.
public struct Will: Equatable, Sendable {
  /// Where.
  public var topic: String
  /// What.
  public var payload: [UInt8]

  /// A last will.
  public init(topic: String, payload: [UInt8]) {
    self.topic = topic
    self.payload = payload
  }
}

/// Everything that a connection needs to know. Checked when the connection is made.
public struct MQTTSettings: Equatable, Sendable {
  /// Name or address of the broker.
  public var host: String
  /// TCP port of the broker.
  public var port: UInt16
  /// The client id. The session belongs to it, and the broker throws out an older client of the same id.
  public var clientID: String
  /// Which protocol is spoken.
  public var version = MQTTVersion.v5
  /// Seconds of silence after which either side pings: 5 or more, or 0 for never. Acknowledgements can be
  /// held for this long at most.
  public var keepAliveSeconds = 30
  /// Who we are.
  public var username: String?
  /// The secret; without a zero byte, which the library cannot send. MQTT 3.1.1 wants a user name with it.
  public var password: [UInt8]?
  /// How long an attempt may take, from name look-up to CONNACK.
  public var connectTimeoutMilliseconds: Int64 = 10_000
  /// The shortest wait before a new attempt.
  public var minBackOffMilliseconds: Int64 = 250
  /// The longest wait before a new attempt.
  public var maxBackOffMilliseconds: Int64 = 30_000
  /// How long the broker keeps the session while we are away; 0: no session, each connection starts clean.
  /// MQTT 3.1.1 knows only 0 and for ever.
  public var sessionExpirySeconds: UInt32 = 7 * 86_400
  /// How many unacknowledged messages the broker may send us (MQTT 5; else it decides alone).
  public var receiveMaximum: UInt16 = 500
  /// How many of our messages may be unacknowledged. The library is slow with more than some hundreds.
  public var publishWindow = 500
  /// Messages after which reading pauses until the next `flush`.
  public var readLimitMessages = 500
  /// Bytes of topics and payloads after which reading pauses until the next `flush`.
  public var readLimitBytes = 8 << 20
  /// True: what the broker had kept comes at each subscribe. With MQTT 3.1.1 it always does.
  public var takesRetained = false
  /// What the broker says when it loses us.
  public var will: Will?
  /// How the connection is encrypted; nil: it is not.
  public var tls: TLSSettings?

  /// The settings of the design for a broker and a client id.
  public init(host: String, port: UInt16 = 1883, clientID: String) {
    self.host = host
    self.port = port
    self.clientID = clientID
  }

  /// True if the broker keeps a session for us.
  public var keepsSession: Bool { sessionExpirySeconds > 0 }

  /// Throws the first setting that cannot work.
  func validate() throws(MQTTFault) {
    func require(_ holds: Bool, _ name: StaticString, _ expected: StaticString) throws(MQTTFault) {
      guard holds else { throw .invalidSetting(name, expected: expected) }
    }
    func isText(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(0) }
    try require(isText(host), "host", "a name or an address")
    try require(port > 0, "port", "1 … 65535")
    try require(isText(clientID), "clientID", "a text without zero bytes")
    // The library: "keepalive ... must be 0 or at least 5".
    let keepAliveIsPossible = keepAliveSeconds == 0 || (5...65_535).contains(keepAliveSeconds)
    try require(keepAliveIsPossible, "keepAliveSeconds", "0 or 5 … 65535")
    try require(username.map(isText) ?? true, "username", "a text without zero bytes")
    try require(password.map { !$0.contains(0) } ?? true, "password", "bytes other than zero")
    try require(password == nil || username != nil || version == .v5, "password", "a user name with it")
    try require(connectTimeoutMilliseconds > 0, "connectTimeoutMilliseconds", "more than 0")
    try require(minBackOffMilliseconds > 0, "minBackOffMilliseconds", "more than 0")
    try require(
      maxBackOffMilliseconds >= minBackOffMilliseconds, "maxBackOffMilliseconds", "the shortest wait or more")
    try require(receiveMaximum > 0, "receiveMaximum", "1 … 65535")
    try require((1...65_535).contains(publishWindow), "publishWindow", "1 … 65535")
    try require(readLimitMessages > 0, "readLimitMessages", "more than 0")
    try require(readLimitBytes > 0, "readLimitBytes", "more than 0")
    try require(will.map { isText($0.topic) } ?? true, "will.topic", "a topic without wildcards")
    try require((will?.payload.count ?? 0) <= 65_535, "will.payload", "at most 65535 bytes")
    if case .sharedKey(let identity, let key) = tls?.trust {
      try require(isText(identity), "tls.identity", "a text without zero bytes")
      let isKey = (1...512).contains(key.utf8.count) && key.allSatisfy { $0.isASCII && $0.isHexDigit }
      try require(isKey, "tls.key", "1 … 512 hexadecimal digits")
      try require(tls?.identity == nil, "tls.identity", "no certificate with a shared key")
    }
  }
}
