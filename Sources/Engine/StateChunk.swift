import Base

/// The frame of saved state: format version, kind, body, checksum. Every chunk can be read by itself.
enum StateChunk {
  /// The version of the format. The digests of keys are part of it: another digester is another version.
  static let version: UInt8 = 6

  /// What a chunk is.
  enum Kind: UInt8 {
    case header = 1
    case room = 2
  }

  /// No chunk is larger: offsets in a room's texts must fit in 32 bits.
  private static let maxBytes = 1 << 28
  private static let frameStart = 2
  static let frameEnd = 8

  /// Appends a chunk to bytes.
  static func append(_ kind: Kind, to bytes: inout [UInt8], body: (inout StateWriter) -> Void) {
    var writer = StateWriter()
    swap(&writer.bytes, &bytes)
    let start = writer.bytes.count
    writer.bytes.append(version)
    writer.bytes.append(kind.rawValue)
    body(&writer)
    writer.write(word: checksum(of: writer.bytes, in: start..<writer.bytes.count))
    swap(&writer.bytes, &bytes)
  }

  /// Reads a chunk whole. The version is looked at first, since another may have another checksum.
  static func read<Value>(
    _ kind: Kind, from bytes: [UInt8], body: (inout StateReader) throws(StateFault) -> Value
  ) throws(StateFault) -> Value {
    guard bytes.count >= frameStart + frameEnd else { throw StateFault(.truncated, at: bytes.count) }
    guard bytes.count <= maxBytes else { throw StateFault(.outOfRange, at: maxBytes) }
    guard bytes[0] == version else { throw StateFault(.version(Int(bytes[0])), at: 0) }
    let end = bytes.count - frameEnd
    var sum = StateReader(bytes, in: end..<bytes.count)
    guard try sum.word() == checksum(of: bytes, in: 0..<end) else { throw StateFault(.checksum, at: end) }
    guard bytes[1] == kind.rawValue else { throw StateFault(.kind, at: 1) }
    var reader = StateReader(bytes, in: frameStart..<end)
    let value = try body(&reader)
    try reader.finish()
    return value
  }

  static func checksum(of bytes: [UInt8], in range: Range<Int>) -> UInt64 {
    var digester = KeyDigester(seed: UInt64(version))
    digester.add(bytes.span.extracting(range))
    return digester.digest().low
  }
}
