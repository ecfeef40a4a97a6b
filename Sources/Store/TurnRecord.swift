public import Base

/// What one turn of the loop writes, in one transaction. Reused from turn to turn: it keeps its memory.
///
/// It has two parts. The rows are this turn's input. The rest is what earlier turns led to: ledger, confirmed
/// positions, parts of a snapshot. When a commit fails the connection is dropped and the rows come again from
/// the broker, so they are removed (`removeRows`); the rest has no other source, and stays for the next try.
public struct TurnRecord: Sendable {
  /// The instant that the engine may live up to; nil leaves it as it is. It never goes back.
  public var lease: Instant?
  /// The row that ledger and positions of this record are complete to. Required with ledger lines.
  public var completedRow: Int64?
  /// Stands for everything that was said up to the end of that row; written with it.
  public var outputDigest: UInt64 = 0

  private(set) var rows: [Row] = []
  private(set) var rowBytes: [UInt8] = []
  private(set) var ledgerDeltas: [LedgerDelta] = []
  private(set) var positions: [Position] = []
  private(set) var chunks: [Chunk] = []
  private(set) var finishedSnapshotRow: Int64?
  private(set) var bytes: [UInt8] = []

  /// The most bytes of rows that a record takes; a turn is read in far smaller pieces.
  public static let maxRowBytes = 1 << 30

  /// An empty record.
  public init() {}

  /// Bytes of the rows, for the limit of a turn.
  public var rowByteCount: Int { rowBytes.count }
  /// Number of rows.
  public var rowCount: Int { rows.count }
  /// True if there is nothing to write.
  public var isEmpty: Bool {
    lease == nil && completedRow == nil && rows.isEmpty && ledgerDeltas.isEmpty && positions.isEmpty
      && chunks.isEmpty
  }

  /// Removes everything, after a commit.
  public mutating func removeAll() {
    removeRows()
    lease = nil
    completedRow = nil
    finishedSnapshotRow = nil
    ledgerDeltas.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    chunks.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Removes the rows, after a commit that failed.
  public mutating func removeRows() {
    rows.removeAll(keepingCapacity: true)
    rowBytes.removeAll(keepingCapacity: true)
  }

  // MARK: Rows

  /// Adds a message. `messageID` 0 (QoS 0) makes no redelivery pair. `digest` is `Digest(topic:payload:)`,
  /// which the caller has from its search for a redelivery. `properties` may be empty.
  public mutating func addMessage(
    at instant: Instant, topic: Span<UInt8>, payload: Span<UInt8>, messageID: UInt16, digest: Digest,
    properties: Span<UInt8>
  ) {
    append(
      Row(at: instant, kind: .message, messageID: messageID, digest: digest), topic: topic, payload: payload,
      properties: properties)
  }

  /// Adds a configuration in its canonical bytes.
  public mutating func addConfiguration(at instant: Instant, canonical: Span<UInt8>) {
    append(kind: .configuration, at: instant, payload: canonical)
  }

  /// Adds a span of being away; it happens at its end.
  public mutating func addAway(_ span: AwaySpan) {
    var payload: [UInt8] = []
    LittleEndian.append(UInt64(bitPattern: span.from), to: &payload)
    LittleEndian.append(UInt64(bitPattern: span.to), to: &payload)
    append(kind: .away, at: span.to, payload: payload.span)
  }

  /// Adds the loss of the session. The redelivery pairs of earlier rows are forgotten with it.
  public mutating func addSessionLost(at instant: Instant) {
    append(kind: .sessionLost, at: instant, payload: [UInt8]().span)
  }

  /// Adds the beginning of an epoch, which is named by an instant that no epoch had.
  public mutating func addEpoch(_ epoch: Instant, at instant: Instant) {
    var payload: [UInt8] = []
    LittleEndian.append(UInt64(bitPattern: epoch), to: &payload)
    append(kind: .epoch, at: instant, payload: payload.span)
  }

  // MARK: What earlier turns led to

  /// Adds gifts to the ledger. `day` counts from 1970-01-01 in the room's zone; an absent receiver is empty.
  /// `count` and `value` are 0 or more; sums saturate.
  public mutating func addLedger(
    room: Span<UInt8>, day: Int32, sender: Span<UInt8>, gift: Span<UInt8>, receiver: Span<UInt8>,
    count: Int64, value: Int64
  ) {
    precondition(count >= 0 && value >= 0, "a gift takes nothing away from the ledger")
    let delta = LedgerDelta(
      room: append(room), sender: append(sender), gift: append(gift), receiver: append(receiver), day: day,
      count: count, value: value)
    ledgerDeltas.append(delta)
  }

  /// Adds the highest sequence number of a topic that the broker has confirmed. It is kept until a snapshot
  /// is finished after all rows that there are now: no replay says again what was said before one.
  public mutating func addPosition(topic: Span<UInt8>, epoch: Instant, sequence: Int64) {
    precondition(sequence > 0, "sequence numbers begin at 1")
    positions.append(Position(topic: append(topic), epoch: epoch, sequence: sequence))
  }

  /// Adds the state of a room to the snapshot that is being built. `row` is the row that it is complete to:
  /// not lower than the one that the snapshot will be finished with. A second chunk of a room replaces the
  /// first. A room without a new chunk keeps the one of the snapshot before, whatever rows have come since.
  public mutating func addChunk(room: Span<UInt8>, row: Int64, content: Span<UInt8>) {
    precondition(!room.isEmpty, "the empty name is the header's")
    chunks.append(Chunk(room: append(room), content: append(content), row: row, isGone: false))
  }

  /// Takes a room that has left out of the snapshot that is being built.
  public mutating func removeChunk(room: Span<UInt8>, row: Int64) {
    precondition(!room.isEmpty, "the empty name is the header's")
    chunks.append(Chunk(room: append(room), content: .absent, row: row, isGone: true))
  }

  /// Makes the snapshot valid with this turn. `row` is the row after which a replay must start: the last that
  /// was handled before the first chunk was taken. `header` is what belongs to no room.
  public mutating func finishSnapshot(row: Int64, header: Span<UInt8>) {
    precondition(finishedSnapshotRow == nil, "a turn finishes one snapshot at most")
    finishedSnapshotRow = row
    chunks.append(Chunk(room: .absent, content: append(header), row: row, isGone: false))
  }

  // MARK: Private

  private mutating func append(kind: RowKind, at instant: Instant, payload: Span<UInt8>) {
    let none: [UInt8] = []
    let digest = Digest(topic: none.span, payload: payload)
    append(
      Row(at: instant, kind: kind, messageID: 0, digest: digest), topic: none.span, payload: payload,
      properties: none.span)
  }

  private mutating func append(
    _ row: Row, topic: Span<UInt8>, payload: Span<UInt8>, properties: Span<UInt8>
  ) {
    let count = rowBytes.count + topic.count + payload.count + properties.count
    precondition(count <= TurnRecord.maxRowBytes, "a turn is bounded far below this")
    var row = row
    row.topic = rowBytes.append(slice: topic)
    row.payload = rowBytes.append(slice: payload)
    row.properties = rowBytes.append(slice: properties)
    rows.append(row)
  }

  private mutating func append(_ text: Span<UInt8>) -> TextSlice {
    precondition(bytes.count + text.count <= TurnRecord.maxRowBytes, "a turn is bounded far below this")
    return bytes.append(slice: text)
  }
}

extension TurnRecord {
  /// A row with its bytes in `rowBytes`.
  struct Row {
    var at: Instant
    var kind: RowKind
    var messageID: UInt16
    var digest: Digest
    var topic = TextSlice.absent
    var payload = TextSlice.absent
    var properties = TextSlice.absent
  }

  /// A change of the ledger.
  struct LedgerDelta {
    var room: TextSlice
    var sender: TextSlice
    var gift: TextSlice
    var receiver: TextSlice
    var day: Int32
    var count: Int64
    var value: Int64
  }

  /// A confirmed position.
  struct Position {
    var topic: TextSlice
    var epoch: Instant
    var sequence: Int64
  }

  /// A part of a snapshot; the header has no room.
  struct Chunk {
    var room: TextSlice
    var content: TextSlice
    var row: Int64
    var isGone: Bool
  }
}

extension [UInt8] {
  /// Appends bytes and returns where they lie now.
  fileprivate mutating func append(slice: Span<UInt8>) -> TextSlice {
    let start = count
    append(span: slice)
    return TextSlice(start: start, count: slice.count)
  }
}
