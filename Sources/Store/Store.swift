public import Base

/// The durable memory of one instance: journal, snapshot, ledger, positions, redelivery pairs (DESIGN.md,
/// section 5).
///
/// A store is opened by its implementation, then `start` begins a run. Each turn is one `commit`; nothing
/// that depends on its rows may leave before it returns. What throws leaves the store as it was, and the same
/// call may be tried again: when the cause has gone it succeeds. One thread at a time.
///
/// Bytes are lent to closures until they return. A closure returns false to stop; it must not write to the
/// store that it is reading.
public protocol Store: AnyObject {
  /// What the store knows about itself, as of the last commit; in a reader, of the last `refresh`.
  var state: StoreState { get }

  /// Begins a run: writes who runs, and that it has not stopped cleanly. Read `state` first, for what was
  /// there before. Required before the first commit. With `newEpoch` a row that begins a new epoch is written
  /// in the same transaction: why it was needed is forgotten with it.
  func start(
    instance: String, bootID: String, engineVersion: Int64, newEpoch: Instant?
  ) throws(StoreError)

  /// Writes that the run ended cleanly. Nothing is committed after it.
  func stopCleanly() throws(StoreError)

  /// Writes a turn in one transaction, durable when it returns. Gives the numbers of its rows, in order. A
  /// record with nothing in it costs nothing.
  @discardableResult
  func commit(_ turn: TurnRecord) throws(StoreError) -> Range<Int64>

  /// Lends the rows after `after`, in order, without those that are poison unless asked for: head, topic,
  /// payload, properties. Reads in pieces, so that a writer in another process is not held up; throws
  /// `journalCut` if the row after `after` is not there any more, and `corrupt` if a digest does not match.
  func forEachRow(
    after: Int64, includingPoison: Bool,
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Bool
  ) throws(StoreError)

  /// The digest of a row; nil if it is not there.
  func digest(ofRow row: Int64) throws(StoreError) -> Digest?

  /// Marks a row as poison and keeps a copy of it beyond the journal's cut: the last `maxPoisonRows` of them.
  /// False if the row is not there or was marked before.
  @discardableResult
  func flagPoison(row: Int64) throws(StoreError) -> Bool

  /// Lends the rows that are kept as poison, in order, as `forEachRow` does.
  func forEachPoisonRow(
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Bool
  ) throws(StoreError)

  /// Lends the valid snapshot: its header, then its rooms by name, each with the row that it is complete to.
  /// Gives the row after which a replay starts; nil, and lends nothing, if there is no snapshot. Throws
  /// `corrupt` for a part whose checksum does not match.
  func readSnapshot(
    header: (Span<UInt8>) -> Void,
    room: (_ name: Span<UInt8>, _ row: Int64, _ content: Span<UInt8>) -> Bool
  ) throws(StoreError) -> Int64?

  /// Drops what was written of a snapshot that is not finished.
  func abandonSnapshot() throws(StoreError)

  /// Cuts the journal behind the snapshot, superseded parts of snapshots and old ledger lines, at most
  /// `limit` of each, in one transaction. True if there is more to do. Costs next to nothing if nothing is.
  func tidy(_ plan: TidyPlan) throws(StoreError) -> Bool

  /// Lends the lines of the ledger, added up by the given columns and in their order: day, room, sender,
  /// gift, receiver, each in the order of bytes.
  func forEachLedgerLine(
    by columns: LedgerColumns, _ filter: LedgerFilter, _ body: (LedgerLine) -> Bool
  ) throws(StoreError)

  /// Lends the confirmed positions by topic.
  func forEachPosition(
    _ body: (_ topic: Span<UInt8>, _ epoch: Instant, _ sequence: Int64) -> Bool
  ) throws(StoreError)

  /// Lends the last redelivery pairs, at most `limit`, oldest first.
  func forEachRedeliveryPair(
    limit: Int, _ body: (_ messageID: UInt16, _ digest: Digest) -> Void
  ) throws(StoreError)

  /// Forgets all redelivery pairs. A committed `sessionLost` row does it too.
  func forgetRedelivery() throws(StoreError)

  /// Reads `state` again: a reader sees what the daemon has written meanwhile.
  func refresh() throws(StoreError)

  /// Counts. Walks whole tables.
  func sizes() throws(StoreError) -> StoreSizes

  /// Writes a consistent copy to a new file while the daemon runs; the copy is marked as a backup. Never
  /// overwrites; a copy that fails leaves no file.
  func backUp(to path: String) throws(StoreError)
}

extension Store {
  /// Begins a run in the epochs that the rooms have.
  public func start(instance: String, bootID: String, engineVersion: Int64) throws(StoreError) {
    try start(instance: instance, bootID: bootID, engineVersion: engineVersion, newEpoch: nil)
  }

  /// Pairs that are kept: as many as there are message ids.
  public static var maxRedeliveryPairs: Int { 65_535 }
  /// Poison rows that are kept; the oldest leaves.
  public static var maxPoisonRows: Int { 1000 }

  /// Marks the rows that have ended the process `attempts` times or more, and gives their numbers. Call it
  /// before the replay.
  public func quarantine(
    suspectsOf guarded: PoisonGuard, attempts: Int = 2
  ) throws(StoreError) -> [Int64] {
    var flagged: [Int64] = []
    for suspect in guarded.suspects where suspect.attempts >= attempts {
      // After a power loss, or on a restored backup, the file may speak of rows that never were.
      if try digest(ofRow: suspect.row) == suspect.digest, try flagPoison(row: suspect.row) {
        flagged.append(suspect.row)
      }
      guarded.forget(row: suspect.row)
    }
    return flagged
  }
}

/// What `tidy` may remove.
public struct TidyPlan: Sendable {
  /// Rows from this instant on are kept even where the snapshot has made them unnecessary; nil keeps all.
  public var journalFrom: Instant?
  /// Ledger lines from this day on are kept; nil keeps all.
  public var ledgerFromDay: Int32?
  /// The most that is removed of each in one call, so that the loop does not stand still.
  public var limit: Int

  /// A plan; without arguments the journal is cut at the snapshot and the ledger is kept.
  public init(journalFrom: Instant? = .max, ledgerFromDay: Int32? = nil, limit: Int = 500) {
    self.journalFrom = journalFrom
    self.ledgerFromDay = ledgerFromDay
    self.limit = limit
  }
}
