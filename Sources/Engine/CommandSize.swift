import Base

/// How large commands get as JSON, so that lists can be split before they are written.
///
/// The engine does not write JSON, but the sequence numbers are its own: it must know how many commands a
/// list makes. These are upper bounds that count every escape.
enum CommandSize {
  /// Everything of a command but its items, with the longest room name.
  static let overhead = 2048

  /// The longest address of a picture that is passed on. With three of them, each byte escaped to six, a
  /// command still fits; a longer one is left out, for it must cost neither the gift nor the limit.
  static let maxPictureBytes: Int32 = 8192

  /// A picture's address, or none if it is too long.
  static func picture(_ address: TextSlice) -> TextSlice {
    address.count <= maxPictureBytes ? address : .absent
  }

  /// Member names, braces and numbers of an item.
  private static let itemOverhead = 320

  /// True if so many items with so many bytes of text fit whatever the texts are, which nearly always is so:
  /// then nobody needs to look at each byte.
  static func surelyFits(items: Int, textBytes: Int, limit: Int) -> Bool {
    items * (itemOverhead + colorBytes) + textBytes * 6 <= limit
  }

  /// The longest colour, escaped.
  private static let colorBytes = 64

  /// A line of a `fold`.
  static func item(_ item: FoldItem, in bytes: [UInt8]) -> Int {
    itemOverhead + party(item.sender, in: bytes) + party(item.receiver, in: bytes)
      + text(item.gift.id, in: bytes) + text(item.gift.name, in: bytes) + text(item.gift.icon, in: bytes)
  }

  /// A line of an `append`.
  static func item(_ item: CommentItem, in bytes: [UInt8]) -> Int {
    itemOverhead + party(item.sender, in: bytes) + text(item.id, in: bytes) + text(item.color, in: bytes)
      + text(item.text, in: bytes) + text(item.style, in: bytes)
  }

  /// An id of a `remove`, with its quotes and comma.
  static func id(_ id: TextSlice, in bytes: [UInt8]) -> Int { 3 + text(id, in: bytes) }

  private static func party(_ party: Party, in bytes: [UInt8]) -> Int {
    text(party.id, in: bytes) + text(party.name, in: bytes) + text(party.avatar, in: bytes)
  }

  /// A byte becomes six at most (`\u0000`), and two if it is a quote or a backslash.
  private static func text(_ slice: TextSlice, in bytes: [UInt8]) -> Int {
    var size = Int(slice.count)
    for position in slice.range {
      let byte = bytes[position]
      if byte < 0x20 {
        size += 5
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        size += 1
      }
    }
    return size
  }
}
