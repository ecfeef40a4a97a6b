import Base
import Glibc

extension Configuration {
  /// Bytes of a configuration file.
  static let fileLimit = 16 << 20

  /// Reads a configuration file and the profiles that it names.
  /// - Parameter instance: The name of the service where the file gives none; one that `isInstanceName`.
  /// - Throws: all mistakes of the files, each with its line and column.
  public static func read(
    file: String, instance: String? = nil
  ) throws(ConfigurationErrors) -> Configuration {
    try read(bytes: try readDocument(file, limit: fileLimit), file: file, instance: instance)
  }

  /// Reads the bytes of a configuration file. The name is for messages, and its directory is where relative
  /// names of profiles, keys and the password file start.
  public static func read(
    bytes: [UInt8], file: String, instance: String? = nil
  ) throws(ConfigurationErrors) -> Configuration {
    var report = Report()
    var draft = ServiceDraft()
    if let instance {
      precondition(isInstanceName(instance), "the name of an instance was not checked")
      draft.instance = instance
    }
    if let document = YAMLNode.read(bytes: bytes, file: file, report: &report) {
      ServiceSettings.table.read(document, at: "", into: &draft, &report)
    }
    draft.stateDirectory = draft.stateDirectory.map { resolve($0, besides: file) }
    func resolved(_ path: String?) -> String? {
      path.map { CredentialName($0) == nil ? resolve($0, besides: file) : $0 }
    }
    draft.broker.passwordFile = resolved(draft.broker.passwordFile)
    draft.broker.tls.caFile = resolved(draft.broker.tls.caFile)
    draft.broker.tls.certificateFile = resolved(draft.broker.tls.certificateFile)
    draft.broker.tls.keyFile = resolved(draft.broker.tls.keyFile)
    draft.broker.tls.pskFile = resolved(draft.broker.tls.pskFile)
    draft.overlay.tokenFile = resolved(draft.overlay.tokenFile)
    draft.overlay.themes = resolved(draft.overlay.themes)
    let inputs = draft.check(&report, file: file)
    try report.check()
    return Configuration(draft, inputs: inputs)
  }

  /// True if a service may have this name.
  public static func isInstanceName(_ name: String) -> Bool { TextForm.name.accepts(name) }
}

extension BrokerPlan {
  /// Reads the password: the first line of its file, as bytes; nil if there is no file. At most 65 535 bytes,
  /// none of which is NUL, which C libraries take for the end.
  /// - Throws: what is wrong with the file, without a byte of what is in it.
  /// - Parameter credentials: The folder of what systemd hands over.
  public func readPassword(
    credentials: String? = BrokerPlan.credentialsDirectory
  ) throws(ConfigurationErrors) -> [UInt8]? {
    guard let passwordFile else { return nil }
    return try readSecret(
      passwordFile, "broker.passwordFile", "password", limit: 65_535, credentials: credentials)
  }

  /// The folder in which systemd hands files over to this run; nil: it hands none over.
  public static var credentialsDirectory: String? {
    unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
  }
}

extension OverlayPlan {
  /// Reads the token: the first line of its file, as bytes; nil if there is no file. At most 1024 bytes.
  /// - Throws: what is wrong with the file, without a byte of what is in it.
  /// - Parameter credentials: The folder of what systemd hands over.
  public func readToken(
    credentials: String? = BrokerPlan.credentialsDirectory
  ) throws(ConfigurationErrors) -> [UInt8]? {
    guard let tokenFile else { return nil }
    return try readSecret(tokenFile, "overlay.tokenFile", "token", limit: 1024, credentials: credentials)
  }
}

/// The first line of a file that holds a secret.
private func readSecret(
  _ file: String, _ setting: String, _ word: String, limit: Int, credentials: String?
) throws(ConfigurationErrors) -> [UInt8] {
  func refusal(_ message: String) -> ConfigurationErrors {
    ConfigurationErrors(file: file, path: setting, message: message)
  }
  let bytes: [UInt8]
  do throws(FileFault) {
    var path = file
    if let name = CredentialName(file) { path = try name.path(in: credentials) }
    bytes = try readFile(path, limit: 1 << 16)
  } catch {
    throw refusal(error.message)
  }
  let line = firstLine(of: bytes)
  guard (1...limit).contains(line.count), !line.contains(0) else {
    throw refusal("its first line is no \(word), expected 1 to \(limit) bytes without NUL")
  }
  return line
}
