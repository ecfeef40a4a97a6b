/// The value of a field of a line.
public enum LogValue: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringInterpolation
{
  /// A text; quoted in the line where it has to be.
  case text(String)
  /// A number.
  case number(Int64)

  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A number.
  public init(integerLiteral value: Int64) { self = .number(value) }
  /// A text.
  public init(_ text: String) { self = .text(text) }
  /// A number.
  public init(_ number: some BinaryInteger) { self = .number(Int64(clamping: number)) }
}

/// One `key=value` of a line. The key is a constant of lowercase letters, digits and `_`.
public struct LogField: Equatable, Sendable {
  let key: StaticString
  let value: LogValue

  /// A field.
  public init(_ key: StaticString, _ value: LogValue) {
    self.key = key
    self.value = value
  }

  /// Two fields are equal if they would be written alike.
  public static func == (a: LogField, b: LogField) -> Bool {
    a.key.description == b.key.description && a.value == b.value
  }
}

extension [UInt8] {
  /// Appends ` key=value`.
  mutating func append(_ field: LogField) {
    append(UInt8(ascii: " "))
    append(contentsOf: field.key.description.utf8)
    append(UInt8(ascii: "="))
    switch field.value {
    case .number(let number): append(contentsOf: number.description.utf8)
    case .text(let text): appendValue(text)
    }
  }

  /// Appends a text as it is if it is one word, else in quotes, so that a line stays a line and splits one
  /// way.
  private mutating func appendValue(_ text: String) {
    let start = count
    appendEscaped(text)
    let needsQuotes =
      count == start || self[start...].contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "=") }
      || count - start != text.utf8.count
    guard needsQuotes else { return }
    insert(UInt8(ascii: "\""), at: start)
    append(UInt8(ascii: "\""))
  }

  /// Appends a text with quotes, backslashes and control characters (C0, C1, DEL) escaped.
  mutating func appendEscaped(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: scalar)])
      case "\n": append(contentsOf: #"\n"#.utf8)
      case "\0"..<" ", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        append(contentsOf: (digits.count == 1 ? #"\x0"# : #"\x"#).utf8)
        append(contentsOf: digits.utf8)
      default: append(contentsOf: String(scalar).utf8)
      }
    }
  }
}
