/// Milliseconds since 1970-01-01T00:00:00Z. Always passed in: only `EventLoop` reads a clock.
public typealias Instant = Int64

/// A text as a range of bytes in the arena of its owner (`EventBatch.bytes`, `CommandBuffer.bytes`).
///
/// Texts travel this way because a Swift `String` of over 15 bytes is an allocation, and the steady path
/// makes none. No text of ours is empty where it means something, so `count == 0` means "not given".
public struct TextSlice: Equatable, Sendable {
  /// Offset of the first byte in the arena.
  public var start: Int32
  /// Length in bytes.
  public var count: Int32

  /// A slice of `count` bytes from `start`.
  @inlinable
  public init(start: Int, count: Int) {
    self.start = Int32(truncatingIfNeeded: start)
    self.count = Int32(truncatingIfNeeded: count)
  }

  /// A text that was not given.
  @inlinable public static var absent: TextSlice { TextSlice(start: 0, count: 0) }

  /// True if the text was not given.
  @inlinable public var isAbsent: Bool { count == 0 }

  /// The bytes' indices in the arena.
  @inlinable public var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension [UInt8] {
  /// The bytes of a span, to keep.
  public init(copying span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for position in span.indices { append(span[position]) }
  }

  /// Appends a text and returns where it lies now.
  @inlinable
  public mutating func append(text: some Collection<UInt8>) -> TextSlice {
    let start = count
    append(contentsOf: text)
    return TextSlice(start: start, count: count - start)
  }

  /// Appends a text that lies in another arena and returns where it lies now.
  @inlinable
  public mutating func append(_ text: TextSlice, of arena: Span<UInt8>) -> TextSlice {
    let start = count
    let source = arena.extracting(text.range)
    append(addingCapacity: source.count) { target in
      for position in 0..<source.count { target.append(source[position]) }
    }
    return TextSlice(start: start, count: count - start)
  }

  /// The text of a slice as a `String`; for people and tests, not for the data path.
  @inlinable
  public func string(_ slice: TextSlice) -> String {
    String(decoding: self[slice.range], as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends an integer as decimal text, without an allocation.
  public mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let first = count
    var rest = value.magnitude
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[first...].reverse()
  }
}
