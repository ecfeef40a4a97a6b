/// Mends the slips that must not cost a gift, in a payload that a strict parser refused.
///
/// Inside strings: bytes that are not UTF-8, and lone surrogate escapes, become U+FFFD. Outside: a number
/// that is JSON but fits neither 64 bits nor a double cannot be on a tape, and only matters where it is
/// read. An integer becomes a string of its digits (a good id, no count), any other such number `false`.
/// Nothing else is touched, so what was not JSON for another reason still is not.
struct JSONRepair {
  private var output: [UInt8] = []
  private var repairs = 0

  /// A mended copy of a payload; nil if there was nothing to mend.
  static func repaired(_ payload: Span<UInt8>) -> [UInt8]? {
    var repair = JSONRepair()
    repair.output.reserveCapacity(payload.count + 64)
    repair.run(payload)
    return repair.repairs > 0 ? repair.output : nil
  }

  private mutating func run(_ payload: Span<UInt8>) {
    var index = 0
    while index < payload.count {
      switch payload[index] {
      case UInt8(ascii: "\""):
        output.append(payload[index])
        index = string(payload, from: index + 1)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        index = number(payload, from: index)
      default:
        output.append(payload[index])
        index += 1
      }
    }
  }

  /// Copies a string from after its opening quote; returns the index after its closing one.
  private mutating func string(_ payload: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < payload.count {
      let byte = payload[index]
      switch byte {
      case UInt8(ascii: "\""):
        output.append(byte)
        return index + 1
      case UInt8(ascii: "\\"):
        index = escape(payload, from: index)
      case 0x80...:
        let sequence = UTF8Sequence(payload, at: index, before: payload.count)
        if sequence.isValid {
          copy(payload, index..<index + sequence.count)
        } else {
          output.append(contentsOf: UTF8Sequence.replacement)
          repairs += 1
        }
        index += sequence.count
      default:
        output.append(byte)
        index += 1
      }
    }
    return index
  }

  /// Copies an escape from its backslash; returns the index after it.
  private mutating func escape(_ payload: Span<UInt8>, from start: Int) -> Int {
    guard start + 1 < payload.count, payload[start + 1] < 0x80 else {
      output.append(payload[start])
      return start + 1
    }
    guard let unit = Self.unit(payload, at: start) else {
      copy(payload, start..<start + 2)
      return start + 2
    }
    if 0xD800...0xDBFF ~= unit, let low = Self.unit(payload, at: start + 6), 0xDC00...0xDFFF ~= low {
      copy(payload, start..<start + 12)
      return start + 12
    }
    if 0xD800...0xDFFF ~= unit {
      output.append(contentsOf: #"\ufffd"#.utf8)
      repairs += 1
    } else {
      copy(payload, start..<start + 6)
    }
    return start + 6
  }

  /// The value of `\uXXXX` at an index; nil if there is none.
  private static func unit(_ payload: Span<UInt8>, at start: Int) -> UInt32? {
    guard start + 6 <= payload.count, payload[start] == UInt8(ascii: "\\"),
      payload[start + 1] == UInt8(ascii: "u")
    else { return nil }
    var value: UInt32 = 0
    for index in start + 2..<start + 6 {
      let byte = payload[index]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Copies or replaces what looks like a number; returns the index after it.
  private mutating func number(_ payload: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < payload.count, Self.isNumberByte(payload[end]) { end += 1 }
    switch JSONNumber(payload, start..<end) {
    // Before a colon it would be the name of a member, and no repair may turn it into one.
    case .hugeInteger where !Self.isName(payload, after: end):
      output.append(UInt8(ascii: "\""))
      copy(payload, start..<end)
      output.append(UInt8(ascii: "\""))
      repairs += 1
    case .hugeFloat where !Self.isName(payload, after: end):
      output.append(contentsOf: "false".utf8)
      repairs += 1
    default:
      copy(payload, start..<end)
    }
    return end
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private static func isName(_ payload: Span<UInt8>, after end: Int) -> Bool {
    var index = end
    while index < payload.count, [0x20, 0x09, 0x0A, 0x0D].contains(payload[index]) { index += 1 }
    return index < payload.count && payload[index] == UInt8(ascii: ":")
  }

  private mutating func copy(_ payload: Span<UInt8>, _ range: Range<Int>) {
    for index in range { output.append(payload[index]) }
  }
}
