import Base
import EventLoop
import Glibc
import MQTT
import PrivateBroker
import TestSupport
import Testing

/// TLS against a real broker with certificates made here: who is refused, and why; who is let in.
@Suite struct TLSTests {
  private func makeBroker(_ lines: [String], files: [(String, String)] = []) throws -> PrivateBroker {
    var options = PrivateBroker.Options()
    options.extraLines = lines
    options.files = files.map { (name: $0.0, text: $0.1) }
    return try PrivateBroker(options)
  }

  /// Why a client of these settings does not come in.
  private func refusal(
    by broker: PrivateBroker, _ tls: TLSSettings, host: String = "localhost"
  ) throws -> DisconnectReason? {
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in") {
      $0.tls = tls
      $0.host = host
    }
    client.connection.start()
    #expect(studio.loop.turn { !client.endings.isEmpty })
    #expect(client.opened == [])
    return client.endings.first
  }

  /// Unlike a bare expectation it tells what the reason was.
  private func expectEqual(
    _ reason: DisconnectReason?, _ wanted: DisconnectReason, _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(reason == wanted, sourceLocation: place)
  }

  /// A message goes out and comes back.
  private func expectService(
    _ broker: PrivateBroker, _ tls: TLSSettings, _ version: MQTTVersion = .v5, host: String = "localhost"
  ) throws {
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["a"]) {
      $0.tls = tls
      $0.host = host
    }
    #expect(studio.start(client, filters: ["a"]), "\(client.events)")
    try client.connection.publish(topic: "a", payload: Array("hello".utf8))
    #expect(studio.loop.turn { client.payloads == ["hello"] && client.acknowledgements == [.success] })
    client.connection.disconnect()
    #expect(studio.loop.turn { client.connection.isIdle })
    #expect(client.endings == [.requested])
  }

  @Test(arguments: [
    (Certificates.Kind.otherName, TLSFault.wrongHostName), (.expired, .expired), (.selfSigned, .selfSigned),
  ])
  func aBadCertificateIsRefusedWithItsReason(kind: Certificates.Kind, fault: TLSFault) throws {
    let certificates = try Certificates()
    let broker = try makeBroker(try certificates.listenerLines(kind))
    let tls = TLSSettings(trust: .authorities(file: certificates.authority))
    expectEqual(try refusal(by: broker, tls), .tlsFailed(fault))
  }

  @Test func anUnknownAuthorityIsRefused() throws {
    let certificates = try Certificates()
    let broker = try makeBroker(try certificates.listenerLines())
    let others = try Certificates()
    let other = TLSSettings(trust: .authorities(file: others.authority))
    expectEqual(try refusal(by: broker, other), .tlsFailed(.unknownAuthority))
    expectEqual(try refusal(by: broker, TLSSettings()), .tlsFailed(.unknownAuthority))
  }

  @Test func theReasonsAreClear() {
    let reason = DisconnectReason.tlsFailed(.expired)
    #expect(reason.description == "no secure connection: the broker's certificate has expired")
  }

  @Test func aBrokerThatWantsACertificateSaysSo() throws {
    let certificates = try Certificates()
    let broker = try makeBroker(try certificates.listenerLines() + ["require_certificate true"])
    var tls = TLSSettings(trust: .authorities(file: certificates.authority))
    expectEqual(try refusal(by: broker, tls), .tlsFailed(.clientCertificateMissing))
    let client = try certificates.forClient("livecue")
    tls.identity = TLSSettings.Identity(certificateFile: client.certificate, keyFile: client.key)
    try expectService(broker, tls)
  }

  @Test(arguments: MQTTVersion.allCases)
  func aTrustedAuthorityIsEnough(version: MQTTVersion) throws {
    let certificates = try Certificates()
    let broker = try makeBroker(try certificates.listenerLines())
    for minVersion in [TLSSettings.Version.v12, .v13] {
      let tls = TLSSettings(trust: .authorities(file: certificates.authority), minVersion: minVersion)
      try expectService(broker, tls, version, host: "127.0.0.1")
    }
  }

  @Test func aCommonKeyIsEnoughAndAnotherIsRefused() throws {
    let broker = try makeBroker(
      ["psk_hint livecue", "psk_file {folder}/keys"], files: [("keys", "livecue:00ff00ff00ff\n")])
    let key = TLSSettings.Trust.sharedKey(identity: "livecue", hexadecimal: "00ff00ff00ff")
    try expectService(broker, TLSSettings(trust: key))
    let other = TLSSettings.Trust.sharedKey(identity: "livecue", hexadecimal: "00ff00ff00fe")
    guard case .tlsFailed = try refusal(by: broker, TLSSettings(trust: other)) else {
      Issue.record("another key is not refused by TLS")
      return
    }
  }

  @Test func anOldVersionIsRefused() throws {
    let certificates = try Certificates()
    let files = try certificates.forBroker()
    let folder = try TemporaryFolder()
    let port = try findFreePort()
    let server = try ChildProcess(
      [
        "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-tls1_2", "-quiet", "-cert",
        files.certificate,
        "-key", files.key,
      ], output: "\(folder.path)/output")
    let studio = try Studio(port: port)
    let client = try studio.client("in") {
      $0.tls = TLSSettings(trust: .authorities(file: certificates.authority), minVersion: .v13)
    }
    client.connection.start()
    // It is not there at once.
    let refusal = DisconnectReason.tlsFailed(.other("tlsv1 alert protocol version"))
    #expect(studio.loop.turn { client.endings.contains(refusal) }, "\(client.endings)")
    server.send(SIGKILL)
    try server.wait(milliseconds: 5000)
  }

  @Test func aBrokerWithoutTLSIsGivenUpAtOnce() throws {
    let certificates = try Certificates()
    let broker = try makeBroker([])
    let tls = TLSSettings(trust: .authorities(file: certificates.authority))
    let reason = try refusal(by: broker, tls)
    #expect(reason?.description.hasPrefix("no secure connection") == true, "\(String(describing: reason))")
  }

  /// Ends TLS before a broker that speaks none, and puts all that the broker says within 100 ms into one
  /// record.
  private static let terminator = """
    import select, socket, ssl, sys
    port, broker, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", int(port)))
    while True:
        outer = context.wrap_socket(listener.accept()[0], server_side=True)
        inner = socket.create_connection(("127.0.0.1", int(broker)))
        while True:
            ready, _, _ = select.select([outer, inner], [], [])
            if outer in ready:
                heard = outer.recv(65536)
                if not heard: break
                inner.sendall(heard)
            if inner in ready:
                said = inner.recv(65536)
                while said and select.select([inner], [], [], 0.1)[0]:
                    more = inner.recv(65536)
                    if not more: break
                    said += more
                if not said: break
                outer.sendall(said)
        outer.close(); inner.close()
    """

  /// What TLS has decrypted does not make the socket readable: the library must read on by itself.
  @Test func theReadLimitLeavesNothingBehind() throws {
    let certificates = try Certificates()
    let files = try certificates.forBroker()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    let port = try findFreePort()
    let terminator = try ChildProcess(
      ["python3", "-c", Self.terminator, "\(port)", "\(broker.port)", files.certificate, files.key],
      output: "\(folder.path)/output")
    let studio = try Studio(port: port)
    let tls = TLSSettings(trust: .authorities(file: certificates.authority))
    func client(_ id: String, _ filters: [String] = []) throws -> Recorder {
      try studio.client(id, filters: filters) {
        $0.tls = tls
        $0.host = "localhost"
        $0.readLimitMessages = 3
        // No ping may wake us.
        $0.keepAliveSeconds = 0
      }
    }
    let reader = try client("in", ["a"])
    #expect(studio.start(reader, filters: ["a"]))
    reader.connection.disconnect()
    #expect(studio.loop.turn { reader.connection.isIdle })
    let source = try Studio(port: broker.port, loop: studio.loop).client("out")
    #expect(studio.start(source))
    for number in 0..<100 { try source.connection.publish(topic: "a", payload: Array("\(number)".utf8)) }
    #expect(studio.loop.turn { source.acknowledgements.count == 100 })
    reader.connection.start()
    #expect(studio.loop.turn { reader.messages.count == 100 }, "\(reader.messages.count)")
    #expect(reader.payloads == (0..<100).map(String.init))
    terminator.send(SIGKILL)
    try terminator.wait(milliseconds: 5000)
  }

  /// The files are read at each connect: one that is gone is told, and one that is back is used.
  @Test func aFileThatIsGoneForAWhileIsSaid() throws {
    let certificates = try Certificates()
    let broker = try makeBroker(try certificates.listenerLines())
    let folder = try TemporaryFolder()
    let file = try folder.write(bytes: readBytes(certificates.authority), to: "ca.pem")
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in") {
      $0.tls = TLSSettings(trust: .authorities(file: file))
      $0.host = "localhost"
    }
    try runProgram(["mv", file, "\(file).away"])
    client.connection.start()
    #expect(studio.loop.turn { client.endings.count == 2 })
    #expect(client.endings[0].description.hasPrefix("cannot connect: mosquitto_tls_set"))
    try runProgram(["mv", "\(file).away", file])
    #expect(studio.loop.turn { client.connection.isOnline })
  }
}
