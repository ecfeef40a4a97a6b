import Base
import Testing

@Suite struct TopicFilterTests {
  @Test(arguments: [
    ("im/+/gift", "im/room/gift", true),
    ("im/+/gift", "im//gift", true),
    ("im/+/gift", "im/room/gift/0", false),
    ("im/+/gift", "im/room", false),
    ("im/+/gift", "im/room/gif", false),
    ("im/+/gift", "im/room/giftx", false),
    ("im/#", "im", true),
    ("im/#", "im/a/b", true),
    ("im/#", "imx", false),
    ("im/+/#", "im/a", true),
    ("im/+/#", "im", false),
    ("+", "a", true),
    ("+", "a/b", false),
    ("+", "/a", false),
    ("/+", "/a", true),
    ("+/+", "/a", true),
    ("#", "a/b/c", true),
    ("#", "$SYS/x", false),
    ("+/x", "$SYS/x", false),
    ("$SYS/+", "$SYS/x", true),
    ("a//b", "a//b", true),
    ("a//b", "a/b", false),
    ("a/", "a/", true),
    ("a/", "a", false),
  ])
  func topicMatchesFilter(_ filter: String, _ topic: String, _ expected: Bool) throws {
    #expect(try TopicFilter(filter).matches(topic) == expected)
  }

  @Test(arguments: [
    ("im/+/gift", "im/+/gift", true),
    ("im/+/gift", "im/+/comment", false),
    ("im/+/gift", "im/#", true),
    ("im/+/gift", "+/a/+", true),
    ("im/+/gift", "im/+", false),
    ("im/+/gift", "im/+/gift/#", true),
    ("im/+/gift", "im/+/gift/+", false),
    ("im/+/gift", "im/room/gift", true),
    ("im/room1/gift", "im/room2/gift", false),
    ("a/#", "a", true),
    ("a/#", "b/#", false),
    ("#", "+", true),
    ("#", "$SYS/#", false),
    ("+/x", "$SYS/x", false),
    ("$SYS/x", "$SYS/+", true),
    ("a/+/c", "a/b/+", true),
    ("a/+/c/#", "a/b/+/d/e", true),
    ("a//c", "a/+/c", true),
  ])
  func filtersOverlap(_ a: String, _ b: String, _ expected: Bool) throws {
    #expect(try TopicFilter(a).overlaps(TopicFilter(b)) == expected)
    #expect(try TopicFilter(b).overlaps(TopicFilter(a)) == expected)
  }

  @Test(arguments: [
    ("", TopicFilterFault.empty),
    ("a+/b", .wildcardInLevel(0)),
    ("a/b#", .wildcardInLevel(1)),
    ("a/#/b", .levelsAfterRest(1)),
    ("a\u{0}", .controlCharacter),
    ("a/\u{85}", .controlCharacter),
    (String(repeating: "a", count: 65_536), .tooLong),
  ])
  func badFilterSaysWhatIsWrong(_ text: String, _ fault: TopicFilterFault) {
    #expect(throws: fault) { try TopicFilter(text) }
  }

  @Test func filterKeepsItsText() throws {
    for text in ["im/+/gift", "#", "/", "a//#", String(repeating: "a", count: 65_535)] {
      #expect(try TopicFilter(text).text == text)
    }
  }

  @Test(arguments: [
    ("im/+/gift", false),
    ("cue/+/control", false),
    ("cue/+/feedback", false),
    ("cue/+/gift", false),
    ("cue/+/comment", true),
    ("cue/+/gift/fold", true),
    ("cue/+/control/reply", true),
    ("cue/+/stage", true),
    ("cue/+/like", true),
    ("cue/+/click", true),
    ("cue/+/snapshot", true),
    ("cue/+/rejected", true),
    ("livecue/main/status", true),
    ("livecue/+/rejected", true),
    ("livecue/other/status", false),
    ("+/+/like", true),
    ("#", true),
  ])
  func outputFiltersCoverWhatWePublish(_ input: String, _ expected: Bool) throws {
    let filter = try TopicFilter(input)
    #expect(OutputPlan().filters.contains { $0.overlaps(filter) } == expected)
  }

  @Test func outputPrefixesMayHaveLevels() {
    let plan = OutputPlan(roomPrefix: "tv/one", instancePrefix: "ops/cue", instance: "b")
    #expect(plan.filters.map(\.text).contains("tv/one/+/gift/+"))
    #expect(plan.filters.map(\.text).contains("ops/cue/b/status"))
  }
}
