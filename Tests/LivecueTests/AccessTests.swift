import Base
import EventLoop
import MQTT
import PrivateBroker
import TestSupport
import Testing

/// `config/mosquitto`: a broker with these very files, but for the paths and the port.
@Suite struct AccessTests {
  static let passwords = [("platform", "p"), ("livecue", "hunter2"), ("overlay", "o")]

  /// The broker that the example describes, with certificates of a test.
  static func makeBroker(_ certificates: Certificates) throws -> PrivateBroker {
    let files = try certificates.forBroker()
    let text = String(decoding: readBytes(checkoutPath("config/mosquitto/mosquitto.conf")), as: UTF8.self)
    // These are the private broker's own: a free port, and the passwords of the test.
    let own = ["listener", "allow_anonymous", "password_file", "acl_file", "set_tcp_nodelay"]
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(lines.contains("allow_anonymous false") && lines.contains("acl_file /etc/mosquitto/access"))
    var options = PrivateBroker.Options()
    options.isBare = true
    options.users = passwords.map { (name: $0.0, password: $0.1) }
    options.accessList = String(
      decoding: readBytes(checkoutPath("config/mosquitto/access")), as: UTF8.self)
    options.extraLines = lines.filter { line in !own.contains { line.hasPrefix("\($0) ") } }.map { line in
      switch line {
      case "certfile /etc/mosquitto/certs/broker.pem": "certfile \(files.certificate)"
      case "keyfile /etc/mosquitto/certs/broker.key": "keyfile \(files.key)"
      default: line
      }
    }
    #expect(options.extraLines.contains("keyfile \(files.key)"))
    return try PrivateBroker(options)
  }

  /// One user at the broker.
  private final class User: MQTTConnectionDelegate {
    let connection: MQTTConnection
    var answers: [String: SubscriptionAnswer] = [:]
    var acknowledgements: [UInt16: MQTTReason] = [:]
    var topics: [String] = []
    var endings: [DisconnectReason] = []

    init(
      _ name: String?, password: String?, port: UInt16, filters: [String], authority: String, loop: EventLoop
    ) throws {
      var settings = MQTTSettings(host: "localhost", port: port, clientID: "test-\(name ?? "nobody")")
      settings.tls = TLSSettings(trust: .authorities(file: authority))
      settings.username = name
      settings.password = password.map { Array($0.utf8) }
      settings.sessionExpirySeconds = 0
      connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
      connection.setFilters(filters)
      connection.delegate = self
      connection.start()
    }

    func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {}
    func connection(
      _ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer
    ) { answers[filter] = answer }
    func connectionDidReceive(_ connection: MQTTConnection) {
      let arena = connection.received
      topics += arena.messages.map { arena.bytes.string($0.topic) }
      connection.flush()
    }
    func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
      acknowledgements[id] = reason
    }
    func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
      endings.append(reason)
    }
  }

  private static let topics = [
    "im/r1/gift", "cue/r1/gift/0", "cue/r1/snapshot", "cue/r1/control", "cue/r1/feedback",
    "livecue/main/status", "livecue/other/status", "elsewhere",
  ]

  @Test func eachUserMayDoWhatTheAccessListSaysAndNoMore() throws {
    let certificates = try Certificates()
    let broker = try Self.makeBroker(certificates)
    let loop = try EventLoop.forTest()
    var users: [String: User] = [:]
    for (name, password) in Self.passwords {
      users[name] = try User(
        name, password: password, port: broker.port, filters: ["#"], authority: certificates.authority,
        loop: loop)
    }
    let areReady = loop.turn { users.values.allSatisfy { $0.answers["#"] == .granted } }
    try #require(areReady)
    let mayWrite = [
      "platform": ["im/r1/gift"],
      "livecue": [
        "cue/r1/gift/0", "cue/r1/snapshot", "cue/r1/control", "cue/r1/feedback", "livecue/main/status",
      ],
      "overlay": ["cue/r1/feedback"],
    ]
    for (name, _) in Self.passwords {
      let user = try #require(users[name])
      var ids: [String: UInt16] = [:]
      for topic in Self.topics {
        ids[topic] = try user.connection.publish(topic: topic, payload: Array(name.utf8))
      }
      #expect(loop.turn { user.acknowledgements.count == Self.topics.count })
      let allowed = Self.topics.filter { user.acknowledgements[ids[$0] ?? 0]?.isFailure == false }
      #expect(allowed == mayWrite[name], "\(name)")
    }
    // What reached whom: platform reads nothing at all, livecue no commands, overlay only what is drawn and
    // who runs.
    let mayRead: [String: Set<String>] = [
      "platform": [], "livecue": ["im/r1/gift", "cue/r1/control", "cue/r1/feedback", "livecue/main/status"],
      "overlay": [
        "cue/r1/gift/0", "cue/r1/snapshot", "cue/r1/control", "cue/r1/feedback", "livecue/main/status",
      ],
    ]
    for (name, topics) in mayRead {
      #expect(loop.turn { Set(users[name]?.topics ?? []).isSuperset(of: topics) }, "\(name)")
    }
    // The broker sends in order: after the last that is allowed nothing else is on its way.
    loop.turn(for: 50)
    for (name, topics) in mayRead { #expect(Set(users[name]?.topics ?? []) == topics, "\(name)") }
  }

  /// A daemon of the configuration that the README shows.
  private func run(_ broker: PrivateBroker, authority: String) throws -> Livecue {
    let folder = try TemporaryFolder()
    try folder.write("hunter2\n", to: "password")
    try folder.write(
      """
      \(noMetrics)
      broker:
        host: localhost
        port: \(broker.port)
        username: livecue
        passwordFile: password
        tls: {enabled: true, caFile: \(authority)}
      """, to: "livecue.yaml")
    return try Livecue(["run", "--config", "livecue.yaml", "--log", "debug"], in: folder)
  }

  @Test func theDaemonServesThereAndItsLogHoldsNoPassword() throws {
    let certificates = try Certificates()
    let broker = try Self.makeBroker(certificates)
    let daemon = try run(broker, authority: certificates.authority)
    #expect(try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") })
    #expect(try daemon.end().code == 0)
    #expect(!daemon.errors.contains("hunter2"))
    #expect(!daemon.errors.contains("the broker refused"), "\(daemon.errors)")
  }

  @Test func theLogSaysWhyABrokerIsNotTrusted() throws {
    let certificates = try Certificates()
    let broker = try Self.makeBroker(certificates)
    let others = try Certificates()
    let daemon = try run(broker, authority: others.authority)
    let words = "no secure connection: the broker's certificate is of an authority that is not trusted"
    #expect(try daemon.await("errors") { $0.contains(words) }, "\(daemon.errors)")
    #expect(try daemon.end().code == 0)
  }

  @Test(arguments: [nil, ("livecue", "wrong"), ("stranger", "l")] as [(String, String)?])
  func nobodyComesInWithoutAPassword(who: (String, String)?) throws {
    let certificates = try Certificates()
    let broker = try Self.makeBroker(certificates)
    let loop = try EventLoop.forTest()
    let user = try User(
      who?.0, password: who?.1, port: broker.port, filters: [], authority: certificates.authority, loop: loop)
    #expect(loop.turn { !user.endings.isEmpty })
    #expect(user.endings.first == .refused(.notAuthorized))
  }
}
