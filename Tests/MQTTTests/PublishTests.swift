import Base
import EventLoop
import Glibc
import MQTT
import PrivateBroker
import TestSupport
import Testing

@Suite struct PublishTests {
  @Test(arguments: MQTTVersion.allCases)
  func publishesArriveInOrderAndAreAcknowledged(version: MQTTVersion) throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let reader = try studio.client("reader", version, filters: ["cue/#"])
    let writer = try studio.client("writer", version) { $0.sessionExpirySeconds = 0 }
    #expect(studio.start(reader, filters: ["cue/#"]))
    #expect(studio.start(writer))
    var ids: [UInt16] = []
    for number in 0..<200 {
      ids.append(try writer.connection.publish(topic: "cue/r1/gift/0", payload: Array("\(number)".utf8)))
    }
    #expect(writer.connection.unacknowledgedCount == 200)
    #expect(studio.loop.turn { writer.acknowledgements.count == 200 && reader.messages.count == 200 })
    #expect(reader.payloads == (0..<200).map(\.description))
    #expect(writer.acknowledgements.allSatisfy { $0 == .success })
    #expect(Set(ids).count == 200)
    #expect(writer.connection.unacknowledgedCount == 0)
  }

  @Test func nothingIsPublishedWithoutAConnectionOrBeyondTheWindow() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let writer = try studio.client("writer") { $0.publishWindow = 5 }
    #expect(throws: PublishFault.notConnected) { try writer.connection.publish(topic: "cue", payload: []) }
    #expect(writer.connection.publishRoom == 0)
    #expect(studio.start(writer))
    #expect(writer.connection.publishRoom == 5)
    for _ in 0..<5 { try writer.connection.publish(topic: "cue", payload: []) }
    #expect(throws: PublishFault.windowFull) { try writer.connection.publish(topic: "cue", payload: []) }
    #expect(studio.loop.turn { writer.connection.publishRoom == 5 })
    #expect(writer.acknowledgements.count == 5)
    try writer.connection.publish(topic: "cue", payload: [])
    writer.connection.dropConnection()
    #expect(writer.connection.unacknowledgedCount == 0)
    #expect(throws: PublishFault.notConnected) { try writer.connection.publish(topic: "cue", payload: []) }
  }

  @Test func aWindowLargerThanTheBrokersIsWorkedOff() throws {
    var options = PrivateBroker.Options()
    options.maxInflightMessages = 20
    let broker = try PrivateBroker(options)
    let studio = try Studio(port: broker.port)
    let writer = try studio.client("writer")
    #expect(studio.start(writer))
    for _ in 0..<500 { try writer.connection.publish(topic: "cue", payload: [1]) }
    #expect(studio.loop.turn { writer.acknowledgements.count == 500 })
  }

  @Test func aPublishThatIsNotAllowedIsReported() throws {
    var options = PrivateBroker.Options()
    options.accessList = "topic readwrite cue/#\n"
    let broker = try PrivateBroker(options)
    let studio = try Studio(port: broker.port)
    let writer = try studio.client("writer")
    #expect(studio.start(writer))
    let good = try writer.connection.publish(topic: "cue/r1/like", payload: [1])
    let bad = try writer.connection.publish(topic: "secret", payload: [1])
    #expect(studio.loop.turn { writer.acknowledgements.count == 2 })
    #expect(writer.events.contains(.acknowledged(bad, .notAuthorized)))
    // Nobody listens: reason 16, which is no failure.
    #expect(writer.events.contains(.acknowledged(good, MQTTReason(rawValue: 16))))
    #expect(writer.connection.counters.messagesRefused == 1)
    #expect(writer.connection.counters.messagesAcknowledged == 1)
  }

  @Test func badTopicsAndTooLargePayloadsAreRefusedHere() throws {
    var options = PrivateBroker.Options()
    options.maxPacketBytes = 1000
    let broker = try PrivateBroker(options)
    let studio = try Studio(port: broker.port)
    let writer = try studio.client("writer")
    #expect(studio.start(writer))
    for topic in ["", "a/#", "a/+/b", "a\0b"] {
      #expect(throws: PublishFault.invalidTopic) { try writer.connection.publish(topic: topic, payload: []) }
    }
    let large = [UInt8](repeating: 0, count: 1001)
    #expect(throws: PublishFault.tooLarge) { try writer.connection.publish(topic: "cue", payload: large) }
    #expect(writer.connection.unacknowledgedCount == 0)
    #expect(writer.connection.isOnline)
  }

  @Test func theWillIsPublishedWhenTheConnectionDropsAndNotOnACleanEnd() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let reader = try studio.client("reader", filters: ["livecue/#"])
    #expect(studio.start(reader, filters: ["livecue/#"]))
    let writer = try studio.client("writer") {
      $0.will = Will(topic: "livecue/main/status", payload: Array("offline".utf8))
      $0.minBackOffMilliseconds = 60_000
      $0.maxBackOffMilliseconds = 60_000
    }
    #expect(studio.start(writer))
    writer.connection.dropConnection()
    #expect(studio.loop.turn { reader.payloads == ["offline"] })
    // Retained: who subscribes later sees it too.
    let late = try studio.client("late", .v311, filters: ["livecue/#"])
    #expect(studio.start(late))
    #expect(studio.loop.turn { late.messages.count == 1 })
    #expect(late.messages[0].isRetained)

    writer.connection.disconnect()
    #expect(studio.start(writer))
    writer.connection.disconnect()
    #expect(studio.loop.turn { writer.connection.isIdle })
    try broker.publish("mark", to: "livecue/mark")
    #expect(studio.loop.turn { reader.payloads.last == "mark" })
    #expect(reader.payloads == ["offline", "mark"])
  }

  @Test func aRefusedFilterIsReported() throws {
    let plugins = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/mosquitto_dynamic_security.so" }
    // Debian's package of mosquitto brings it.
    let plugin = try #require(plugins.first { (path: String) in unsafe access(path, R_OK) == 0 })
    var options = PrivateBroker.Options()
    // The access list of mosquitto 2.0 grants every SUBSCRIBE; its security plugin does not.
    options.files = [
      (
        "security.json",
        """
        {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true,
                              "subscribe": true, "unsubscribe": true},
         "anonymousGroup": "guests",
         "groups": [{"groupname": "guests", "roles": [{"rolename": "guest"}]}],
         "roles": [{"rolename": "guest", "acls": [
           {"acltype": "subscribePattern", "topic": "secret/#", "priority": 1, "allow": false}]}]}
        """
      )
    ]
    options.extraLines = ["plugin \(plugin)", "plugin_opt_config_file {folder}/security.json"]
    let broker = try PrivateBroker(options)
    let studio = try Studio(port: broker.port)
    for (version, reason) in [(MQTTVersion.v5, MQTTReason.notAuthorized), (.v311, .unspecified)] {
      let filters = ["im/#", "secret/#", "bad/#/x"]
      let client = try studio.client("in-\(version.rawValue)", version, filters: filters)
      #expect(studio.start(client, filters: ["im/#"]))
      #expect(studio.loop.turn { client.events.contains(.answered("secret/#", .refused(reason))) })
      #expect(client.events.contains(.answered("bad/#/x", .refused(.topicFilterInvalid))))
      #expect(client.connection.counters.filtersRefused == 2)
    }
  }

  @Test func filtersChangeWhileOnline() throws {
    let broker = try PrivateBroker()
    let studio = try Studio(port: broker.port)
    let client = try studio.client("in", filters: ["a/#", "b/#"])
    #expect(studio.start(client, filters: ["a/#", "b/#"]))
    client.connection.setFilters(["b/#", "c/#"])
    #expect(studio.loop.turn { client.isSubscribed("c/#") })
    for topic in ["a/1", "b/1", "c/1"] { try broker.publish(topic, to: topic) }
    #expect(studio.loop.turn { client.messages.count == 2 })
    #expect(client.payloads == ["b/1", "c/1"])
  }
}
