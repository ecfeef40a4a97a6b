/// How a connection is encrypted, and who is trusted. The files are read again with each attempt to connect,
/// so a renewed certificate needs no restart.
public struct TLSSettings: Equatable, Sendable {
  /// How the broker proves that it is the right one.
  public enum Trust: Equatable, Sendable {
    /// By a certificate of an authority that this machine trusts.
    case systemStore
    /// By a certificate of an authority whose certificate is in this file (PEM).
    case authorities(file: String)
    /// By knowing the same key as we do, in hexadecimal digits; no certificates.
    case sharedKey(identity: String, hexadecimal: String)
  }

  /// A certificate of ours (PEM).
  public struct Identity: Equatable, Sendable {
    /// The certificate, and behind it its chain.
    public var certificateFile: String
    /// Its key, which must not be encrypted.
    public var keyFile: String

    /// A certificate with its key.
    public init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// The oldest version that is spoken.
  public enum Version: String, CaseIterable, Sendable {
    /// TLS 1.2 or later.
    case v12 = "1.2"
    /// TLS 1.3 only.
    case v13 = "1.3"
  }

  /// Who is trusted. The host name of a certificate is always checked.
  public var trust: Trust
  /// Our own certificate; nil: we prove who we are by user name and password, or not at all.
  public var identity: Identity?
  /// The oldest version that is spoken.
  public var minVersion: Version

  /// Settings without a certificate of our own.
  public init(trust: Trust = .systemStore, minVersion: Version = .v12) {
    self.trust = trust
    self.minVersion = minVersion
  }

  /// Where Debian keeps the authorities that the machine trusts, by the hashes of their names.
  static let systemStore = "/etc/ssl/certs"
}
