/// A file that systemd hands to the service (`LoadCredential=`), written as `credential:NAME` where a path
/// may stand.
///
/// The folder differs from run to run, so a configuration cannot name it.
struct CredentialName {
  private static let prefix = "credential:"
  private let name: String

  /// Nil: the text is a path.
  init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    name = String(text.dropFirst(Self.prefix.count))
  }

  /// Where the file lies, in the folder that systemd names for this run.
  func path(in folder: String?) throws(FileFault) -> String {
    guard !name.isEmpty, !name.contains("/") else {
      throw FileFault(message: "it names no credential, expected credential:NAME without slashes")
    }
    guard let folder else {
      throw FileFault(
        message: "there is no CREDENTIALS_DIRECTORY, expected systemd to give one (LoadCredential=)")
    }
    return "\(folder)/\(name)"
  }
}
