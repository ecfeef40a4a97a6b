/// Writes JSON to the end of a byte array. What it writes is always valid UTF-8 and, piece by piece, valid JSON.
public enum JSONWriter {
  /// Appends text that is JSON already: punctuation and the names of members.
  @inline(__always)
  public static func append(literal: String, to output: inout [UInt8]) {
    output.append(contentsOf: literal.utf8)
  }

  /// Appends an integer.
  public static func append(_ value: Int64, to output: inout [UInt8]) {
    if value < 0 { output.append(UInt8(ascii: "-")) }
    append(value.magnitude, to: &output)
  }

  /// Appends an integer.
  @inline(__always)
  public static func append(_ value: Int, to output: inout [UInt8]) {
    append(Int64(value), to: &output)
  }

  /// Appends an integer.
  public static func append(_ value: UInt64, to output: inout [UInt8]) {
    // 2^64 has 20 digits.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = 20
    var rest = value
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      first &-= 1
      digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
    output.append(addingCapacity: 20 &- first) { span in
      for index in first..<20 { span.append(digits[index]) }
    }
  }

  /// Appends `true` or `false`.
  @inline(__always)
  public static func append(_ value: Bool, to output: inout [UInt8]) {
    append(literal: value ? "true" : "false", to: &output)
  }

  /// Appends a string in quotes. What is not UTF-8 becomes U+FFFD.
  @inline(__always)
  public static func append(string bytes: [UInt8], _ range: Range<Int>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    append(stringContent: bytes, range, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// Appends what stands between the quotes of a string. What is not UTF-8 becomes U+FFFD.
  public static func append(stringContent bytes: [UInt8], _ range: Range<Int>, to output: inout [UInt8]) {
    let span = bytes.span
    var clean = range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = span[index]
      if byte < 0x80 {
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          index &+= 1
          continue
        }
        output.append(contentsOf: bytes[clean..<index])
        append(escaped: byte, to: &output)
        index &+= 1
        clean = index
      } else {
        let sequence = UTF8Sequence(span, at: index, before: range.upperBound)
        if !sequence.isValid {
          output.append(contentsOf: bytes[clean..<index])
          output.append(contentsOf: UTF8Sequence.replacement)
          clean = index &+ sequence.count
        }
        index &+= sequence.count
      }
    }
    output.append(contentsOf: bytes[clean..<range.upperBound])
  }

  /// Appends the escape of a control character, a quote or a backslash (RFC 8259, section 7).
  private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
      output.append(contentsOf: "u00".utf8)
      output.append(hexDigit(byte >> 4))
      output.append(hexDigit(byte & 15))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
