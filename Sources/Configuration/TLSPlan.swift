/// How the connection to the broker is encrypted, and who is trusted. Files are as they were written:
/// `readTLS` finds them.
public struct TLSPlan: Equatable, Sendable {
  /// The oldest version of TLS. The raw value is its word in the configuration.
  public enum Version: String, CaseIterable, Sendable {
    case v12 = "1.2"
    case v13 = "1.3"
  }

  /// True: nothing is said in the clear.
  public var isEnabled = false
  /// The certificates of the authorities that are trusted; nil: those of the system.
  public var caFile: String?
  /// Our own certificate with its chain, if the broker wants one.
  public var certificateFile: String?
  /// Its key, or `credential:NAME`.
  public var keyFile: String?
  /// Who we are where both sides know a key; nil: certificates are used.
  public var pskIdentity: String?
  /// The file whose first line is that key in hexadecimal digits, or `credential:NAME`.
  public var pskFile: String?
  /// The oldest version that is spoken.
  public var minVersion = Version.v12

  /// The defaults.
  public init() {}
}

/// What a connection needs of the files that a `TLSPlan` names.
public struct TLSKeys: Equatable, Sendable {
  /// Where the key of our own certificate lies in this run.
  public var keyFile: String?
  /// The key that both sides know, in hexadecimal digits.
  public var sharedKey: String?
}

extension BrokerPlan {
  /// Looks at the files that TLS needs; nil if it is off.
  /// - Throws: the first that cannot be read or used, without a byte of what is in it.
  /// - Parameter credentials: The folder of what systemd hands over.
  public func readTLS(
    credentials: String? = BrokerPlan.credentialsDirectory
  ) throws(ConfigurationErrors) -> TLSKeys? {
    guard tls.isEnabled else { return nil }
    var keys = TLSKeys()
    if let file = tls.caFile { try requireFile(file, "broker.tls.caFile", credentials) }
    if let file = tls.certificateFile { try requireFile(file, "broker.tls.certificateFile", credentials) }
    if let file = tls.keyFile {
      keys.keyFile = try requireFile(file, "broker.tls.keyFile", credentials).path
    }
    if let file = tls.pskFile {
      let bytes = try requireFile(file, "broker.tls.pskFile", credentials).bytes
      let key = String(decoding: firstLine(of: bytes), as: UTF8.self)
      guard (1...512).contains(key.utf8.count), key.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
        throw ConfigurationErrors(
          file: file, path: "broker.tls.pskFile",
          message: "its first line is no key, expected 1 to 512 hexadecimal digits")
      }
      keys.sharedKey = key
    }
    return keys
  }

  @discardableResult
  private func requireFile(
    _ file: String, _ setting: String, _ credentials: String?
  ) throws(ConfigurationErrors) -> (path: String, bytes: [UInt8]) {
    do throws(FileFault) {
      let path = try CredentialName(file)?.path(in: credentials) ?? file
      return (path, try readFile(path, limit: 16 << 20))
    } catch {
      throw ConfigurationErrors(file: file, path: setting, message: error.message)
    }
  }
}

/// The bytes before the first end of line.
func firstLine(of bytes: [UInt8]) -> [UInt8] {
  var line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
  if line.last == UInt8(ascii: "\r") { line.removeLast() }
  return line
}
