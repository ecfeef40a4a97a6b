/// How to read simdjson's tape (its doc/tape.md) and its buffer of strings.
///
/// The tape has one word a value: the type's character in the top byte, 56 bits of payload below. `{` and
/// `[` know the index past their end; a string knows its offset in the buffer, where its length (4 bytes)
/// stands before its bytes; the value of a number is the next word. Index 0 is the document itself, so 0
/// serves as "no value".
///
/// Words are loaded as they lie, so this is for machines whose lowest byte comes first: all that Swift runs
/// on.
enum Tape {
  static let object = UInt8(ascii: "{")
  static let array = UInt8(ascii: "[")
  static let string = UInt8(ascii: "\"")
  static let signed = UInt8(ascii: "l")
  static let unsigned = UInt8(ascii: "u")
  static let double = UInt8(ascii: "d")
  static let yes = UInt8(ascii: "t")
  static let no = UInt8(ascii: "f")
  static let null = UInt8(ascii: "n")

  /// Index of the payload's one value.
  static let root = 1

  /// The type of the value that a word stands for.
  @inline(__always)
  static func type(_ word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word &>> 56) }

  /// For a container: the index past its end, which is where its parent goes on.
  @inline(__always)
  static func end(_ word: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: word)) }

  /// For a container: how many members it has; 0xFF_FFFF stands for that many or more.
  @inline(__always)
  static func memberCount(_ word: UInt64) -> Int { Int(truncatingIfNeeded: (word &>> 32) & 0xFF_FFFF) }

  /// For a string: where its length stands in the buffer.
  @inline(__always)
  static func offset(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0x00FF_FFFF_FFFF_FFFF) }

  /// The index of the value after the one at `index`.
  @inline(__always)
  static func index(after index: Int, word: UInt64) -> Int {
    switch type(word) {
    case string: index &+ 1
    case object, array: end(word)
    case signed, unsigned, double: index &+ 2
    default: index &+ 1
    }
  }

  /// Eight bytes of the buffer from any offset; the first byte is the lowest.
  @inline(__always)
  static func eightBytes(_ strings: RawSpan, at offset: Int) -> UInt64 {
    // Unsafe is only that a type might not take any bytes; this one does. The bounds are checked.
    unsafe strings.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// The first `count` bytes of a word, the others 0; all of it for 8 or more.
  @inline(__always)
  static func first(_ count: Int, of word: UInt64) -> UInt64 {
    count >= 8 ? word : word & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
  }

  /// Up to eight bytes of a text as `eightBytes` gives them, the others 0.
  static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The string at an offset of the buffer: its length, and its first eight bytes.
  @inline(__always)
  static func stringStart(_ strings: RawSpan, at offset: Int) -> (count: Int, word: UInt64) {
    // One load, and so one look at the bounds. The buffer is padded, so there always are 16 bytes.
    let head = unsafe strings.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    let count = Int(UInt32(truncatingIfNeeded: head[0]))
    return (count, first(count, of: head[0] &>> 32 | head[1] &<< 32))
  }

  /// The length of the string at an offset of the buffer.
  @inline(__always)
  static func stringCount(_ strings: RawSpan, at offset: Int) -> Int {
    Int(unsafe strings.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

extension Tape {
  /// True if the string at an offset of the buffer is this text.
  static func isEqual(_ text: [UInt8], toStringAt offset: Int, _ strings: RawSpan) -> Bool {
    var (count, word) = stringStart(strings, at: offset)
    guard count == text.count else { return false }
    for index in text.indices {
      if index > 0, index & 7 == 0 { word = eightBytes(strings, at: offset &+ 4 &+ index) }
      if UInt8(truncatingIfNeeded: word) != text[index] { return false }
      word &>>= 8
    }
    return true
  }

  /// The value of an object's member; 0 if it has none. Of a member given twice the last counts.
  static func member(_ name: [UInt8], of object: Int, _ tape: Span<UInt64>, _ strings: RawSpan) -> Int {
    var found = 0
    var index = object + 1
    let end = end(tape[object]) - 1
    while index < end {
      if isEqual(name, toStringAt: offset(tape[index]), strings) { found = index + 1 }
      index = self.index(after: index + 1, word: tape[index + 1])
    }
    return found
  }
}
