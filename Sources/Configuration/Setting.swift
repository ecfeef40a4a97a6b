/// One setting, as data: reading, error texts, `config/livecue.yaml` and the documentation follow from it.
public struct Setting: Equatable, Sendable {
  /// Where it stands: `gift.holdMs`; `inputs[].filter` is a member of each entry of a list.
  public let path: String
  /// What it takes.
  public let type: SettingType
  /// The default as YAML; nil: what is not given is not there.
  public let defaultText: String?
  /// True if its mapping is refused without it.
  public let isRequired: Bool
  /// True if `rooms` may give it for one room.
  public let isPerRoom: Bool
  /// True if a running daemon takes it over when it reads its configuration again; false: at its next start.
  public var isLive = true
  /// What it does, and why one would change it.
  public let sentence: String

  /// The last word of the path.
  public var key: String {
    String(path[(path.lastIndex(of: ".").map(path.index(after:)) ?? path.startIndex)...])
  }

  /// What its number counts, if it counts something.
  public var unit: SettingUnit? {
    if case .integer(_, let unit) = type { unit } else { nil }
  }
}

/// What a number counts.
public enum SettingUnit: String, Sendable {
  case milliseconds, seconds, minutes, hours, days, bytes
}

/// What a setting takes.
public indirect enum SettingType: Equatable, Sendable {
  /// `true` or `false`.
  case boolean
  /// A whole number in decimal digits, and what it counts.
  case integer(ClosedRange<Int64>, SettingUnit?)
  /// A number with up to three decimals; the range is in thousandths.
  case thousandths(ClosedRange<Int64>)
  /// One of these words.
  case choice([String])
  /// Text of a form.
  case text(TextForm)
  /// So many values of one type.
  case list(of: SettingType, count: ClosedRange<Int>)
  /// So many mappings with these members, whose settings have paths of their own (`inputs[].filter`).
  case records(keys: [String], count: ClosedRange<Int>)
  /// The one or the other.
  case either(SettingType, SettingType)
  /// Settings by room name.
  case rooms
  /// Profile files, or profiles written out.
  case profiles
  /// Where a member lies in an element of a payload.
  case memberPath
  /// A source's words for our kinds.
  case kindWords
  /// Where the fields of an event lie in an element of a payload.
  case fields
  /// What must hold of the members of an element.
  case conditions
  /// What the fields of an event are made of.
  case rules

  /// What is expected, for errors and comments.
  public var expectation: String {
    switch self {
    case .boolean: "true or false"
    case .integer(let range, let unit):
      "an integer from \(range.lowerBound) to \(range.upperBound)" + (unit.map { " (\($0.rawValue))" } ?? "")
    case .thousandths(let range):
      "a number from \(decimalText(range.lowerBound)) to \(decimalText(range.upperBound)), at most 3 decimals"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .text(let form): form.expectation
    case .list(let element, let count): "a list of \(Self.span(count)), each \(element.expectation)"
    case .records(let keys, let count):
      "a list of \(Self.span(count)), each a mapping of " + keys.joined(separator: ", ")
    case .either(let one, let other): "\(one.expectation), or \(other.expectation)"
    case .rooms: "a mapping of room names to mappings of settings"
    case .profiles: "a list of file names"
    case .memberPath: "a path of member names as a.b, or a list of names"
    case .kindWords: "a mapping of the source's words to gift, comment, like or remove"
    case .fields: "a mapping of fields to paths of member names"
    case .conditions: "a mapping of paths to a value, a list of values, {present: …}, {not: …} or {word: …}"
    case .rules: "a mapping of fields to paths of member names or rules"
    }
  }

  private static func span(_ count: ClosedRange<Int>) -> String {
    count.lowerBound == 0 ? "at most \(count.upperBound)" : "\(count.lowerBound) to \(count.upperBound)"
  }
}

/// 500 thousandths as `0.5`, 1000 as `1.0`.
func decimalText(_ thousandths: Int64) -> String {
  let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
  var decimals = String(1000 + rest).dropFirst()
  while decimals.count > 1 && decimals.last == "0" { decimals.removeLast() }
  return "\(whole).\(decimals)"
}
