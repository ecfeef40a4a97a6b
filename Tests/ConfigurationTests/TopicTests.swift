import Base
import Testing

@testable import Configuration

/// Inputs must not match one topic twice, nor our own output.
@Suite struct TopicTests {
  @Test(arguments: [
    ("im/{room}/gift", "im/+/gift", 1), ("+/gift", "+/gift", 0), ("{room}/gift", "+/gift", 0),
    ("+/x/{room}", "+/x/+", 2), ("a/{room}/#", "a/+/#", 1), ("/{room}", "/+", 1), ("{room}", "+", 0),
  ])
  func aFilterMarksItsRoom(_ written: String, _ filter: String, _ level: Int) throws {
    let room = try #require(RoomFilter(written))
    #expect(room.filter == filter)
    #expect(room.roomLevel == level)
    #expect(RoomFilter(RoomFilter.text(filter: room.filter, roomLevel: room.roomLevel))?.filter == filter)
  }

  @Test(arguments: [
    "", "im/gift", "im/#", "+/+", "im/{room}/{room}", "im/x{room}/gift", "im/{room}x", "im/{room}/#/a",
    "im/{room}/a#", "$share/g/im/{room}/gift", "$SYS/+", "im/{rom}/gift",
  ])
  func aFilterWithoutItsRoomIsRefused(_ written: String) {
    #expect(RoomFilter(written) == nil)
    let lines = mistakes("inputs: [{filter: \"\(written)\", kind: gift}]")
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix(
        "does not fit, expected an MQTT filter with {room} for the room's level, or one +")
        == true)
  }

  @Test func aRoomIsSaidByTheTopicByAMemberOrByTheConfiguration() throws {
    let text = """
      inputs:
        - {filter: "tiktok/{room}/+", kind: batch}
        - {filter: "twitch/#", kind: batch, roomMember: payload.event.broadcaster_user_id}
        - {filter: "obs/+/events", kind: batch, room: studio-1, source: native}
        - {filter: "one", kind: gift, roomMember: [a.b, c]}
      """
    let configuration = try Configuration.read(bytes: Array(text.utf8), file: "f.yaml")
    #expect(
      configuration.inputs == [
        InputPlan(filter: "tiktok/+/+", room: .level(1), kind: nil, profile: .native),
        InputPlan(
          filter: "twitch/#", room: .member(["payload", "event", "broadcaster_user_id"]), kind: nil,
          profile: .native),
        InputPlan(filter: "obs/+/events", room: .fixed("studio-1"), kind: nil, profile: .native),
        InputPlan(filter: "one", room: .member(["a.b", "c"]), kind: .gift, profile: .native),
      ])
    let again = try Configuration.read(bytes: Array(configuration.canonicalText.utf8), file: "journal")
    #expect(again.inputs == configuration.inputs)
  }

  @Test(arguments: [
    (
      "{filter: 'x/{room}', kind: gift, room: a}",
      "f.yaml:1:19: inputs[0].filter: 'x/{room}' marks a room beside 'room', expected a filter without {room}"
    ),
    (
      "{filter: '{room}', kind: gift, roomMember: a}",
      "f.yaml:1:19: inputs[0].filter: '{room}' marks a room beside 'roomMember', expected a filter without {room}"
    ),
    (
      "{filter: x, kind: gift, room: a, roomMember: b}",
      "f.yaml:1:55: inputs[0].roomMember: both 'room' and 'roomMember', expected one"
    ),
    (
      "{filter: 'x/+', kind: gift, room: a/b}",
      "f.yaml:1:44: inputs[0].room: 'a/b' does not fit, expected a room's name of 1 to 128 bytes without + # / and "
        + "control characters, empty for none"
    ),
    (
      "{filter: 'x/+', kind: gift, userProperties: [a]}",
      "f.yaml:1:54: inputs[0].userProperties: user properties for the native format, expected a profile that reads "
        + "'payload' and 'properties'"
    ),
  ])
  func whatSaysTheRoomFits(input: String, message: String) {
    #expect(mistakes("inputs: [\(input)]") == [message])
  }

  @Test func inputsThatOverlapAreRefusedWithBothPlaces() {
    let text = """
      inputs:
        - {filter: "im/{room}/gift", kind: gift}
        - {filter: "im/{room}/like", kind: like}
        - {filter: "im/{room}/+", kind: batch}
      """
    #expect(
      mistakes(text) == [
        "f.yaml:4:14: inputs[2].filter: 'im/{room}/+' and 'im/{room}/gift' of inputs[0].filter "
          + "(line 2, column 14) could match one topic, expected at most one to match",
        "f.yaml:4:14: inputs[2].filter: 'im/{room}/+' and 'im/{room}/like' of inputs[1].filter "
          + "(line 3, column 14) could match one topic, expected at most one to match",
      ])
  }

  @Test func anInputThatMatchesOutputIsRefusedWithBothPlaces() {
    #expect(
      mistakes("topics: {room: a}\ninputs: [{filter: 'a/{room}/gift/0', kind: gift}]") == [
        "f.yaml:2:19: inputs[0].filter: 'a/{room}/gift/0' could match our output 'a/+/#' of topics.room "
          + "(line 1, column 16), expected other topics"
      ])
    #expect(
      mistakes("instance: x\ninputs: [{filter: 'livecue/{room}/status', kind: gift}]") == [
        "f.yaml:2:19: inputs[0].filter: 'livecue/{room}/status' could match our output 'livecue/x/#' of "
          + "topics.instance (default), expected other topics"
      ])
  }

  @Test func defaultInputsAreInTheWayOfTopicsToo() {
    let lines = mistakes("topics: {room: im}")
    #expect(lines.count == 4)
    #expect(
      lines.first
        == "f.yaml:1:16: inputs[0].filter: 'im/{room}/gift' could match our output 'im/+/#' of topics.room "
        + "(line 1, column 16), expected other topics")
  }

  @Test func roomsAndInstanceMayNotShareTopics() {
    #expect(
      mistakes("topics: {room: x, instance: x}") == [
        "f.yaml:1:29: topics.instance: 'x/main/#' overlaps the topics of rooms 'x/+/#' of topics.room "
          + "(line 1, column 16), expected none shared"
      ])
    #expect(mistakes("topics: {room: livecue}").count == 1)
    #expect(mistakes("topics: {room: a/b, instance: a}").isEmpty)
    #expect(mistakes("instance: b\ntopics: {room: a/b, instance: a}").count == 1)
  }

  @Test(arguments: [
    ("{reconnectMinMs: 500, reconnectMaxMs: 500}", nil),
    (
      "{reconnectMinMs: 501, reconnectMaxMs: 500}",
      "f.yaml:1:26: broker.reconnectMinMs: 501 is more than reconnectMaxMs, expected at most 500"
    ),
    (
      "{reconnectMinMs: 30001}",
      "f.yaml:1:26: broker.reconnectMinMs: 30001 is more than reconnectMaxMs, expected at most 30000"
    ),
    (
      "{reconnectMaxMs: 499}",
      "f.yaml:1:26: broker.reconnectMaxMs: 499 is less than reconnectMinMs, expected at least 500"
    ),
    ("{passwordFile: p}", nil),
    (
      "{protocol: 3.1.1, passwordFile: p}",
      "f.yaml:1:41: broker.passwordFile: a password alone, expected broker.username too with MQTT 3.1.1"
    ),
  ])
  func brokerSettingsMayNotContradict(_ broker: String, _ line: String?) {
    #expect(mistakes("broker: \(broker)") == (line.map { [$0] } ?? []))
  }
}

/// The password, which is read apart.
@Suite struct PasswordTests {
  @Test(arguments: [
    ("secret\n", "secret"), ("secret", "secret"), ("secret\r\nmore", "secret"), (" a b \n", " a b "),
    ("é", "é"),
  ])
  func thePasswordIsTheFirstLine(_ content: String, _ password: String) throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("secret", content)
    let file = try directory.write("livecue.yaml", "broker: {username: ann, passwordFile: secret}")
    #expect(try Configuration.read(file: file).broker.readPassword() == Array(password.utf8))
  }

  @Test(arguments: ["", "\n", "\r\nhunter2", "hun\0ter2", String(repeating: "x", count: 65_536)])
  func aBadPasswordIsNotShown(_ content: String) throws {
    let directory = try TemporaryDirectory()
    var broker = BrokerPlan()
    broker.passwordFile = try directory.write("secret", content)
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readPassword() }
    #expect(
      error?.description == "\(directory.path)/secret: broker.passwordFile: its first line is no password, "
        + "expected 1 to 65535 bytes without NUL")
  }

  @Test func aMissingFileIsRefused() throws {
    var broker = BrokerPlan()
    #expect(try broker.readPassword() == nil)
    broker.passwordFile = "/nonexistent/secret"
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readPassword() }
    #expect(
      error?.description == "/nonexistent/secret: broker.passwordFile: it cannot be read "
        + "(No such file or directory), expected a readable file")
  }

  @Test func aCredentialIsReadFromTheFolderThatSystemdNames() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("broker-password", "secret\n")
    let file = try directory.write(
      "livecue.yaml", "broker: {username: ann, passwordFile: \"credential:broker-password\"}")
    let broker = try Configuration.read(file: file).broker
    #expect(broker.passwordFile == "credential:broker-password")
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readPassword(credentials: nil) }
    #expect(
      error?.description == "credential:broker-password: broker.passwordFile: there is no "
        + "CREDENTIALS_DIRECTORY, expected systemd to give one (LoadCredential=)")
    #expect(try broker.readPassword(credentials: directory.path) == Array("secret".utf8))
  }

  @Test(arguments: ["credential:", "credential:../secret", "credential:/secret"])
  func aCredentialIsNoPath(_ name: String) throws {
    var broker = BrokerPlan()
    broker.passwordFile = name
    let error = #expect(throws: ConfigurationErrors.self) { try broker.readPassword(credentials: "/run") }
    #expect(
      error?.description == "\(name): broker.passwordFile: it names no credential, expected credential:NAME "
        + "without slashes")
  }
}

/// The name that a unit gives to each of several services.
@Suite struct InstanceTests {
  @Test func theNameStandsInWhereTheFileGivesNone() throws {
    let unnamed = try Configuration.read(bytes: [], file: "a.yaml", instance: "east")
    #expect(unnamed.instance == "east")
    #expect(unnamed.broker.clientID == "livecue-east")
    #expect(unnamed.outputs.instance == "east")
    let again = try Configuration.read(bytes: Array(unnamed.canonicalText.utf8), file: "journal")
    #expect(again == unnamed)
    let named = try Configuration.read(bytes: Array("instance: west".utf8), file: "a.yaml", instance: "east")
    #expect(named.instance == "west")
    #expect(named.broker.clientID == "livecue-west")
  }
}
