import Base
import Testing
import Wire

@Suite struct TopicLayoutTests {
  private static let inputs = [
    InputPlan(filter: "im/+/gift", roomLevel: 1, kind: .gift, profile: .native),
    InputPlan(filter: "im/+/batch", roomLevel: 1, kind: nil, profile: .native),
    InputPlan(filter: "tv/one/+/#", roomLevel: 2, kind: nil, profile: .native),
    InputPlan(filter: "+/likes", roomLevel: 0, kind: .like, profile: .native),
  ]

  private func route(_ topic: [UInt8]) throws -> TopicRoute {
    try TopicLayout(inputs: Self.inputs, output: OutputPlan()).route(topic.span)
  }

  private func route(_ topic: String) throws -> TopicRoute { try route(Array(topic.utf8)) }

  @Test(arguments: [
    ("im/room/gift", TopicRoute.input(0, room: 3..<7)), ("im/r/batch", .input(1, room: 3..<4)),
    ("tv/one/你好/x/y", .input(2, room: 7..<13)), ("tv/one/r", .input(2, room: 7..<8)),
    ("r/likes", .input(3, room: 0..<1)), ("im/a b$c/gift", .input(0, room: 3..<8)),
    ("im//gift", .badRoom(0)), ("im/a\u{1}/gift", .badRoom(0)), ("im/a\u{7F}/gift", .badRoom(0)),
    ("im/\u{85}/gift", .badRoom(0)), ("im/a+/gift", .badRoom(0)), ("im/#/batch", .badRoom(1)),
    ("im/room/comment", .unknown), ("im/room", .unknown), ("", .unknown), ("$SYS/likes", .unknown),
    ("cue/room/gift/0", .unknown), ("cue/room/control", .control(room: 4..<8)),
    ("cue/你好/feedback", .feedback(room: 4..<10)), ("cue//control", .control(room: 4..<4)),
    ("cue/room/control/reply", .unknown), ("cue/room/controls", .unknown), ("cue/room", .unknown),
    ("cue/a/b/control", .unknown), ("cue/", .unknown), ("cu/room/control", .unknown),
  ])
  func topicsFindTheirInput(_ topic: String, _ expected: TopicRoute) throws {
    #expect(try route(topic) == expected)
  }

  @Test func roomNamesAreBounded() throws {
    for (count, isGood) in [(1, true), (127, true), (128, true), (129, false)] {
      let topic = "im/\(String(repeating: "r", count: count))/gift"
      #expect(try route(topic) == (isGood ? .input(0, room: 3..<3 + count) : .badRoom(0)))
    }
    #expect(try route("im/\(String(repeating: "你", count: 43))/gift") == .badRoom(0))
  }

  @Test func roomNamesAreUTF8() throws {
    for bad: [UInt8] in [[0xFF], [0xE4, 0xBD], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xC2]] {
      #expect(try route(Array("im/a".utf8) + bad + Array("/gift".utf8)) == .badRoom(0))
    }
  }

  @Test func badFiltersAreReported() {
    let input = InputPlan(filter: "im/a+/x", roomLevel: 1, kind: nil, profile: .native)
    #expect(throws: TopicFilterFault.wildcardInLevel(1)) {
      try TopicLayout(inputs: [input], output: OutputPlan())
    }
  }
}
