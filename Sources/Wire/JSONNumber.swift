/// What a run of the bytes that numbers are made of is.
enum JSONNumber: Equatable {
  /// No number, or one that fits 64 bits or a double.
  case plain
  /// An integer by the grammar that fits neither `Int64` nor `UInt64`.
  case hugeInteger
  /// A number with fraction or exponent that is beyond the largest double.
  case hugeFloat

  /// Looks at the bytes of a range.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    let isNegative = index < range.upperBound && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let digits = Self.digits(bytes, index..<range.upperBound)
    // RFC 8259, section 6: at least one digit, and no zero before others.
    guard !digits.isEmpty, digits.count == 1 || bytes[digits.lowerBound] != UInt8(ascii: "0") else {
      self = .plain
      return
    }
    index = digits.upperBound
    if index == range.upperBound {
      self = Self.fits(bytes, digits, isNegative: isNegative) ? .plain : .hugeInteger
      return
    }
    guard let end = Self.fractionAndExponent(bytes, index..<range.upperBound), end == range.upperBound else {
      self = .plain
      return
    }
    var text = ""
    for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    // The text is a number by the grammar, so only its size can be wrong.
    self = Double(text).map(\.isInfinite) ?? true ? .hugeFloat : .plain
  }

  private static func digits(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var end = range.lowerBound
    while end < range.upperBound, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[end] { end += 1 }
    return range.lowerBound..<end
  }

  private static func fits(_ bytes: Span<UInt8>, _ digits: Range<Int>, isNegative: Bool) -> Bool {
    guard digits.count <= 20 else { return false }
    var value: UInt64 = 0
    for index in digits {
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[index] - UInt8(ascii: "0")))
      if overflowed || carried { return false }
      value = sum
    }
    return !isNegative || value <= UInt64(Int64.max) + 1
  }

  /// Where fraction and exponent end; nil if one of them is malformed.
  private static func fractionAndExponent(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    if index < range.upperBound, bytes[index] == UInt8(ascii: ".") {
      let fraction = digits(bytes, index + 1..<range.upperBound)
      if fraction.isEmpty { return nil }
      index = fraction.upperBound
    }
    if index < range.upperBound, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < range.upperBound, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      let exponent = digits(bytes, index..<range.upperBound)
      if exponent.isEmpty { return nil }
      index = exponent.upperBound
    }
    return index
  }
}
