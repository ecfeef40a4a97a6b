/// Base64 with padding (RFC 4648, section 4), for payloads that are no JSON in a capture.
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// Appends the text of some bytes.
  public static func encode(_ bytes: some Collection<UInt8>, into text: inout [UInt8]) {
    var group = 0
    var count = 0
    for byte in bytes {
      group = group << 8 | Int(byte)
      count += 1
      if count == 3 {
        for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
        group = 0
        count = 0
      }
    }
    guard count > 0 else { return }
    group <<= 8 * (3 - count)
    for place in 0..<4 { text.append(place <= count ? alphabet[group >> (18 - 6 * place) & 63] : padding) }
  }

  /// Appends the bytes of a text. Returns false, with some of them appended, if it is no base64.
  public static func decode(_ text: some Collection<UInt8>, into bytes: inout [UInt8]) -> Bool {
    guard text.count.isMultiple(of: 4) else { return false }
    var group = 0
    var digits = 0
    var padded = 0
    for character in text {
      if character == padding {
        padded += 1
        group <<= 6
      } else {
        guard padded == 0, let digit = alphabet.firstIndex(of: character) else { return false }
        group = group << 6 | digit
      }
      digits += 1
      if digits == 4 {
        guard padded <= 2 else { return false }
        for place in 0..<3 - padded { bytes.append(UInt8(truncatingIfNeeded: group >> (16 - 8 * place))) }
        group = 0
        digits = 0
      }
    }
    return true
  }
}
