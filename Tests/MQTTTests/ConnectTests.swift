import Base
import EventLoop
import MQTT
import PrivateBroker
import TestSupport
import Testing

@Suite struct ConnectTests {
  @Test(arguments: MQTTVersion.allCases)
  func connectsSubscribesReceivesAndLeaves(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["im/+/gift"])
    #expect(studio.start(client, filters: ["im/+/gift"]))
    #expect(client.events == [.opened(sessionPresent: false), .answered("im/+/gift", .granted)])
    try broker.publish("hello", to: "im/r1/gift")
    #expect(studio.loop.turn { !client.messages.isEmpty })
    #expect(client.messages == [Message(topic: "im/r1/gift", payload: "hello", id: 1)])
    client.connection.disconnect()
    #expect(studio.loop.turn { client.connection.isIdle })
    #expect(client.events.last == .ended(.requested, retries: false))
    #expect(client.connection.counters.messagesReceived == 1)
    #expect(client.connection.counters.losses == 0)
  }

  @Test func comesWhenTheBrokerComesAndReportsWhyNotBefore() throws {
    let broker = try PrivateBroker()
    try broker.stop()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in")
    client.connection.start()
    #expect(studio.loop.turn { client.endings.count == 3 })
    #expect(client.endings.allSatisfy { $0.description == "connect failed: Connection refused" })
    #expect(client.events.allSatisfy { if case .ended(_, retries: true) = $0 { true } else { false } })
    try broker.start()
    #expect(studio.loop.turn { client.connection.isOnline })
  }

  @Test(arguments: MQTTVersion.allCases)
  func subscribesAgainAndGoesOnAfterARestartOfTheBroker(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["im/#"])
    #expect(studio.start(client, filters: ["im/#"]))
    try broker.publish("before", to: "im/r1/gift")
    #expect(studio.loop.turn { client.payloads == ["before"] })
    client.events.removeAll()
    try broker.restart()
    #expect(studio.loop.turn { client.connection.isOnline && client.isSubscribed("im/#") })
    #expect(client.opened == [true])
    #expect(client.endings.count >= 1)
    try broker.publish("after", to: "im/r1/gift")
    #expect(studio.loop.turn { client.payloads.last == "after" })
  }

  @Test(arguments: MQTTVersion.allCases)
  func refusedPasswordIsReportedAndTriedAgain(version: MQTTVersion) throws {
    var options = PrivateBroker.Options()
    options.users = [("ann", "right")]
    let broker = try PrivateBroker(options)
    let studio = try Studio(port: broker.port)
    let wrong = try studio.client("wrong", version) {
      $0.username = "ann"
      $0.password = Array("wrong".utf8)
    }
    wrong.connection.start()
    #expect(studio.loop.turn { wrong.endings.count == 2 })
    let expected = version == .v5 ? MQTTReason.notAuthorized : .notAuthorized
    #expect(wrong.events.allSatisfy { $0 == .ended(.refused(expected), retries: true) })
    let right = try studio.client("right", version) {
      $0.username = "ann"
      $0.password = Array("right".utf8)
    }
    #expect(studio.start(right))
  }

  @Test(arguments: MQTTVersion.allCases)
  func aSecondClientWithTheSameIDIsRecognised(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let older = try studio.client("same", version) { $0.maxBackOffMilliseconds = 100 }
    let newer = try studio.client("same", version) { $0.maxBackOffMilliseconds = 100 }
    #expect(studio.start(older))
    newer.connection.start()
    // This broker closes without a reason, whatever the version.
    #expect(studio.loop.turn { older.endings.contains(.takenOver(isCertain: false)) })
    #expect(Array(older.endings.prefix(2)) == [.lost(code: 0), .lost(code: 0)])
  }

  @Test func aBlackHoleTimesOutByOurTimeout() throws {
    let hole = try BlackHole()
    let studio = try Studio(port: hole.port)
    let client = try studio.client("in") { $0.connectTimeoutMilliseconds = 150 }
    let begin = studio.loop.clock.now
    client.connection.start()
    #expect(studio.loop.turn { !client.events.isEmpty })
    #expect(client.events == [.ended(.connectTimedOut, retries: true)])
    #expect((150...1000).contains(studio.loop.clock.now - begin))
    // Attempts that hang are let go; after some, new ones wait for them. It keeps reporting.
    #expect(studio.loop.turn { client.endings.count == 8 })
    #expect(client.endings.allSatisfy { $0 == .connectTimedOut })
    client.connection.disconnect()
    #expect(client.connection.isIdle)
  }

  @Test func aServerThatNeverAnswersConnectTimesOut() throws {
    let loop = try EventLoop.forTest()
    let server = try TCPServer(loop: loop) { _ in [] }
    var settings = MQTTSettings(host: "127.0.0.1", port: server.port, clientID: "in")
    settings.connectTimeoutMilliseconds = 150
    let connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    let client = Recorder(connection)
    connection.start()
    #expect(loop.turn { !client.events.isEmpty })
    #expect(client.events == [.ended(.handshakeTimedOut, retries: true)])
  }

  @Test func aServerThatIsNoBrokerIsReported() throws {
    let loop = try EventLoop.forTest()
    let server = try TCPServer(loop: loop) { _ in Array(repeating: UInt8(ascii: "H"), count: 200) }
    let connection = try MQTTConnection(
      MQTTSettings(host: "127.0.0.1", port: server.port, clientID: "in"), loop: loop,
      generator: SystemRandomNumberGenerator())
    let client = Recorder(connection)
    connection.start()
    #expect(loop.turn { !client.events.isEmpty })
    guard case .ended(.libraryFailed, retries: true) = client.events[0] else {
      Issue.record("\(client.events)")
      return
    }
  }

  @Test func aBrokerThatSaysThatTheSessionWasTakenOverIsBelieved() throws {
    let loop = try EventLoop.forTest()
    // CONNACK and DISCONNECT with reason 142, as newer brokers send it.
    let server = try TCPServer(loop: loop) { _ in [0x20, 3, 0, 0, 0] + [0xE0, 1, 142] }
    let connection = try MQTTConnection(
      MQTTSettings(host: "127.0.0.1", port: server.port, clientID: "in"), loop: loop,
      generator: SystemRandomNumberGenerator())
    let client = Recorder(connection)
    connection.start()
    #expect(loop.turn { client.events.count == 2 })
    #expect(
      client.events == [.opened(sessionPresent: false), .ended(.takenOver(isCertain: true), retries: true)])
    #expect((client.retryAt ?? 0) - loop.clock.now > 14_000)
  }

  @Test func aBrokerThatOnlySpeaks311IsReported() throws {
    let loop = try EventLoop.forTest()
    // CONNACK as MQTT 3.1.1 has it: no session, "unacceptable protocol version".
    let server = try TCPServer(loop: loop) { _ in [0x20, 2, 0, 1] }
    let connection = try MQTTConnection(
      MQTTSettings(host: "127.0.0.1", port: server.port, clientID: "in"), loop: loop,
      generator: SystemRandomNumberGenerator())
    let client = Recorder(connection)
    connection.start()
    #expect(loop.turn { !client.events.isEmpty })
    #expect(client.events == [.ended(.refused(.unsupportedVersion), retries: true)])
  }

  @Test func anUnknownNameIsReported() throws {
    let studio = try Studio(port: 1883)
    let client = try studio.client("in") { $0.host = "broker.invalid" }
    client.connection.start()
    #expect(studio.loop.turn { !client.events.isEmpty })
    guard case .lookupFailed = client.endings[0] else {
      Issue.record("\(client.events)")
      return
    }
  }

  @Test func aConnectionThatIsLetGoWhileItConnectsLeavesNothingBehind() throws {
    let hole = try BlackHole()
    let studio = try Studio(port: hole.port)
    do {
      let client = try studio.client("in")
      client.connection.start()
    }
    studio.loop.turn(for: 20)
  }

  @Test(arguments: [1, 2, 3])
  func settingsThatCannotWorkAreRefused(which: Int) throws {
    let studio = try Studio(port: 1883)
    #expect(throws: MQTTFault.self) {
      try studio.client("in") {
        switch which {
        case 1: $0.keepAliveSeconds = 4
        case 2: $0.password = [1, 0, 2]
        default: $0.will = Will(topic: "no/#", payload: [])
        }
      }
    }
  }
}
