public import Base

/// What the store knows about itself: the single row that every turn writes.
public struct StoreState: Equatable, Sendable {
  /// The instance that uses it.
  public var instance: String
  /// When the file was made.
  public var created: Instant
  /// The kernel's boot id at the last start; empty before the first. Another one means a power loss or a
  /// reboot.
  public var bootID: String
  /// The engine's version at the last start.
  public var engineVersion: Int64
  /// What a commit of the last run survived.
  public var durability: Durability
  /// True if the last run ended with a clean stop.
  public var stoppedCleanly: Bool
  /// True if this is a restored backup that no daemon has run on yet: commands after it were published.
  public var isBackup: Bool
  /// The engine may have lived up to here.
  public var lease: Instant
  /// The last row; 0 if there was none.
  public var lastRow: Int64
  /// The row that ledger and positions are complete to.
  public var completedRow: Int64
  /// Stands for everything that was said up to the end of that row; 0 if no run wrote it.
  public var outputDigest: UInt64
  /// Rows in the journal.
  public var journalRows: Int64
  /// Their bytes: topics, payloads and properties, and 40 for each row.
  public var journalBytes: Int64
  /// The row that the valid snapshot starts at; nil if there is none.
  public var snapshotRow: Int64?

  /// Counts snapshots; the parts of the one that is being built carry the next number.
  var snapshotGeneration: Int64
  /// Redelivery pairs that were ever written.
  var pairCount: Int64

  /// The first row that is still there; one more than `lastRow` if none is.
  public var firstRow: Int64 { lastRow - journalRows + 1 }

  /// What a row costs in `journalBytes` besides its own bytes: its head, and its share of the tree.
  static let bytesPerRow: Int64 = 40
}

/// How large the store is. Found by counting, so not for the data path.
public struct StoreSizes: Equatable, Sendable {
  /// Bytes of the database file.
  public var databaseBytes: Int64
  /// Bytes of the write-ahead log beside it.
  public var writeAheadBytes: Int64
  /// Lines of the ledger.
  public var ledgerLines: Int64
  /// Topics with a confirmed position.
  public var positions: Int64
  /// Parts of snapshots, superseded ones that are not swept yet included.
  public var chunks: Int64
  /// Rows kept as poison.
  public var poisonRows: Int64
}
