/// What is wrong with the text of a topic filter.
public enum TopicFilterFault: Error, Equatable, Sendable {
  /// A filter has at least one byte.
  case empty
  /// MQTT carries at most 65 535 bytes.
  case tooLong
  /// Control characters are forbidden or unwise (MQTT 5, 1.5.4).
  case controlCharacter
  /// `+` and `#` stand for whole levels: `a+/b` is no filter. The value is the level, from 0.
  case wildcardInLevel(Int)
  /// `#` stands for all that follows, so it is last. The value is its level, from 0.
  case levelsAfterRest(Int)
}

/// An MQTT topic filter (MQTT 5, section 4.7). A topic without wildcards is a filter too.
public struct TopicFilter: Equatable, Sendable {
  /// One level of a filter.
  public enum Level: Equatable, Sendable {
    /// This text and no other; it may be empty.
    case literal([UInt8])
    /// `+`: any one level.
    case any
    /// `#`: any number of levels, none included.
    case rest
  }

  /// The levels, at least one; `rest` only at the end.
  public let levels: [Level]

  /// Reads a filter.
  public init(_ text: String) throws(TopicFilterFault) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= 65_535 else { throw .tooLong }
    // C1 is C2 80 … C2 9F in UTF-8.
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
      throw .controlCharacter
    }
    var levels: [Level] = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if levels.last == .rest { throw .levelsAfterRest(levels.count - 1) }
      if part.elementsEqual("+".utf8) {
        levels.append(.any)
      } else if part.elementsEqual("#".utf8) {
        levels.append(.rest)
      } else if part.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) {
        throw .wildcardInLevel(levels.count)
      } else {
        levels.append(.literal(Array(part)))
      }
    }
    self.levels = levels
  }

  /// Reads a filter whose fault, if it has one, is told elsewhere; nil if it is none.
  public static func parsed(_ text: String) -> TopicFilter? {
    do {
      return try TopicFilter(text)
    } catch {
      return nil
    }
  }

  /// A filter of levels that are known to be right.
  init(levels: [Level]) {
    self.levels = levels
  }

  /// True if a broker delivers this topic to a subscriber of this filter.
  public func matches(_ topic: Span<UInt8>) -> Bool {
    // A wildcard at the start does not match the broker's own topics ($SYS/…).
    if let first = levels.first, !first.isLiteral, topic.count > 0, topic[0] == UInt8(ascii: "$") {
      return false
    }
    var start = 0
    for (position, level) in levels.enumerated() {
      if level == .rest { return true }
      var end = start
      while end < topic.count, topic[end] != UInt8(ascii: "/") { end += 1 }
      if case .literal(let text) = level, !Self.equal(text, topic, start, end) { return false }
      let isLast = end == topic.count
      if position == levels.count - 1 { return isLast }
      // `a/#` matches `a` too.
      if isLast { return position == levels.count - 2 && levels[position + 1] == .rest }
      start = end + 1
    }
    return false
  }

  /// True if a broker delivers this topic to a subscriber of this filter.
  public func matches(_ topic: String) -> Bool {
    let bytes = Array(topic.utf8)
    return matches(bytes.span)
  }

  /// True if there is a topic that both match: one message would come twice.
  public func overlaps(_ other: TopicFilter) -> Bool {
    if let first = levels.first, let otherFirst = other.levels.first {
      if !first.isLiteral, otherFirst.isReserved { return false }
      if !otherFirst.isLiteral, first.isReserved { return false }
    }
    var position = 0
    while true {
      let level = position < levels.count ? levels[position] : nil
      let otherLevel = position < other.levels.count ? other.levels[position] : nil
      if level == .rest || otherLevel == .rest {
        // `/#` and `+` would share only the topic without a byte, and there is none.
        let isOver = level == nil || otherLevel == nil
        let isEmpty = levels[0] == .literal([]) || other.levels[0] == .literal([])
        return !(position == 1 && isOver && isEmpty)
      }
      guard let level, let otherLevel else { return level == nil && otherLevel == nil }
      if case .literal(let text) = level, case .literal(let otherText) = otherLevel, text != otherText {
        return false
      }
      position += 1
    }
  }

  /// The text of the filter.
  public var text: String {
    levels.map { level in
      switch level {
      case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
      case .any: "+"
      case .rest: "#"
      }
    }.joined(separator: "/")
  }

  private static func equal(_ text: [UInt8], _ topic: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard text.count == end - start else { return false }
    for offset in text.indices where text[offset] != topic[start + offset] { return false }
    return true
  }
}

extension TopicFilter.Level {
  /// True for a text, false for `+` and `#`.
  var isLiteral: Bool {
    if case .literal = self { true } else { false }
  }

  /// True for the first level of a broker's own topics.
  var isReserved: Bool {
    if case .literal(let text) = self { text.first == UInt8(ascii: "$") } else { false }
  }
}

extension OutputPlan {
  /// Filters that match every topic to which we publish: an input that overlaps one would feed us our own
  /// output.
  public var filters: [TopicFilter] {
    let room = Self.levels(roomPrefix) + [.any]
    let instance = Self.levels(instancePrefix) + Self.levels(self.instance)
    let roomEnds: [[TopicFilter.Level]] = [
      // `gift/{n}` and `gift/fold`.
      [Self.level("gift"), .any],
      [Self.level("stage")], [Self.level("comment")], [Self.level("like")], [Self.level("click")],
      [Self.level("snapshot")], [Self.level("rejected")], [Self.level("control"), Self.level("reply")],
    ]
    let instanceEnds = [[Self.level("status")], [Self.level("rejected")]]
    return roomEnds.map { TopicFilter(levels: room + $0) }
      + instanceEnds.map { TopicFilter(levels: instance + $0) }
  }

  private static func level(_ text: String) -> TopicFilter.Level { .literal(Array(text.utf8)) }

  private static func levels(_ text: String) -> [TopicFilter.Level] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      .literal(Array($0))
    }
  }
}
