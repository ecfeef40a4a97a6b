import CMosquitto
import Glibc

/// Owns one `struct mosquitto`, for one attempt to connect and the connection that comes of it.
///
/// A new connection takes a new handle: the library keeps unacknowledged messages and sends them again by
/// itself after a reconnect, but the outbox is ours, and a message may not be in two places.
@safe
final class MosquittoHandle {
  let client: OpaquePointer
  let settings: MQTTSettings
  /// Where callbacks leave what came; one of its own while a helper thread owns the handle.
  var inbox: Inbox?
  /// True if the TLS handshake is done, as far as we are concerned.
  var tlsStands = false
  /// The `errno` of the call that closed the connection.
  var closingErrno: Int32 = 0
  /// Packets queued since the last write: publishes, and acknowledgements of what was read.
  var queuedCount = 0

  /// `mosquitto_lib_init` is to be called once, before any other function, and not from two threads at once.
  private static let libraryIsReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  /// A handle with all options set. Throws what the library refuses.
  init(_ settings: MQTTSettings) throws(MQTTFault) {
    try settings.validate()
    let startsClean = !settings.keepsSession
    guard Self.libraryIsReady, let client = unsafe mosquitto_new(settings.clientID, startsClean, nil) else {
      throw .library(call: "mosquitto_new", code: MOSQ_ERR_NOMEM.rawValue)
    }
    unsafe self.client = unsafe client
    self.settings = settings
    try configure()
  }

  deinit { unsafe mosquitto_destroy(client) }

  private func configure() throws(MQTTFault) {
    func check(_ call: StaticString, _ code: Int32) throws(MQTTFault) {
      guard code == MOSQ_ERR_SUCCESS.rawValue else { throw .library(call: call, code: code) }
    }
    func set(_ option: mosq_opt_t, _ value: Int) throws(MQTTFault) {
      try check("mosquitto_int_option", unsafe mosquitto_int_option(client, option, Int32(value)))
    }
    try set(
      MOSQ_OPT_PROTOCOL_VERSION, Int(settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311))
    try set(MOSQ_OPT_TCP_NODELAY, 1)
    try set(MOSQ_OPT_RECEIVE_MAXIMUM, Int(settings.receiveMaximum))
    try set(MOSQ_OPT_SEND_MAXIMUM, settings.publishWindow)
    // With "threaded" every outgoing packet, acknowledgements included, waits for our `mosquitto_loop_write`.
    try check("mosquitto_threaded_set", unsafe mosquitto_threaded_set(client, true))
    if settings.username != nil || settings.password != nil {
      let password = settings.password.map { $0.map { CChar(bitPattern: $0) } + [0] }
      try check(
        "mosquitto_username_pw_set", unsafe mosquitto_username_pw_set(client, settings.username, password))
    }
    if let will = settings.will {
      let code = unsafe will.payload.withUnsafeBytes {
        unsafe mosquitto_will_set(client, will.topic, Int32($0.count), $0.baseAddress, 1, true)
      }
      try check("mosquitto_will_set", code)
    }
    if let tls = settings.tls { try configureTLS(tls) }
  }

  // MARK: Connecting, on the helper thread

  /// Looks up the name and connects; blocks. Queues CONNECT, and sends nothing but the beginning of TLS. No
  /// callback is set yet but the one for complaints.
  func connect() -> ConnectOutcome {
    let ownInbox = Inbox()
    inbox = ownInbox
    unsafe mosquitto_user_data_set(client, Unmanaged.passUnretained(ownInbox).toOpaque())
    hearComplaints()
    var properties: OpaquePointer?
    defer { unsafe mosquitto_property_free_all(&properties) }
    if settings.version == .v5 && settings.keepsSession {
      let code = unsafe mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), settings.sessionExpirySeconds)
      guard code == MOSQ_ERR_SUCCESS.rawValue else { return .failed(.libraryFailed(code: code)) }
    }
    errno = 0
    let code = unsafe mosquitto_connect_bind_v5(
      client, settings.host, Int32(settings.port), Int32(settings.keepAliveSeconds), nil, properties)
    // For these two the library leaves the resolver's or the system's code in `errno`.
    let detail = errno
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue: return .connected
    case MOSQ_ERR_EAI.rawValue: return .failed(.lookupFailed(code: detail))
    case MOSQ_ERR_ERRNO.rawValue: return .failed(.connectFailed(code: detail))
    case MOSQ_ERR_TLS.rawValue: return .failed(.tlsFailed(tlsFault))
    default: return .failed(.libraryFailed(code: code))
    }
  }
}
