import MQTT
import PrivateBroker
import TestSupport
import Testing

/// Leaving cleanly in the midst of a stream.
@Suite struct FarewellTests {
  /// A session in which the broker sends more than we read before we leave, over and over.
  @Test(arguments: [MQTTVersion.v5, .v311])
  func whatWasAcknowledgedBeforeLeavingDoesNotComeAgain(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", version, filters: ["im/#"]) { $0.readLimitMessages = 5 }
    let source = try studio.client("source")
    #expect(studio.start(client, filters: ["im/#"]))
    #expect(studio.start(source))
    var published = 0
    func publish() throws {
      for _ in 0..<40 {
        published += 1
        let payload = "\(published) \(String(repeating: "x", count: 20_000))"
        try source.connection.publish(topic: "im/r1/gift", payload: Array(payload.utf8))
      }
    }
    // All that is unread when we leave lies in the socket, or is on its way.
    client.onReceive = {
      client.connection.flush()
      client.connection.disconnect()
    }
    for _ in 0..<5 {
      try publish()
      #expect(studio.loop.turn { client.connection.isIdle && source.connection.unacknowledgedCount == 0 })
      client.connection.start()
    }
    client.onReceive = {}
    #expect(studio.loop.turn { client.messages.count >= published })
    studio.loop.turn(for: 100)
    let numbers = client.payloads.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    #expect(numbers == Array(1...published))
    #expect(client.endings.allSatisfy { $0 == .requested })
  }

  @Test func aBrokerThatDoesNotCloseIsLeftInTime() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let relay = try Relay(loop: studio.loop, to: broker.port)
    let client = try Studio(port: relay.port, loop: studio.loop).client("in", filters: ["im/#"])
    #expect(studio.start(client, filters: ["im/#"]))
    relay.block("in")
    client.connection.disconnect()
    #expect(!client.connection.isIdle)
    #expect(studio.loop.turn(within: 3000) { client.connection.isIdle })
    #expect(client.endings == [.requested])
  }
}
