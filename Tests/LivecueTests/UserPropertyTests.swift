import EventLoop
import PrivateBroker
import TestSupport
import Testing

/// MQTT user properties as a source of fields.
@Suite struct UserPropertyTests {
  private static let profile = """
    profile: relayed
    elements: []
    cases:
      - when: {payload: {present: true}}
        kind: gift
        each: payload
        fields:
          id: properties.message-id
          sender.id: each.user
          gift.id: each.gift
    """

  @Test func roomAndIDComeFromTheMessagesProperties() throws {
    let loop = try EventLoop.forTest()
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    try folder.write(Self.profile, to: "relayed.yaml")
    try folder.write(
      """
      \(noMetrics)
      broker: {host: 127.0.0.1, port: \(broker.port)}
      state: {directory: state}
      profiles: [relayed.yaml]
      inputs:
        - {filter: "relay/+", kind: batch, profile: relayed, userProperties: [room, message-id],
           roomMember: properties.room}

      """, to: "livecue.yaml")
    let viewer = try Client("viewer", filters: ["cue/#", "livecue/#"], port: broker.port, loop: loop)
    #expect(loop.turn { viewer.isReady })
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    try #require(try daemon.await("errors") { $0.contains("subscribed") }, "\(daemon.errors)")
    func publish(_ payload: String, _ properties: [(String, String)]) throws {
      let words = properties.flatMap { ["-D", "PUBLISH", "user-property", $0.0, $0.1] }
      try runProgram(
        ["mosquitto_pub", "-V", "5", "-p", "\(broker.port)", "-q", "1", "-t", "relay/x", "-m", payload]
          + words)
    }
    let gift = #"[{"user":"u1","gift":"rose"}]"#
    try publish(gift, [("other", "x"), ("room", "r1"), ("message-id", "m1")])
    try publish(gift, [("room", "r1"), ("message-id", "m1")])
    try publish(gift, [("room", "r2"), ("message-id", "m1")])
    // A payload cannot say the properties in their place; and without a room it is nobody's.
    try publish(#"[],"properties":{"room":"r3"}"#, [("room", "r4")])
    try publish(gift, [])
    #expect(
      loop.turn {
        viewer.renderer.giftCount >= 2 && viewer.renderer.others.contains { $0.topic.hasSuffix("/rejected") }
      })
    #expect(viewer.renderer.gifts.keys.map(\.room).sorted() == ["r1", "r2"])
    #expect(viewer.renderer.giftCount == 2)
    #expect(viewer.renderer.others.contains { $0.payload.contains("bad-room") })
    #expect(try daemon.end().code == 0)
  }
}
