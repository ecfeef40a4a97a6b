import Base
import EventLoop
import MQTT
import PrivateBroker
import TestSupport
import Testing

@Suite struct AcknowledgementTests {
  @Test(arguments: MQTTVersion.allCases)
  func whatWasNotFlushedComesAgainWithItsIDAndWhatWasDoesNot(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["im/#"])
    client.recordsAtOnce = false
    #expect(studio.start(client, filters: ["im/#"]))
    try broker.publish("one", to: "im/r1/gift")
    try broker.publish("two", to: "im/r1/gift")
    #expect(studio.loop.turn { client.payloads == ["one", "two"] })
    // Time enough for an acknowledgement to slip out, with keepalive timers and all.
    studio.loop.turn(for: 1200)
    client.connection.dropConnection()
    #expect(client.endings == [.dropped])
    let first = client.messages
    client.messages.removeAll()
    #expect(studio.loop.turn { client.payloads == ["one", "two"] })
    #expect(client.messages == first)
    #expect(client.opened == [false, true])

    client.connection.flush()
    client.connection.dropConnection()
    client.messages.removeAll()
    #expect(studio.loop.turn { client.connection.isOnline })
    try broker.publish("three", to: "im/r1/gift")
    #expect(studio.loop.turn { !client.messages.isEmpty })
    #expect(client.payloads == ["three"])
  }

  @Test func nothingIsAcknowledgedWhenTheProcessOfTheBrokerGoesFirst() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"])
    client.recordsAtOnce = false
    #expect(studio.start(client, filters: ["im/#"]))
    try broker.publish("one", to: "im/r1/gift")
    #expect(studio.loop.turn { client.payloads == ["one"] })
    try broker.stop()
    #expect(studio.loop.turn { !client.endings.isEmpty })
    // An owner that is late acknowledges into nothing.
    client.connection.flush()
    client.messages.removeAll()
    try broker.start()
    #expect(studio.loop.turn { client.payloads == ["one"] })
  }

  @Test(arguments: MQTTVersion.allCases)
  func aMessageSentWhileAwayArrivesAndTheSessionIsPresent(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["im/#"])
    #expect(studio.start(client, filters: ["im/#"]))
    client.connection.disconnect()
    #expect(studio.loop.turn { client.connection.isIdle })
    try broker.publish("while away", to: "im/r1/gift")
    try broker.restart()
    // Another process with the same client id.
    let heir = try studio.client("in", version, filters: ["im/#"])
    heir.connection.start()
    #expect(studio.loop.turn { !heir.messages.isEmpty })
    #expect(heir.events.first == .opened(sessionPresent: true))
    #expect(heir.payloads == ["while away"])
  }

  @Test func aSessionThatTheBrokerLostIsReported() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"])
    #expect(studio.start(client, filters: ["im/#"]))
    // Killed before it saved: mosquitto forgets its sessions.
    try broker.kill()
    try broker.start()
    #expect(studio.loop.turn { client.opened.count == 2 })
    #expect(client.opened == [false, false])
    #expect(studio.loop.turn { client.events.count { $0 == .answered("im/#", .granted) } == 2 })
  }

  @Test func withoutASessionNothingIsKept() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("out", filters: ["im/#"]) { $0.sessionExpirySeconds = 0 }
    #expect(studio.start(client, filters: ["im/#"]))
    client.connection.dropConnection()
    try broker.publish("while away", to: "im/r1/gift")
    #expect(studio.loop.turn { client.opened.count == 2 })
    #expect(client.opened == [false, false])
    #expect(client.messages.isEmpty)
  }

  @Test func readingPausesAtTheLimitUntilFlush() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"]) { $0.readLimitMessages = 3 }
    let source = try studio.client("source")
    client.recordsAtOnce = false
    #expect(studio.start(client, filters: ["im/#"]))
    #expect(studio.start(source))
    for number in 0..<10 {
      try source.connection.publish(topic: "im/r1/gift", payload: Array("\(number)".utf8))
    }
    #expect(studio.loop.turn { source.acknowledgements.count == 10 && client.messages.count >= 3 })
    studio.loop.turn(for: 100)
    #expect(client.payloads == ["0", "1", "2"])
    client.recordsAtOnce = true
    client.connection.flush()
    #expect(studio.loop.turn { client.messages.count == 10 })
    #expect(client.payloads == (0..<10).map(\.description))
  }

  @Test func leavingWithUnrecordedMessagesDropsTheConnection() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"])
    client.recordsAtOnce = false
    #expect(studio.start(client, filters: ["im/#"]))
    try broker.publish("one", to: "im/r1/gift")
    #expect(studio.loop.turn { client.payloads == ["one"] })
    client.connection.disconnect()
    #expect(client.connection.isIdle)
    client.messages.removeAll()
    client.connection.start()
    #expect(studio.loop.turn { client.payloads == ["one"] })
  }

  @Test func pingsKeepAnIdleConnectionAlive() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"]) { $0.keepAliveSeconds = 5 }
    #expect(studio.start(client, filters: ["im/#"]))
    // The broker waits one and a half keepalives.
    studio.loop.turn(for: 8500)
    #expect(client.endings.isEmpty)
    #expect(client.connection.isOnline)
  }

  @Test func aPayloadOfTwoMegabytesPasses() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["im/#"])
    let source = try studio.client("source")
    #expect(studio.start(client, filters: ["im/#"]))
    #expect(studio.start(source))
    let payload = (0..<2_000_000).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    try source.connection.publish(topic: "im/r1/gift", payload: payload)
    #expect(studio.loop.turn { !client.messages.isEmpty })
    #expect(client.payloads == [String(decoding: payload, as: UTF8.self)])
  }

  @Test func theRetainFlagIsSeen() throws {
    let broker = try PrivateBroker()
    try broker.publish("old", to: "im/r1/gift", retain: true)
    let studio = try Studio(port: broker.port)
    // MQTT 5 asks the broker not to send what it had kept; 3.1.1 cannot.
    let modern = try studio.client("modern", .v5, filters: ["im/#"])
    let plain = try studio.client("plain", .v311, filters: ["im/#"])
    #expect(studio.start(modern, filters: ["im/#"]))
    #expect(studio.start(plain, filters: ["im/#"]))
    try broker.publish("new", to: "im/r1/gift")
    #expect(studio.loop.turn { modern.payloads.contains("new") && plain.payloads.contains("new") })
    #expect(modern.messages.map(\.isRetained) == [false])
    #expect(plain.messages.map(\.isRetained) == [true, false])
  }
}
