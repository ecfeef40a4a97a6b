/// Writes state as bytes: numbers in as few bytes as they need, texts with their length before them.
///
/// There are no names and no types in the bytes: a `StateReader` must ask for the same things in the same
/// order.
public struct StateWriter {
  /// What was written, after what was there before.
  public var bytes: [UInt8]
  /// Instants are written as their distance from this one, which makes most of them short.
  public var origin: Instant = 0

  /// A writer that appends to bytes.
  @inlinable
  public init(appendingTo bytes: consuming [UInt8] = []) {
    self.bytes = bytes
  }

  /// Writes a number of 64 bits, seven of them a byte, low ones first (LEB128).
  @inlinable
  public mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number that is not negative.
  @inlinable
  public mutating func write(count: Int) {
    precondition(count >= 0, "a count is not negative")
    write(UInt64(truncatingIfNeeded: count))
  }

  /// Writes a number of either sign: 0, −1, 1, −2, … are 0, 1, 2, 3, … (zigzag).
  @inlinable
  public mutating func write(signed number: Int64) {
    write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Writes an instant.
  @inlinable
  public mutating func write(instant: Instant) {
    write(signed: instant &- origin)
  }

  /// Writes something that may be absent: whether it is there, and it.
  @inlinable
  public mutating func write<Value>(_ value: Value?, _ write: (inout StateWriter, Value) -> Void) {
    guard let value else { return bytes.append(0) }
    bytes.append(1)
    write(&self, value)
  }

  /// Writes an instant that may be absent.
  @inlinable
  public mutating func write(instant: Instant?) {
    write(instant) { $0.write(instant: $1) }
  }

  /// Writes whether something is so.
  @inlinable
  public mutating func write(flag: Bool) {
    bytes.append(flag ? 1 : 0)
  }

  /// Writes 64 bits that are no number: eight bytes, low ones first.
  @inlinable
  public mutating func write(word: UInt64) {
    let place = appendWords(1)
    set(word, at: place)
  }

  /// Appends words that are still to be set, and returns where the first is. One call for many is much
  /// faster.
  @inlinable
  public mutating func appendWords(_ count: Int) -> Int {
    let place = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count * 8))
    return place
  }

  /// Sets a word that was appended.
  @inlinable
  public mutating func set(_ word: UInt64, at offset: Int) {
    var span = bytes.mutableSpan
    // The store is bounds-checked; it is called unsafe because not every type allows every bit pattern.
    var raw = unsafe span.mutableBytes
    raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Writes a text with its length.
  @inlinable
  public mutating func write(text: some Collection<UInt8>) {
    write(count: text.count)
    bytes.append(contentsOf: text)
  }
}
