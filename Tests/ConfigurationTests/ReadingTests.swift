import Base
import Testing

@testable import Configuration

/// What a good file gives.
@Suite struct ReadingTests {
  @Test(arguments: ["", "# nothing\n", "{}", "---\n...\n", "gift:\nlog:\nrooms:\n", "~"])
  func anEmptyFileGivesTheDefaults(_ text: String) throws {
    #expect(try configuration(text) == Configuration.defaults)
  }

  @Test func defaultsAreThoseOfTheLayers() throws {
    let defaults = Configuration.defaults
    #expect(defaults.instance == "main")
    #expect(defaults.broker == BrokerPlan())
    #expect(defaults.outputs == OutputPlan())
    #expect(
      defaults.inputs == [
        InputPlan(filter: "im/+/gift", roomLevel: 1, kind: .gift, profile: .native),
        InputPlan(filter: "im/+/comment", roomLevel: 1, kind: .comment, profile: .native),
        InputPlan(filter: "im/+/like", roomLevel: 1, kind: .like, profile: .native),
        InputPlan(filter: "im/+/batch", roomLevel: 1, kind: nil, profile: .native),
      ])
    expectEqual(defaults.defaultPlan, RoomPlan())
    #expect(defaults.roomPlans.isEmpty)
    #expect(defaults.allowedRooms.isEmpty)
    #expect(defaults.maxRooms == 100_000)
    #expect(defaults.logLevel == .info)
  }

  @Test func everyGroupIsTakenOver() throws {
    let read = try configuration(
      """
      instance: studio-2
      broker: {host: "[::1]", port: 8883, protocol: 3.1.1, username: ann, keepAliveSeconds: 10,
        connectTimeoutMs: 200, reconnectMinMs: 20, reconnectMaxMs: 30, sessionExpirySeconds: 4294967295,
        receiveMaximum: 7, publishWindow: 8, passwordFile: secret}
      topics: {room: a/cue, instance: own}
      inputs:
        - filter: "+/app/{room}/#"
          kind: batch
        - {filter: rooms/+, kind: like, profile: native}
      gift:
        tracks: [{minPriority: 5}, {}]
        minPace: 0.25
        perStep: true
        leaveNumber: false
        rules:
          - {priority: 9, minLevel: 3, senders: [u1, 7, true], gifts: ["null"], minValue: 1000}
          - {priority: 1, asset: castle.webm, durationMs: 7000}
      comment: {maxItems: 5, flushMs: 6, colors: ["#abcdef"], maxSenders: 7}
      like: {burstMs: 1, showerMs: 2, maxParticles: 3}
      limits: {maxRooms: 4, outboxMaxBytes: 2000000, maxDepth: 9, maxGiftIds: 10}
      log: {level: debug}
      allowRooms: [lobby, "7"]
      """, file: "etc/livecue.yaml")
    var broker = BrokerPlan()
    broker.host = "[::1]"
    broker.port = 8883
    broker.protocolVersion = .v311
    broker.clientID = "livecue-studio-2"
    broker.username = "ann"
    broker.passwordFile = "etc/secret"
    broker.keepAliveSeconds = 10
    broker.connectTimeoutMilliseconds = 200
    broker.reconnectMinMilliseconds = 20
    broker.reconnectMaxMilliseconds = 30
    broker.sessionExpirySeconds = 4_294_967_295
    broker.receiveMaximum = 7
    broker.publishWindow = 8
    #expect(read.broker == broker)
    #expect(
      read.outputs == OutputPlan(roomPrefix: "a/cue", instancePrefix: "own", instance: "studio-2"))
    #expect(
      read.inputs == [
        InputPlan(filter: "+/app/+/#", roomLevel: 2, kind: nil, profile: .native),
        InputPlan(filter: "rooms/+", roomLevel: 1, kind: .like, profile: .native),
      ])
    var gift = GiftPlan()
    gift.trackMinPriorities = [5, 0]
    gift.minPacePermille = 250
    gift.countsPerStep = true
    gift.leavesNumber = false
    gift.rules = [
      PriorityRule(
        priority: 9, minLevel: 3, senders: ["u1", "7", "true"].map { Array($0.utf8) },
        gifts: [Array("null".utf8)], minValue: 1000),
      PriorityRule(priority: 1, asset: Array("castle.webm".utf8), durationMilliseconds: 7000),
    ]
    #expect(read.defaultPlan.gift == gift)
    #expect(read.defaultPlan.comment.maxItems == 5)
    #expect(read.defaultPlan.comment.colors == [Array("#abcdef".utf8)])
    #expect(read.defaultPlan.like.maxParticles == 3)
    #expect(read.defaultPlan.limits.maxDepth == 9)
    #expect(read.defaultPlan.limits.maxGiftIDs == 10)
    #expect(read.maxRooms == 4)
    #expect(read.outboxMaxBytes == 2_000_000)
    #expect(read.logLevel == .debug)
    #expect(read.allows(room: Array("lobby".utf8)))
    #expect(read.allows(room: Array("7".utf8)))
    #expect(!read.allows(room: Array("8".utf8)))
  }

  /// Each setting of a room changes the plan: no row points at another's value.
  @Test(arguments: Configuration.settings.filter { $0.isPerRoom && !$0.path.contains("[]") })
  func everySettingChangesThePlan(_ setting: Setting) throws {
    let value: String
    switch setting.type {
    case .integer(let range, _): value = "\(range.lowerBound + 1)"
    case .thousandths: value = "0.123"
    case .boolean: value = setting.defaultText == "true" ? "false" : "true"
    case .choice: value = "classic"
    case .either: value = "7"
    case .list: value = "['#000000']"
    case .records where setting.path == "gifts":
      value = "[{gift: g, name: '', icon: '', asset: '', durationMs: 6000}]"
    case .records: value = "[{priority: 4, senders: [], gifts: [], asset: '', durationMs: 6000}]"
    case .text: value = "coin"
    default: value = ""
    }
    let group = setting.path.split(separator: ".")[0]
    let given = "\(setting.key): \(value)"
    let text = setting.path == setting.key ? given : "\(group): {\(given)}"
    let all = try configuration(text)
    let one = try configuration("rooms: {lobby: {\(text)}}")
    #expect(all.canonicalText.contains("\(setting.key): \(value.replacing("'", with: "\""))"))
    #expect(all != Configuration.defaults)
    expectEqual(one.plan(forRoom: "lobby"), all.defaultPlan)
    expectEqual(one.plan(forRoom: "other"), RoomPlan())
  }

  @Test(arguments: [
    ("{instance}", "main"), ("a-{instance}-b-{instance}", "a-main-b-main"), ("{instanc}", "{instanc}"),
    ("{{instance}}", "{main}"), ("x", "x"),
  ])
  func theClientIDNamesTheInstance(_ written: String, _ clientID: String) throws {
    #expect(try configuration("broker: {clientId: \"\(written)\"}").broker.clientID == clientID)
  }

  @Test func aliasesRepeatWhatTheyName() throws {
    let read = try configuration("rooms: {a: &busy {gift: {tracks: 5}}, b: *busy}")
    #expect(read.plan(forRoom: "b").gift.trackMinPriorities.count == 5)
    #expect(read.plan(forRoom: "a") === read.plan(forRoom: "b"))
  }

  @Test func theCanonicalTextGivesTheSameConfiguration() throws {
    let directory = try TemporaryDirectory()
    let profile = try directory.write("p.yaml", ProfileTests.douyin)
    for text in [
      "", "gift: {preset: classic, holdMs: 7000}",
      "rooms: {\"a b\\\"é\": {like: {burstMs: 1}}, c: {gift: {}}}",
      "gift: {holdBusyMs: 3000}\nrooms: {a: {gift: {preset: classic, holdMs: 5000, holdBusyMs: 3000}}}",
      "gift: {preset: classic}\nrooms: {a: {gift: {preset: livecue}}, b: {gift: {holdMs: 2000}}}",
      "rooms: {a: {gift: {tracks: [{}, {minPriority: 3}], rules: [{priority: 1, senders: [\"\\e\"]}]}}}",
      "profiles: [\(profile)]\ninputs: [{filter: 'x/+', kind: gift, profile: douyin-capture}]",
      "broker: {username: u, passwordFile: /run/secret, clientId: \"x-{instance}\"}\nallowRooms: [b, a]",
    ] {
      let first = try configuration(text)
      let second = try configuration(first.canonicalText)
      #expect(first.canonicalText == second.canonicalText)
      #expect(first.inputs == second.inputs)
      #expect(first.broker == second.broker)
      expectEqual(first.defaultPlan, second.defaultPlan)
      #expect(first.roomPlans.count == second.roomPlans.count)
      for room in ["a", "b", "c", "a b\"é"] {
        expectEqual(first.plan(forRoom: room), second.plan(forRoom: room))
      }
    }
  }

  @Test func differentConfigurationsAreNotEqual() throws {
    #expect(try configuration("allowRooms: [a]") != configuration("allowRooms: [b]"))
    #expect(try configuration("rooms: {a: {like: {burstMs: 1}}}") != Configuration.defaults)
    #expect(try configuration("allowRooms: [a, b]") == configuration("allowRooms: [b, a]"))
  }
}

/// Whole plans, part by part so that a failure shows which.
func expectEqual(_ left: RoomPlan, _ right: RoomPlan, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(left.gift == right.gift, sourceLocation: sourceLocation)
  #expect(left.catalogue == right.catalogue, sourceLocation: sourceLocation)
  #expect(left.comment == right.comment, sourceLocation: sourceLocation)
  #expect(left.like == right.like, sourceLocation: sourceLocation)
  #expect(left.stage == right.stage, sourceLocation: sourceLocation)
  #expect(left.snapshot == right.snapshot, sourceLocation: sourceLocation)
  #expect(left.limits == right.limits, sourceLocation: sourceLocation)
}
