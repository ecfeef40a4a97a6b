public import Configuration
public import MQTT

extension MQTTSettings {
  /// The settings of one of our connections to the configured broker. Each has a client id of its own.
  /// - Throws: the file that TLS needs and that cannot be read or used.
  public init(
    _ broker: BrokerPlan, password: [UInt8]?, connection: String
  ) throws(ConfigurationErrors) {
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
    tls = try broker.readTLS().map { TLSSettings(broker.tls, keys: $0) }
  }
}

extension TLSSettings {
  /// The settings of a plan with what its files hold.
  init(_ plan: TLSPlan, keys: TLSKeys) {
    self.init(minVersion: plan.minVersion == .v13 ? .v13 : .v12)
    if let identity = plan.pskIdentity, let key = keys.sharedKey {
      trust = .sharedKey(identity: identity, hexadecimal: key)
    } else if let file = plan.caFile {
      trust = .authorities(file: file)
    }
    if let certificateFile = plan.certificateFile, let keyFile = keys.keyFile {
      identity = Identity(certificateFile: certificateFile, keyFile: keyFile)
    }
  }
}
