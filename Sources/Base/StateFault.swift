/// Why saved state cannot be read back.
public struct StateFault: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Reason: Equatable, Sendable {
    /// It ends in the middle of something.
    case truncated
    /// It was written in another version of the format.
    case version(Int)
    /// Its checksum is not that of its bytes: it was damaged, or is no saved state.
    case checksum
    /// It is whole, and something else than was asked for.
    case kind
    /// A number that nothing could have written there.
    case outOfRange
    /// It contradicts what was read before: something that is there once came twice, or is out of order.
    case contradiction
    /// Bytes follow where it should end.
    case excess
  }

  /// What is wrong.
  public var reason: Reason
  /// Where: offset in bytes from the start of what was read.
  public var offset: Int

  /// A fault at an offset.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}
