import Base

extension Configuration {
  /// Bytes of a configuration file.
  static let fileLimit = 16 << 20

  /// Reads a configuration file and the profiles that it names.
  /// - Throws: all mistakes of the files, each with its line and column.
  public static func read(file: String) throws(ConfigurationErrors) -> Configuration {
    try read(bytes: try readDocument(file, limit: fileLimit), file: file)
  }

  /// Reads the bytes of a configuration file. The name is for messages, and its directory is where relative
  /// names of profiles and of the password file start.
  public static func read(bytes: [UInt8], file: String) throws(ConfigurationErrors) -> Configuration {
    var report = Report()
    var draft = ServiceDraft()
    if let document = YAMLNode.read(bytes: bytes, file: file, report: &report) {
      ServiceSettings.table.read(document, at: "", into: &draft, &report)
    }
    draft.stateDirectory = draft.stateDirectory.map { resolve($0, besides: file) }
    draft.broker.passwordFile = draft.broker.passwordFile.map { resolve($0, besides: file) }
    let inputs = draft.check(&report, file: file)
    try report.check()
    return Configuration(draft, inputs: inputs)
  }
}

extension BrokerPlan {
  /// Reads the password: the first line of its file, as bytes; nil if there is no file. At most 65 535 bytes,
  /// none of which is NUL, which C libraries take for the end.
  /// - Throws: what is wrong with the file, without a byte of what is in it.
  public func readPassword() throws(ConfigurationErrors) -> [UInt8]? {
    guard let passwordFile else { return nil }
    func refusal(_ message: String) -> ConfigurationErrors {
      ConfigurationErrors(file: passwordFile, path: "broker.passwordFile", message: message)
    }
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try readFile(passwordFile, limit: 1 << 16)
    } catch {
      throw refusal(error.message)
    }
    var line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard (1...65_535).contains(line.count), !line.contains(0) else {
      throw refusal("its first line is no password, expected 1 to 65535 bytes without NUL")
    }
    return line
  }
}
