/// Which broker, and how to speak with it.
public struct BrokerPlan: Equatable, Sendable {
  /// The version of MQTT. The raw value is its word in the configuration.
  public enum ProtocolVersion: String, CaseIterable, Sendable {
    case v5 = "5"
    case v311 = "3.1.1"
  }

  /// Host name or address.
  public var host = "localhost"
  /// TCP port.
  public var port = 1883
  /// The version of MQTT.
  public var protocolVersion = ProtocolVersion.v5
  /// The client id. The broker keeps the session by it, so it must stay the same from run to run.
  public var clientID = "livecue-main"
  /// The user name, if there is one.
  public var username: String?
  /// The file whose first line is the password, if there is one; relative to the working directory, or
  /// `credential:NAME` for one that systemd hands over.
  public var passwordFile: String?
  /// How the connection is encrypted.
  public var tls = TLSPlan()
  /// MQTT keepalive.
  public var keepAliveSeconds = 30
  /// How long a connection may take until CONNACK.
  public var connectTimeoutMilliseconds: Int64 = 10_000
  /// The wait before the first new attempt.
  public var reconnectMinMilliseconds: Int64 = 500
  /// The longest wait between attempts.
  public var reconnectMaxMilliseconds: Int64 = 30_000
  /// How long the broker keeps the session while we are away (MQTT 5).
  public var sessionExpirySeconds: Int64 = 604_800
  /// Messages that the broker may send before the first is acknowledged (MQTT 5).
  public var receiveMaximum = 500
  /// Messages of ours that may be unacknowledged.
  public var publishWindow = 500

  /// The defaults.
  public init() {}
}
