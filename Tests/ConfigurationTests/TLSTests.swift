import Testing

@testable import Configuration

/// `broker.tls`: what is read, what contradicts itself, and the files that it names.
@Suite struct TLSTests {
  @Test func everySettingIsTakenOver() throws {
    let read = try configuration(
      """
      broker:
        tls: {enabled: true, caFile: ca.pem, certificateFile: /etc/own.pem, keyFile: "credential:own-key",
          minVersion: 1.3}
      """, file: "etc/livecue.yaml")
    var tls = TLSPlan()
    #expect(!tls.isEnabled)
    tls.isEnabled = true
    tls.caFile = "etc/ca.pem"
    tls.certificateFile = "/etc/own.pem"
    tls.keyFile = "credential:own-key"
    tls.minVersion = .v13
    #expect(read.broker.tls == tls)
    let again = try configuration(read.canonicalText, file: "journal")
    #expect(again.broker.tls == tls)
    #expect(again == read)
  }

  @Test(arguments: [
    ("{enabled: true}", nil),
    ("{enabled: true, pskIdentity: a, pskFile: f}", nil),
    (
      "{caFile: ca.pem}",
      "f.yaml:1:24: broker.tls.caFile: given while TLS is off, expected broker.tls.enabled: true with it"
    ),
    (
      "{enabled: true, keyFile: f}",
      "f.yaml:1:40: broker.tls.keyFile: given alone, expected broker.tls.certificateFile too"
    ),
    (
      "{enabled: true, pskIdentity: f}",
      "f.yaml:1:44: broker.tls.pskIdentity: given alone, expected broker.tls.pskFile too"
    ),
    (
      "{enabled: true, pskIdentity: a, pskFile: f, caFile: c}",
      "f.yaml:1:67: broker.tls.caFile: certificates beside a common key, expected either these or broker.tls.psk…"
    ),
    (
      "{enabled: true, minVersion: 1.1}",
      "f.yaml:1:43: broker.tls.minVersion: found '1.1', expected one of 1.2, 1.3"
    ),
  ])
  func settingsMayNotContradict(_ tls: String, _ line: String?) {
    #expect(mistakes("broker: {tls: \(tls)}") == (line.map { [$0] } ?? []))
  }

  @Test func theCommonKeyIsTheFirstLine() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("psk", "00FFaa\r\nmore")
    let file = try directory.write(
      "livecue.yaml", "broker: {tls: {enabled: true, pskIdentity: a, pskFile: psk}}")
    #expect(try Configuration.read(file: file).broker.readTLS()?.sharedKey == "00FFaa")
  }

  @Test(arguments: ["", "hunter2\n", String(repeating: "a", count: 513)])
  func aBadCommonKeyIsNotShown(_ content: String) throws {
    let directory = try TemporaryDirectory()
    var broker = BrokerPlan()
    broker.tls.isEnabled = true
    broker.tls.pskFile = try directory.write("psk", content)
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readTLS() }
    #expect(
      error?.description == "\(directory.path)/psk: broker.tls.pskFile: its first line is no key, expected 1 "
        + "to 512 hexadecimal digits")
  }

  @Test func aKeyCanBeACredential() throws {
    let directory = try TemporaryDirectory()
    let key = try directory.write("own-key", "key")
    var broker = BrokerPlan()
    #expect(try broker.readTLS() == nil)
    broker.tls.isEnabled = true
    broker.tls.keyFile = "credential:own-key"
    #expect(try broker.readTLS(credentials: directory.path)?.keyFile == key)
    #expect(throws: ConfigurationErrors.self) { try broker.readTLS(credentials: nil) }
  }

  @Test func aMissingFileIsNamed() throws {
    var broker = BrokerPlan()
    broker.tls.isEnabled = true
    broker.tls.caFile = "/nonexistent/ca.pem"
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readTLS() }
    #expect(
      error?.description == "/nonexistent/ca.pem: broker.tls.caFile: it cannot be read (No such file or "
        + "directory), expected a readable file")
  }
}
