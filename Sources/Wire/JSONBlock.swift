internal import Base

/// Text that is JSON already (punctuation, names of members), as words: writing it takes a store for eight
/// bytes.
struct JSONLiteral: ExpressibleByStringLiteral, Sendable {
  /// The most bytes of a literal.
  static let maxBytes = 40

  fileprivate var words = InlineArray<5, UInt64>(repeating: 0)
  fileprivate var count = 0

  init(stringLiteral text: String) {
    precondition(text.utf8.count <= Self.maxBytes, "A literal has at most 40 bytes: make it two.")
    for byte in text.utf8 {
      words[count >> 3] |= UInt64(byte) << UInt64((count & 7) * 8)
      count += 1
    }
  }
}

/// Writes the pieces of JSON at `end` into a space that has room for them; see `append(atMost:)`.
///
/// Pieces are written in whole words, so they may write up to `slack` bytes beyond their end.
enum JSONBlock {
  /// How far beyond its end a piece may write.
  static let slack = 8
  /// The most bytes of an integer.
  static let integerBytes = 20

  /// The most bytes of a string: `\u00XX` for each byte, and the quotes.
  @inline(__always)
  static func stringBytes(_ count: Int) -> Int { count &* 6 &+ 2 }

  @inline(__always)
  static func put(_ literal: JSONLiteral, _ output: inout MutableRawSpan, _ end: inout Int) {
    var done = 0
    while done < literal.count {
      output.storeBytes(of: literal.words[done &>> 3], toByteOffset: end &+ done, as: UInt64.self)
      done &+= 8
    }
    end &+= literal.count
  }

  @inline(__always)
  static func put(byte: UInt8, _ output: inout MutableRawSpan, _ end: inout Int) {
    output.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end &+= 1
  }

  @inline(__always)
  static func put(_ value: Int, _ output: inout MutableRawSpan, _ end: inout Int) {
    // Most numbers of most commands have one digit.
    if 0...9 ~= value {
      put(byte: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value), &output, &end)
      return
    }
    if value < 0 { put(byte: UInt8(ascii: "-"), &output, &end) }
    put(UInt64(value.magnitude), &output, &end)
  }

  static func put(_ value: UInt64, _ output: inout MutableRawSpan, _ end: inout Int) {
    let eightDigits: UInt64 = 100_000_000
    if value < eightDigits {
      putFirst(value, &output, &end)
    } else if value < eightDigits * eightDigits {
      let (high, low) = value.quotientAndRemainder(dividingBy: eightDigits)
      putFirst(high, &output, &end)
      putEight(digits(low), &output, &end)
    } else {
      let (rest, low) = value.quotientAndRemainder(dividingBy: eightDigits)
      let (high, middle) = rest.quotientAndRemainder(dividingBy: eightDigits)
      putFirst(high, &output, &end)
      putEight(digits(middle), &output, &end)
      putEight(digits(low), &output, &end)
    }
  }

  /// Writes a string in quotes. What is not UTF-8 becomes U+FFFD.
  static func put(
    string bytes: Span<UInt8>, _ range: Range<Int>, _ output: inout MutableRawSpan, _ end: inout Int
  ) {
    put(byte: UInt8(ascii: "\""), &output, &end)
    let raw = unsafe bytes.bytes
    var index = range.lowerBound
    while index < range.upperBound {
      if bytes.count &- index >= 8 {
        // What lies behind the string counts as spaces, and is written over by what follows.
        let count = min(range.upperBound &- index, 8)
        let word = Tape.eightBytes(raw, at: index)
        if isPlain(count == 8 ? word : spaced(word, from: count)) {
          output.storeBytes(of: word, toByteOffset: end, as: UInt64.self)
          index &+= count
          end &+= count
          continue
        }
      }
      let byte = bytes[index]
      if byte >= 0x80 {
        let sequence = UTF8Sequence(bytes, at: index, before: range.upperBound)
        if sequence.isValid {
          for offset in 0..<sequence.count { put(byte: bytes[index &+ offset], &output, &end) }
        } else {
          for byte in UTF8Sequence.replacement { put(byte: byte, &output, &end) }
        }
        index &+= sequence.count
      } else {
        if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
          put(byte: byte, &output, &end)
        } else {
          put(escaped: byte, &output, &end)
        }
        index &+= 1
      }
    }
    put(byte: UInt8(ascii: "\""), &output, &end)
  }

  /// The first `count` bytes of a word, and spaces.
  @inline(__always)
  private static func spaced(_ word: UInt64, from count: Int) -> UInt64 {
    let spaces: UInt64 = 0x2020_2020_2020_2020
    let kept = (1 as UInt64) &<< UInt64(count &* 8) &- 1
    return word & kept | spaces & ~kept
  }

  /// True if all eight bytes are ASCII that stands for itself in a string.
  @inline(__always)
  private static func isPlain(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    // The high bit of a byte of each term is set where that byte is below 0x20, or is the one looked for.
    // Below the first such byte of a word that is exact, which is all that is asked.
    let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
    return found & (ones &* 0x80) == 0
  }

  /// Writes the escape of a control character, a quote or a backslash (RFC 8259, section 7).
  @inline(never)
  private static func put(escaped byte: UInt8, _ output: inout MutableRawSpan, _ end: inout Int) {
    put(byte: UInt8(ascii: "\\"), &output, &end)
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte: byte, &output, &end)
    case 0x08: put(byte: UInt8(ascii: "b"), &output, &end)
    case 0x09: put(byte: UInt8(ascii: "t"), &output, &end)
    case 0x0A: put(byte: UInt8(ascii: "n"), &output, &end)
    case 0x0C: put(byte: UInt8(ascii: "f"), &output, &end)
    case 0x0D: put(byte: UInt8(ascii: "r"), &output, &end)
    default:
      put("u00", &output, &end)
      put(byte: hexDigit(byte >> 4), &output, &end)
      put(byte: hexDigit(byte & 15), &output, &end)
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

// MARK: - Digits, eight at a time

extension JSONBlock {
  /// The eight digits of a number below 10^8, one a byte, the first in the lowest: the number is halved
  /// into 4 + 4 digits, those into 2 + 2 and 1 + 1, each step in all lanes of one word (after Mula, "SSE:
  /// conversion uint32 to decimal"). 10486 / 2^20 and 103 / 2^10 stand for 1/100 and 1/10, and are exact in
  /// these ranges.
  @inline(__always)
  private static func digits(_ value: UInt64) -> UInt64 {
    let high = value / 10_000
    let fours = high | (value &- high &* 10_000) &<< 32
    let hundreds = ((fours &* 10486) &>> 20) & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) &<< 16
    let tens = ((twos &* 103) &>> 10) & 0x000F_000F_000F_000F
    return tens | (twos &- tens &* 10) &<< 8
  }

  @inline(__always)
  private static func putEight(_ digits: UInt64, _ output: inout MutableRawSpan, _ end: inout Int) {
    output.storeBytes(of: digits | 0x3030_3030_3030_3030, toByteOffset: end, as: UInt64.self)
    end &+= 8
  }

  /// Writes a number below 10^8 without zeros before it.
  @inline(__always)
  private static func putFirst(_ value: UInt64, _ output: inout MutableRawSpan, _ end: inout Int) {
    let digits = digits(value)
    // Of 0 one digit stays.
    let zeros = min(digits.trailingZeroBitCount &>> 3, 7)
    let text = (digits | 0x3030_3030_3030_3030) &>> UInt64(truncatingIfNeeded: zeros &* 8)
    output.storeBytes(of: text, toByteOffset: end, as: UInt64.self)
    end &+= 8 &- zeros
  }
}

extension [UInt8] {
  /// Appends what `write` writes into a space of `limit` bytes; it leaves in its second argument how many.
  /// The space has some slack beyond its end.
  @inline(__always)
  mutating func append(atMost limit: Int, _ write: (inout MutableRawSpan, inout Int) -> Void) {
    let space = limit &+ JSONBlock.slack
    append(addingCapacity: space) { span in
      span.append(repeating: 0, count: space)
      var bytes = span.mutableSpan
      // Unsafe is only that not every element would take any bytes; these do. The bounds are checked.
      var raw = unsafe bytes.mutableBytes
      var end = 0
      write(&raw, &end)
      span.removeLast(space &- end)
    }
  }
}
