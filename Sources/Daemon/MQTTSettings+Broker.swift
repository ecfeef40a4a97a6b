public import Configuration
public import MQTT

extension MQTTSettings {
  /// The settings of one of our connections to the configured broker. Each has a client id of its own.
  public init(_ broker: BrokerPlan, password: [UInt8]?, connection: String) {
    self.init(host: broker.host, port: UInt16(broker.port), clientID: "\(broker.clientID)-\(connection)")
    version = broker.protocolVersion == .v5 ? .v5 : .v311
    keepAliveSeconds = broker.keepAliveSeconds
    username = broker.username
    self.password = password
    connectTimeoutMilliseconds = broker.connectTimeoutMilliseconds
    minBackOffMilliseconds = broker.reconnectMinMilliseconds
    maxBackOffMilliseconds = broker.reconnectMaxMilliseconds
    sessionExpirySeconds = UInt32(broker.sessionExpirySeconds)
    receiveMaximum = UInt16(broker.receiveMaximum)
    publishWindow = broker.publishWindow
  }
}
