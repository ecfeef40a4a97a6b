extension ServiceDraft {
  /// Refuses settings of TLS that would do nothing, or contradict each other.
  func checkTLS(_ report: inout Report) {
    let tls = broker.tls
    let given = [
      ("caFile", tls.caFile), ("certificateFile", tls.certificateFile), ("keyFile", tls.keyFile),
      ("pskIdentity", tls.pskIdentity), ("pskFile", tls.pskFile),
    ].compactMap { $0.1 == nil ? nil : $0.0 }
    func refuse(_ name: String, _ message: String) {
      let path = "broker.tls.\(name)"
      if let position = report.givenAt[path] { report.refuse(position, path, message) }
    }
    guard tls.isEnabled else {
      // Who gives a certificate believes that the connection is encrypted.
      for name in given { refuse(name, "given while TLS is off, expected broker.tls.enabled: true with it") }
      return
    }
    let pairs = [("certificateFile", "keyFile"), ("pskIdentity", "pskFile")]
    for (one, other) in pairs where given.contains(one) != given.contains(other) {
      let there = given.contains(one) ? one : other
      refuse(there, "given alone, expected broker.tls.\(there == one ? other : one) too")
    }
    guard given.contains("pskIdentity") else { return }
    for name in given where !name.hasPrefix("psk") {
      refuse(name, "certificates beside a common key, expected either these or broker.tls.psk…")
    }
  }
}
