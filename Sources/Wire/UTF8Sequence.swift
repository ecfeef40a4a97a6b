/// One step through bytes that should be UTF-8.
struct UTF8Sequence {
  /// False if the bytes are no character; U+FFFD stands for them then.
  let isValid: Bool
  /// How many bytes: of the character, or of what could have begun one (Unicode 15, 3.9, "maximal subpart").
  let count: Int

  /// Looks at the sequence that starts at `start` and must end before `end`.
  @inline(__always)
  init(_ bytes: Span<UInt8>, at start: Int, before end: Int) {
    let first = bytes[start]
    guard first >= 0x80 else {
      isValid = true
      count = 1
      return
    }
    // Unicode 15, table 3-7: after some first bytes the second has a narrower range.
    let length: Int
    var range: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, range) = (3, 0xA0...0xBF)
    case 0xED: (length, range) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, range) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, range) = (4, 0x80...0x8F)
    default: length = 1
    }
    var good = 1
    while good < length, start + good < end, range.contains(bytes[start + good]) {
      range = 0x80...0xBF
      good += 1
    }
    isValid = length > 1 && good == length
    count = good
  }

  /// U+FFFD, which stands for what is no character.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}

extension Span<UInt8> {
  /// True if all of it is UTF-8.
  var isUTF8: Bool {
    var index = 0
    while index < count {
      let sequence = UTF8Sequence(self, at: index, before: count)
      guard sequence.isValid else { return false }
      index += sequence.count
    }
    return true
  }
}
