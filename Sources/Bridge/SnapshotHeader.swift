/// What a snapshot says that belongs to no room.
public struct SnapshotHeader: Equatable, Sendable {
  /// The configuration that was in force.
  public var configuration: String
  /// What had been said, in a number that the daemon sums up.
  public var outputDigest: UInt64
  /// The engine's own header: what `Bridge.beginSaving` gave.
  public var engine: [UInt8]

  /// A header of these parts.
  public init(configuration: String, outputDigest: UInt64, engine: [UInt8]) {
    self.configuration = configuration
    self.outputDigest = outputDigest
    self.engine = engine
  }

  /// The header as bytes: the configuration framed by its length, the digest, and the engine's.
  public var bytes: [UInt8] {
    let text = Array(configuration.utf8)
    var bytes: [UInt8] = []
    SnapshotHeader.append(UInt64(text.count), to: &bytes)
    bytes.append(contentsOf: text)
    SnapshotHeader.append(outputDigest, to: &bytes)
    return bytes + engine
  }

  /// Reads what `bytes` gave; nil if it is cut off.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 16 else { return nil }
    let count = SnapshotHeader.word(at: 0, of: bytes)
    guard count <= UInt64(bytes.count - 16) else { return nil }
    let end = 8 + Int(count)
    configuration = String(decoding: bytes[8..<end], as: UTF8.self)
    outputDigest = SnapshotHeader.word(at: end, of: bytes)
    engine = Array(bytes[(end + 8)...])
  }

  private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
    for shift: UInt64 in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  private static func word(at offset: Int, of bytes: [UInt8]) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
  }
}
