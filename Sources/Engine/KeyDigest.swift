import Base

/// 128 bits that stand for a key of one or more texts.
///
/// A room compares keys hundreds of thousands of times a second and keeps tens of thousands of them, so it
/// keeps their digests: fixed in size, without an allocation. With 128 bits and a million keys the chance
/// that any two share a digest is below 10⁻²⁶. Every part is framed by its length, so that ("ab", "c") and
/// ("a", "bc") differ.
struct KeyDigest: Equatable, Sendable {
  /// First lane; it also places the key in a table.
  var low: UInt64
  /// Second lane.
  var high: UInt64
}

/// Reads the parts of a key and makes its digest: two independent multiply-fold lanes.
struct KeyDigester {
  private var low: UInt64
  private var high: UInt64

  /// A digester whose results depend on a seed.
  init(seed: UInt64) {
    low = seed ^ 0x9e37_79b9_7f4a_7c15
    high = seed &+ 0xc2b2_ae3d_27d4_eb4f
  }

  /// Adds a number as a part.
  mutating func add(_ word: UInt64) {
    low = KeyDigester.fold(low ^ word, 0xa076_1d64_78bd_642f)
    high = KeyDigester.fold(high &+ word, 0xe703_7ed1_a0b4_28db) ^ word
  }

  /// Adds a text of an arena as a part.
  mutating func add(_ text: TextSlice, in bytes: Span<UInt8>) {
    add(bytes.extracting(text.range))
  }

  /// Adds a text as a part.
  mutating func add(_ text: Span<UInt8>) {
    let raw = unsafe text.bytes
    // The last word has room for a byte of the length; the few texts that need more say so first.
    if raw.byteCount > 255 { add(UInt64(truncatingIfNeeded: raw.byteCount)) }
    var offset = 0
    while offset + 8 <= raw.byteCount {
      // The load is bounds-checked; it is called unsafe because not every type allows every bit pattern.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      add(word)
      offset += 8
    }
    var tail = UInt64(truncatingIfNeeded: raw.byteCount) << 56
    var shift: UInt64 = 0
    while offset < raw.byteCount {
      tail |= UInt64(text[offset]) << shift
      shift += 8
      offset += 1
    }
    add(tail)
  }

  /// The digest of the parts so far.
  func digest() -> KeyDigest {
    KeyDigest(
      low: KeyDigester.fold(low ^ high, 0x8ebc_6af0_9c88_c6e3),
      high: KeyDigester.fold(high ^ 0x5899_65cc_7537_4cc3, low | 1))
  }

  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
