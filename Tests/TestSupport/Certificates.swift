public import PrivateBroker

/// An authority of a test and what it vouches for, made by the `openssl` command in a folder of their own.
public final class Certificates {
  /// What is the matter with a certificate.
  public enum Kind: String, Sendable {
    case good, otherName, expired, selfSigned
  }

  private let folder: TemporaryFolder

  /// An authority that nobody knows yet.
  public init() throws(ProcessFault) {
    folder = try TemporaryFolder()
    try make("ca", subject: "An authority of a test", extensions: ["basicConstraints=critical,CA:TRUE"])
  }

  /// The authority's certificate.
  public var authority: String { "\(folder.path)/ca.pem" }

  /// Makes a certificate for a broker on this machine; returns its file and that of its key.
  public func forBroker(_ kind: Kind = .good) throws(ProcessFault) -> (certificate: String, key: String) {
    let name = "broker-\(kind.rawValue)"
    let host = kind == .otherName ? "DNS:broker.example" : "DNS:localhost,IP:127.0.0.1"
    try make(
      name, subject: "broker", extensions: ["subjectAltName=\(host)"], signed: kind != .selfSigned)
    let files = paths(name)
    if kind == .expired {
      // `req` makes none that has expired; `x509` does, of a request.
      let request = "\(folder.path)/\(name).csr"
      try runProgram([
        "openssl", "req", "-new", "-key", files.key, "-subj", "/CN=broker", "-addext",
        "subjectAltName=\(host)",
        "-out", request,
      ])
      try runProgram([
        "openssl", "x509", "-req", "-in", request, "-copy_extensions", "copy", "-CA", authority, "-CAkey",
        "\(folder.path)/ca.key", "-days", "-1", "-out", files.certificate,
      ])
    }
    return files
  }

  /// Makes a certificate for a client of this name.
  public func forClient(_ client: String) throws(ProcessFault) -> (certificate: String, key: String) {
    try make("client-\(client)", subject: client, signed: true)
    return paths("client-\(client)")
  }

  /// The lines of a listener of mosquitto with such a certificate.
  public func listenerLines(_ kind: Kind = .good) throws(ProcessFault) -> [String] {
    let files = try forBroker(kind)
    return ["cafile \(authority)", "certfile \(files.certificate)", "keyfile \(files.key)"]
  }

  private func paths(_ name: String) -> (certificate: String, key: String) {
    ("\(folder.path)/\(name).pem", "\(folder.path)/\(name).key")
  }

  private func make(
    _ name: String, subject: String, extensions: [String] = [], signed: Bool = false
  ) throws(ProcessFault) {
    let files = paths(name)
    var words = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-subj", "/CN=\(subject)", "-days", "2", "-keyout", files.key, "-out", files.certificate,
    ]
    for one in extensions { words += ["-addext", one] }
    if signed { words += ["-CA", authority, "-CAkey", "\(folder.path)/ca.key"] }
    try runProgram(words)
  }
}
