import Testing

@testable import Base

@Suite struct TopicFilterOverlapTests {
  @Test(arguments: [
    ("a", true), ("/", true), ("+", true), ("#", true), ("a/+/b", true), ("a/#", true), ("+/+/#", true),
    ("a//b", true), (" ", true), ("$SYS/#", true), ("{room}", true),
    ("", false), ("a/#/b", false), ("#/a", false), ("a#", false), ("a/b#", false), ("a+", false),
    ("+a/b", false), ("++", false), ("##", false), ("a\0b", false),
  ])
  func aFilterIsGoodOrNot(_ text: String, _ isGood: Bool) {
    #expect((TopicFilter.parsed(text) != nil) == isGood)
  }

  @Test func aFilterHasAtMost65535Bytes() {
    #expect(TopicFilter.parsed(String(repeating: "a", count: 65_535)) != nil)
    #expect(TopicFilter.parsed(String(repeating: "a", count: 65_536)) == nil)
  }

  @Test(arguments: [
    ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/b", "a", false), ("a", "a/b", false),
    ("a/+", "a/b", true), ("a/+", "a/", true), ("a/+", "a", false), ("a/+", "a/b/c", false),
    ("a/#", "a", true), ("a/#", "a/b/c", true), ("a/#", "b", false), ("#", "a/b", true), ("#", "/", true),
    ("#", "$SYS/a", false), ("+/a", "$SYS/a", false), ("$SYS/#", "$SYS/a", true), ("+", "/a", false),
    ("+/+", "/a", true), ("im/+/gift", "im/r/gift", true), ("é", "e\u{301}", false),
  ])
  func aTopicMatchesOrNot(_ filter: String, _ topic: String, _ matches: Bool) throws {
    let filter = try #require(TopicFilter.parsed(filter))
    #expect(filter.matches(topic) == matches)
  }

  @Test(arguments: [
    ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/+", "+/b", true), ("a/+/c", "+/b/+", true),
    ("a/+", "a", false), ("a/#", "a", true), ("a/#", "+", true), ("a/#", "b/+", false), ("#", "+", true),
    ("a/#", "a/b/#", true), ("a/b/#", "a/c/#", false), ("a/+/#", "a/#", true), ("+/a", "$x/a", false),
    ("#", "$x/#", false), ("$x/+", "$x/a", true), ("+/b", "a/+/c", false), ("im/+/gift", "im/+/like", false),
    ("im/+/gift", "im/#", true), ("cue/+/#", "cue", false), ("é", "e\u{301}", false), ("#", "#", true),
  ])
  func filtersOverlapOrNot(_ left: String, _ right: String, _ overlap: Bool) throws {
    let left = try #require(TopicFilter.parsed(left))
    let right = try #require(TopicFilter.parsed(right))
    #expect(left.overlaps(right) == overlap)
    #expect(right.overlaps(left) == overlap)
  }

  /// Overlap is what the definition says: some topic matches both. Filters and topics of a small alphabet.
  @Test func overlapIsThatSomeTopicMatchesBoth() {
    let filterTexts = Self.texts(of: ["a", "$b", "", "+", "#"], upTo: 3)
    let filters = filterTexts.compactMap(TopicFilter.parsed)
    // One level more than the filters, and a level that no filter names, show what wildcards can reach.
    let topics = Self.texts(of: ["a", "$b", "", "c"], upTo: 4).filter { !$0.isEmpty }
    let matching = filters.map { filter in topics.map { filter.matches($0) } }
    for left in filters.indices {
      for right in filters.indices {
        let isShared = zip(matching[left], matching[right]).contains { $0 && $1 }
        #expect(filters[left].overlaps(filters[right]) == isShared)
      }
    }
  }

  private static func texts(of levels: [String], upTo count: Int) -> [String] {
    var all: [String] = []
    var last = levels
    for _ in 1...count {
      all += last
      last = last.flatMap { text in levels.map { "\(text)/\($0)" } }
    }
    return all
  }
}
