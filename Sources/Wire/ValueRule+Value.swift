internal import Base

extension JSONValue {
  /// Neither null nor an empty text: what some sources write for "none".
  var isPresent: Bool { self != .null && self != .string("") }

  /// True if it is a text, a number or a truth value.
  var isPlain: Bool {
    switch self {
    case .bool, .integer, .double, .string: true
    case .null, .array, .object: false
    }
  }

  /// An integer, also one that is written as a text.
  var decimal: Int64? { integer ?? string.flatMap { Int64($0) } }

  /// True and false, also where they are written as 1, 0 or a word.
  var truth: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(1), .string("1"), .string("true"): true
    case .integer(0), .string("0"), .string("false"): false
    default: nil
    }
  }

  /// A plain value as it is written; nil for a fraction, since the same one is written in many ways.
  var text: String? {
    switch self {
    case .string(let text): text
    case .integer(let value): String(value)
    case .bool(let value): value ? "true" : "false"
    case .null, .double, .array, .object: nil
    }
  }

  /// The value at a path; a name of digits is a place in an array.
  func member(at path: [String]) -> JSONValue? {
    var value = self
    for name in path {
      switch value {
      case .object(let members):
        guard let member = members[name] else { return nil }
        value = member
      case .array(let values):
        guard let place = Int(name), values.indices.contains(place) else { return nil }
        value = values[place]
      case .null, .bool, .integer, .double, .string: return nil
      }
    }
    return value
  }

  /// This object with one more member.
  func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[name] = value
    return .object(members)
  }

  /// This value with another at a path that it has.
  func replacing(_ path: ArraySlice<String>, with value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    switch self {
    case .object(let members):
      return adding(name, (members[name] ?? .null).replacing(path.dropFirst(), with: value))
    case .array(var values):
      guard let place = Int(name), values.indices.contains(place) else { return self }
      values[place] = values[place].replacing(path.dropFirst(), with: value)
      return .array(values)
    case .null, .bool, .integer, .double, .string: return self
    }
  }
}

extension MemberCondition {
  /// True if it holds of an element.
  func holds(in element: JSONValue) -> Bool {
    let value = element.member(at: path).flatMap { $0.isPresent ? $0 : nil }
    switch test {
    case .present: return value != nil
    case .absent: return value == nil
    case .isOne(let words): return value?.text.map(words.contains) ?? false
    case .isNone(let words): return !(value?.text.map(words.contains) ?? false)
    case .hasWord(let word):
      guard let text = value?.text else { return false }
      return text == word || text.utf8.starts(with: "\(word):".utf8)
    case .isSame(let path): return pair(value, path, element).map { $0 == $1 } ?? false
    case .differs(let path): return pair(value, path, element).map { $0 != $1 } ?? false
    }
  }

  /// The texts of two members; nil unless both have one.
  private func pair(_ value: JSONValue?, _ path: [String], _ element: JSONValue) -> (String, String)? {
    guard let one = value?.text, let other = element.member(at: path), other.isPresent, let text = other.text
    else { return nil }
    return (one, text)
  }
}

extension ValueRule {
  /// What the rule makes of an element; nil: nothing.
  func value(in element: JSONValue) -> JSONValue? {
    switch self {
    case .member(let path): return element.member(at: path).flatMap { $0.isPresent ? $0 : nil }
    case .first(let rules):
      for rule in rules {
        if let value = rule.value(in: element) { return value }
      }
      return nil
    case .constant(let text): return .string(text)
    case .joined(let rules):
      let texts = rules.map { $0.value(in: element)?.text }
      if texts.contains(nil) { return nil }
      return .string(texts.compactMap { $0 }.joined(separator: ":"))
    case .truth(let conditions): return .bool(conditions.allSatisfy { $0.holds(in: element) })
    case .except(let rule, let words):
      return rule.value(in: element).flatMap { value in
        value.text.map(words.contains) == true ? nil : value
      }
    case .mapped(let rule, let words):
      let text = rule.value(in: element)?.text
      return words.first { $0.word == text }.map { .string($0.meaning) }
    case .date(let rule):
      return rule.value(in: element)?.string.flatMap(Day.instant(of:)).map { .integer($0) }
    case .seconds, .instant, .product, .largest, .quotient: return number(in: element).map { .integer($0) }
    }
  }

  private func number(in element: JSONValue) -> Int64? {
    switch self {
    case .seconds(let rule): return rule.value(in: element)?.decimal.flatMap(Self.seconds)
    case .instant(let rule):
      return rule.value(in: element)?.decimal.flatMap { $0 < 100_000_000_000 ? Self.seconds($0) : $0 }
    case .product(let rules):
      var result: Int64 = 1
      for factor in rules.compactMap({ $0.value(in: element)?.decimal }) where factor > 0 {
        let (product, overflow) = result.multipliedReportingOverflow(by: factor)
        // What does not fit is far above every limit, and is refused as such.
        result = overflow ? .max : product
      }
      return result
    case .largest(let rules): return rules.compactMap { $0.value(in: element)?.decimal }.max()
    case .quotient(let rule, let divisor): return rule.value(in: element)?.decimal.map { $0 / divisor }
    default: return value(in: element)?.decimal
    }
  }

  private static func seconds(_ value: Int64) -> Int64? {
    let (milliseconds, overflow) = value.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : milliseconds
  }
}
