import Base

/// 128 bits that stand for some bytes: a message, a row, a part of a snapshot.
///
/// They are written to the store, so the function never changes. It finds damage and tells messages apart;
/// it does not withstand someone who looks for two messages with one digest, and need not: a redelivered
/// message is recognised by its message id and its place in the order as well.
public struct Digest: Equatable, Sendable {
  /// First lane.
  public var low: UInt64
  /// Second lane.
  public var high: UInt64

  /// A digest that was read somewhere.
  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The digest of a message. Framed by lengths, so that a byte that moves from topic to payload changes it.
  public init(topic: Span<UInt8>, payload: Span<UInt8>) {
    var digester = Digester()
    digester.add(topic)
    digester.add(payload)
    self = digester.digest()
  }
}

/// Reads parts and makes their digest: two independent multiply-fold lanes (wyhash's step).
public struct Digester {
  private var low: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var high: UInt64 = 0xc2b2_ae3d_27d4_eb4f

  /// A digester of no parts.
  public init() {}

  /// Adds a number as a part.
  public mutating func add(_ word: UInt64) {
    low = Digester.fold(low ^ word, 0xa076_1d64_78bd_642f)
    high = Digester.fold(high &+ word, 0xe703_7ed1_a0b4_28db) ^ word
  }

  /// Adds bytes as a part.
  public mutating func add(_ bytes: Span<UInt8>) {
    let raw = unsafe bytes.bytes
    var offset = 0
    while offset + 8 <= raw.byteCount {
      // The load is bounds-checked; it is called unsafe because not every type allows every bit pattern.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      add(UInt64(littleEndian: word))
      offset += 8
    }
    var tail: UInt64 = 0
    var shift: UInt64 = 0
    while offset < raw.byteCount {
      tail |= UInt64(bytes[offset]) << shift
      shift += 8
      offset += 1
    }
    add(tail)
    add(UInt64(raw.byteCount))
  }

  /// The digest of the parts so far.
  public func digest() -> Digest {
    Digest(
      low: Digester.fold(low ^ high, 0x8ebc_6af0_9c88_c6e3),
      high: Digester.fold(high ^ 0x5899_65cc_7537_4cc3, low | 1))
  }

  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
