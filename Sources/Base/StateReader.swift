/// Reads what a `StateWriter` wrote.
///
/// It is total: whatever the bytes are, a call gives a value of the kind that was asked for or throws, and no
/// text and no number of things that it returns is larger than the bytes that are left.
public struct StateReader {
  /// The bytes that are read; offsets and texts are places in them.
  public let bytes: [UInt8]
  /// Where the next thing begins.
  public private(set) var offset: Int
  /// Instants are read as their distance from this one.
  public var origin: Instant = 0
  private let end: Int

  /// The highest count, and the distance of the furthest instant: two of them still add up.
  public static let maxCount = 1 << 60

  /// A reader of a part of some bytes.
  public init(_ bytes: [UInt8], in range: Range<Int>) {
    precondition(range.upperBound <= bytes.count, "the part lies in the bytes")
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  /// A reader of bytes.
  public init(_ bytes: [UInt8]) {
    self.init(bytes, in: 0..<bytes.count)
  }

  /// Bytes that are left.
  public var remaining: Int { end - offset }

  /// A fault where the reader stands.
  public func fault(_ reason: StateFault.Reason) -> StateFault { StateFault(reason, at: offset) }

  /// Reads a byte.
  public mutating func byte() throws(StateFault) -> UInt8 {
    guard offset < end else { throw fault(.truncated) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a number of 64 bits.
  public mutating func number() throws(StateFault) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let start = offset
      let next = try byte()
      // The tenth byte has room for one bit.
      guard shift < 63 || next <= 1 else { throw StateFault(.outOfRange, at: start) }
      number |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads a number that is not negative and at most `limit`.
  public mutating func count(upTo limit: Int = StateReader.maxCount) throws(StateFault) -> Int {
    let start = offset
    let number = try number()
    guard number <= UInt64(limit) else { throw StateFault(.outOfRange, at: start) }
    return Int(number)
  }

  /// Reads how many things follow, each of at least `size` bytes: no more than there are bytes for.
  public mutating func count(ofThings size: Int) throws(StateFault) -> Int {
    let start = offset
    let count = try count()
    guard count <= remaining / size else { throw StateFault(.truncated, at: start) }
    return count
  }

  /// Reads a number of either sign.
  public mutating func signed() throws(StateFault) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// Reads an instant. Those so far from 1970 that nobody can reckon with them are refused.
  public mutating func instant() throws(StateFault) -> Instant {
    let start = offset
    let instant = origin &+ (try signed())
    guard instant.magnitude <= UInt64(StateReader.maxCount) else { throw StateFault(.outOfRange, at: start) }
    return instant
  }

  /// Reads whether something is so.
  public mutating func flag() throws(StateFault) -> Bool {
    let start = offset
    let next = try byte()
    guard next <= 1 else { throw StateFault(.outOfRange, at: start) }
    return next == 1
  }

  /// Reads something that may be absent.
  public mutating func optional<Value>(
    _ read: (inout StateReader) throws(StateFault) -> Value
  ) throws(StateFault) -> Value? {
    try flag() ? try read(&self) : nil
  }

  /// Reads an instant that may be absent.
  public mutating func optionalInstant() throws(StateFault) -> Instant? {
    try optional { (reader) throws(StateFault) in try reader.instant() }
  }

  /// Reads 64 bits that are no number.
  @inlinable
  public mutating func word() throws(StateFault) -> UInt64 {
    word(at: try pass(8).lowerBound)
  }

  /// The word at an offset of the bytes, which the reader has passed.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    // The load is bounds-checked; it is called unsafe because not every type allows every bit pattern.
    let raw = unsafe bytes.span.bytes
    return UInt64(littleEndian: unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Passes over bytes and returns where they lie.
  public mutating func pass(_ count: Int) throws(StateFault) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw fault(.truncated) }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Reads a text and returns where it lies.
  public mutating func text() throws(StateFault) -> Range<Int> {
    try pass(try count(ofThings: 1))
  }

  /// Throws if bytes are left.
  public func finish() throws(StateFault) {
    guard remaining == 0 else { throw fault(.excess) }
  }
}
