public import Base

/// What a row of the journal is: one input of the engine. The raw values are in the file.
public enum RowKind: UInt8, CaseIterable, Equatable, Sendable {
  /// An MQTT message: topic, payload, the properties that are used.
  case message = 1
  /// A configuration took effect; the payload is its canonical bytes.
  case configuration = 2
  /// We were away; the payload is an `AwaySpan`.
  case away = 3
  /// The broker had no session of ours: what it held is lost. It forgets the redelivery pairs.
  case sessionLost = 4
  /// Commands are numbered anew from here: what followed the row before may have been published with other
  /// words, by a run whose rows are gone. The payload is the epoch's instant.
  case epoch = 5
}

/// The head of a row. Its bytes are lent beside it.
public struct JournalRow: Equatable, Sendable {
  /// Its number: 1, 2, 3, … without a gap.
  public var id: Int64
  /// When it happened; never lower than in the row before.
  public var at: Instant
  /// What it is.
  public var kind: RowKind
  /// MQTT's message id; 0 where there is none.
  public var messageID: UInt16
  /// The digest of topic and payload.
  public var digest: Digest
  /// The version of the engine that handled it first.
  public var engineVersion: Int64
  /// True if it ended the process twice and is skipped by every replay.
  public var isPoison: Bool
}

/// A stretch of time in which the daemon was not there, or had no connection.
public struct AwaySpan: Equatable, Sendable {
  /// The last instant that the engine lived through before.
  public var from: Instant
  /// When it went on.
  public var to: Instant

  /// A span of time.
  public init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  /// Reads the payload of an `away` row; nil if it is none.
  public init?(payload: Span<UInt8>) {
    guard payload.count == 16 else { return nil }
    from = Instant(truncatingIfNeeded: LittleEndian.word(at: 0, of: payload))
    to = Instant(truncatingIfNeeded: LittleEndian.word(at: 8, of: payload))
  }
}

extension Instant {
  /// Reads the payload of an `epoch` row; nil if it is none.
  public init?(epochPayload payload: Span<UInt8>) {
    guard payload.count == 8 else { return nil }
    self.init(truncatingIfNeeded: LittleEndian.word(at: 0, of: payload))
  }
}

/// Numbers in the blobs of the store: least significant byte first.
enum LittleEndian {
  /// Reads eight bytes.
  static func word(at offset: Int, of bytes: Span<UInt8>) -> UInt64 {
    var word: UInt64 = 0
    for position in 0..<8 { word |= UInt64(bytes[offset + position]) << UInt64(8 * position) }
    return word
  }

  /// Appends the lowest `count` bytes of a number.
  static func append(_ word: UInt64, count: Int = 8, to bytes: inout [UInt8]) {
    for position in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * position))) }
  }
}
