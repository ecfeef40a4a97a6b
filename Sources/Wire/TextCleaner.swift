internal import Base

/// Makes names and texts safe to draw: no control characters, no bidirectional overrides, a bounded length.
///
/// The overrides (U+202A–202E, U+2066–2069) go because one in a name turns the rest of a line around.
enum TextCleaner {
  /// Cleans the string that lies at `text` both in the buffer of strings and in the arena, then cuts it at
  /// a character to at most `limit` bytes. What is clean stays where it is; a cleaned copy goes to the
  /// arena's end.
  @inline(__always)
  static func clean(
    _ text: TextSlice, limit: Int, strings: RawSpan, arena: inout [UInt8]
  ) -> TextSlice {
    if !isSuspicious(text, strings: strings), text.count <= limit { return text }
    return cleanSlowly(text, limit: limit, arena: &arena)
  }

  /// False if there surely is no control character; looks at eight bytes a step.
  @inline(__always)
  private static func isSuspicious(_ text: TextSlice, strings: RawSpan) -> Bool {
    let start = Int(text.start)
    var offset = 0
    while offset < text.count {
      let rest = Int(text.count) &- offset
      var word = Tape.eightBytes(strings, at: start &+ offset)
      // Spaces fill what is beyond the end.
      if rest < 8 {
        word = Tape.first(rest, of: word) | (Self.spaces &<< UInt64(truncatingIfNeeded: rest &* 8))
      }
      let controls = (word &- Self.spaces) & ~word & Self.highBits
      if controls | zeroByte(word ^ Self.deletes) != 0 { return true }
      // C1 is C2 80 … C2 9F, the overrides begin with E2 80 and E2 81.
      if word & Self.highBits != 0, zeroByte(word ^ Self.lead(0xC2)) | zeroByte(word ^ Self.lead(0xE2)) != 0 {
        return true
      }
      offset &+= 8
    }
    return false
  }

  private static let spaces: UInt64 = lead(0x20)
  private static let deletes: UInt64 = lead(0x7F)
  private static let highBits: UInt64 = lead(0x80)

  /// A word of eight such bytes.
  @inline(__always)
  private static func lead(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// Not 0 if one of the eight bytes is 0 (the classic test; exact as to whether there is one).
  @inline(__always)
  private static func zeroByte(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }

  @inline(never)
  private static func cleanSlowly(_ text: TextSlice, limit: Int, arena: inout [UInt8]) -> TextSlice {
    var index = text.range.lowerBound
    let end = text.range.upperBound
    while index < end {
      if controlLength(arena, at: index, before: end) > 0 { break }
      index += 1
    }
    guard index < end else { return cut(text, limit: limit, arena: arena) }
    let start = arena.count
    index = text.range.lowerBound
    // A little more than the limit is enough to know where to cut.
    while index < end, arena.count - start <= limit {
      let control = controlLength(arena, at: index, before: end)
      if control == 0 { arena.append(arena[index]) }
      index += max(control, 1)
    }
    let copy = TextSlice(start: start, count: arena.count - start)
    return cut(copy, limit: limit, arena: arena)
  }

  /// How many bytes the control character at an index has; 0 if it is none.
  private static func controlLength(_ arena: [UInt8], at index: Int, before end: Int) -> Int {
    switch arena[index] {
    case 0..<0x20, 0x7F: return 1
    case 0xC2: return index + 1 < end && 0x80...0x9F ~= arena[index + 1] ? 2 : 0
    case 0xE2:
      guard index + 2 < end else { return 0 }
      let isOverride =
        arena[index + 1] == 0x80 && 0xAA...0xAE ~= arena[index + 2]
        || arena[index + 1] == 0x81 && 0xA6...0xA9 ~= arena[index + 2]
      return isOverride ? 3 : 0
    default: return 0
    }
  }

  private static func cut(_ text: TextSlice, limit: Int, arena: [UInt8]) -> TextSlice {
    guard text.count > limit else { return text }
    var count = max(limit, 0)
    // A byte 80 … BF goes on with a character, so the cut moves to where that one begins.
    while count > 0, arena[Int(text.start) + count] & 0xC0 == 0x80 { count -= 1 }
    return TextSlice(start: Int(text.start), count: count)
  }
}
