import CMosquitto
import COpenSSL

extension MosquittoHandle {
  /// The library's code for "A TLS error occurred."
  static let tlsCode = MOSQ_ERR_TLS.rawValue

  /// Sets up TLS as the settings want it. Throws what the library refuses.
  func configureTLS(_ tls: TLSSettings) throws(MQTTFault) {
    func check(_ call: StaticString, _ code: Int32) throws(MQTTFault) {
      guard code == MOSQ_ERR_SUCCESS.rawValue else { throw .library(call: call, code: code) }
    }
    switch tls.trust {
    case .systemStore: try trust(nil, folder: TLSSettings.systemStore, tls.identity)
    case .authorities(let file): try trust(file, folder: nil, tls.identity)
    case .sharedKey(let identity, let hexadecimal):
      try check("mosquitto_tls_psk_set", unsafe mosquitto_tls_psk_set(client, hexadecimal, identity, nil))
    }
    // 1: SSL_VERIFY_PEER. The library takes the version as the oldest, and all later ones.
    let verifyPeer: Int32 = 1
    try check(
      "mosquitto_tls_opts_set",
      unsafe mosquitto_tls_opts_set(client, verifyPeer, "tlsv\(tls.minVersion.rawValue)", nil))
  }

  private func trust(
    _ file: String?, folder: String?, _ identity: TLSSettings.Identity?
  ) throws(MQTTFault) {
    // Without a callback OpenSSL would ask for the passphrase of an encrypted key on the terminal.
    let code = unsafe mosquitto_tls_set(
      client, file, folder, identity?.certificateFile, identity?.keyFile, { _, _, _, _ in 0 })
    guard code == MOSQ_ERR_SUCCESS.rawValue else { throw .library(call: "mosquitto_tls_set", code: code) }
  }

  /// Lets `inbox` hear what the library says about TLS.
  ///
  /// The library writes a line for each packet, and only if somebody listens: so this lasts until CONNACK.
  func hearComplaints() {
    guard settings.tls != nil else { return }
    unsafe mosquitto_log_callback_set(client) { client, inbox, level, text in
      guard level == MOSQ_LOG_ERR, let text = unsafe text else { return }
      let line = unsafe String(cString: text)
      // Asked here, since the library may let go of the connection before its call returns.
      let code = unsafe mosquitto_ssl_get(client).map { unsafe SSL_get_verify_result(OpaquePointer($0)) }
      unsafe note(inbox) {
        $0.complaints.append(line)
        if let code, code != Int(X509_V_OK) { $0.verifyCode = code }
      }
    }
  }

  /// Hears no more: TLS stands.
  func hearNoComplaints() {
    guard settings.tls != nil else { return }
    unsafe mosquitto_log_callback_set(client, nil)
  }
}

extension MosquittoHandle {
  /// Why TLS did not come about, by what was heard.
  var tlsFault: TLSFault {
    let fault = TLSFault(verifyCode: inbox?.verifyCode ?? 0, complaints: inbox?.complaints ?? [])
    guard fault == .other(""), tlsStands else { return fault }
    if case .sharedKey = settings.tls?.trust { return fault }
    // A broker with TLS 1.3 looks at our certificate when TLS stands for us. Our CONNECT may meet a
    // connection that is closed already, and then nobody can read why.
    return settings.tls?.identity == nil ? .clientCertificateMissing : .clientCertificateRefused
  }

  /// Notes whether TLS stands: after the end of a connection nobody can tell.
  func noteTLS() {
    guard settings.tls != nil, !tlsStands, let connection = unsafe mosquitto_ssl_get(client) else { return }
    tlsStands = unsafe SSL_is_init_finished(OpaquePointer(connection)) == 1
  }
}
