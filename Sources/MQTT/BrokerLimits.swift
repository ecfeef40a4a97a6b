import CMosquitto

/// What a broker of MQTT 5 said in its CONNACK of its limits; nil: nothing, or it speaks MQTT 3.1.1.
public struct BrokerLimits: Equatable, Sendable {
  /// Bytes of the largest packet that it takes (MQTT 5, 3.2.2.3.6).
  public var maxPacketBytes: UInt32?
  /// Messages of ours that may be unacknowledged (3.2.2.3.3).
  public var receiveMaximum: UInt16?
  /// How long it keeps our session, where that is not what we asked for (3.2.2.3.2).
  public var sessionExpirySeconds: UInt32?
  /// False: it keeps no message for later subscribers (3.2.2.3.5).
  public var retains: Bool?
  /// The highest QoS that it takes, where that is not 2 (3.2.2.3.4).
  public var maxQoS: UInt8?

  /// Nothing is known.
  public init() {}

  /// What stands in the properties of a CONNACK, which are the library's.
  @unsafe init(_ properties: OpaquePointer?) {
    var number: UInt32 = 0
    var short: UInt16 = 0
    var byte: UInt8 = 0
    let packet = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
    if unsafe mosquitto_property_read_int32(properties, packet, &number, false) != nil {
      maxPacketBytes = number
    }
    let receive = Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue)
    if unsafe mosquitto_property_read_int16(properties, receive, &short, false) != nil {
      receiveMaximum = short
    }
    let expiry = Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue)
    if unsafe mosquitto_property_read_int32(properties, expiry, &number, false) != nil {
      sessionExpirySeconds = number
    }
    let retain = Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue)
    if unsafe mosquitto_property_read_byte(properties, retain, &byte, false) != nil { retains = byte == 1 }
    let qos = Int32(MQTT_PROP_MAXIMUM_QOS.rawValue)
    if unsafe mosquitto_property_read_byte(properties, qos, &byte, false) != nil { maxQoS = byte }
  }
}
