extension ServiceSettings {
  /// How the connection to the broker is encrypted.
  static let tls: [SettingRow<ServiceDraft>] = [
    SettingRow(
      "broker.tls.enabled", \.broker.tls.isEnabled, .boolean,
      """
      Encrypt the connection, and refuse a broker that cannot prove that it is broker.host. The port for it is \
      8883 by custom.
      """),
    SettingRow(
      "broker.tls.caFile", \.broker.tls.caFile, .textOrNone(.optionalPath),
      """
      The certificates (PEM) of the authorities that may vouch for the broker, relative to this file; empty: \
      those that this machine trusts, in /etc/ssl/certs. Files of certificates and keys are read again at each \
      connect.
      """),
    SettingRow(
      "broker.tls.certificateFile", \.broker.tls.certificateFile, .textOrNone(.optionalPath),
      "Our own certificate (PEM) with its chain, where the broker wants one; empty: none."),
    SettingRow(
      "broker.tls.keyFile", \.broker.tls.keyFile, .textOrNone(.optionalPath),
      """
      The key (PEM, not encrypted) of our own certificate, relative to this file; credential:NAME is one that \
      systemd hands over.
      """),
    SettingRow(
      "broker.tls.pskIdentity", \.broker.tls.pskIdentity, .textOrNone(.username),
      "Our name where the broker and we know a common key instead of certificates; empty: certificates."),
    SettingRow(
      "broker.tls.pskFile", \.broker.tls.pskFile, .textOrNone(.optionalPath),
      """
      The file whose first line is that key in hexadecimal digits, relative to this file; credential:NAME is one \
      that systemd hands over.
      """),
    SettingRow(
      "broker.tls.minVersion", \.broker.tls.minVersion, .choice,
      "The oldest version of TLS that we speak."),
  ]
}
