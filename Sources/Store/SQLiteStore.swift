public import Base
import Glibc

/// The store in one SQLite file, `livecue.db`, with a write-ahead log.
///
/// Opened for a run it holds the lock of the state directory; opened for reading it works beside a daemon, or
/// on a file that nobody uses.
public final class SQLiteStore: Store {
  /// The name of the file in a state directory.
  public static let fileName = "livecue.db"

  /// What the store knows about itself.
  public internal(set) var state: StoreState

  let database: Database
  /// Prepared for a run; nil in a reader.
  let statements: WriteStatements?
  /// Redelivery pairs of one commit, packed. Kept for its memory.
  var packedPairs: [UInt8] = []
  /// Number of the oldest redelivery pair in the file.
  var oldestPair: Int64 = 0
  /// Where the sweep of what a snapshot has superseded goes on; nil: nothing to sweep.
  var sweep: SweepPlace? = SweepPlace()
  /// True while rows are lent.
  var isReading = false
  private let lock: StateLock?
  private let durability: Durability
  private var isStarted = false

  /// Opens the store of a state directory for a run; makes directory and file if they are not there.
  ///
  /// `instance` and `now` go into a new file. Throws `inUse` if another daemon runs on it.
  public init(
    directory: String, instance: String, durability: Durability, now: Instant
  ) throws(StoreError) {
    let path = directory + "/" + SQLiteStore.fileName
    if unsafe mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw .system(errno, path: directory, action: "making the state directory")
    }
    self.durability = durability
    lock = try StateLock(directory: directory)
    try SQLiteStore.checkLog(besides: path)
    database = try Database(path: path, access: .create)
    try SQLiteStore.checkWritable(database)
    // The lock above keeps other daemons out, so only a shell or a copy program can be waited for. Not long:
    // the loop stands still.
    database.waitForLocks(milliseconds: 250)
    // Read before anything is written, so that the file of another program stays as it is.
    _ = try Schema.check(database)
    try SQLiteStore.configure(database, durability)
    try Schema.migrate(database)
    try SQLiteStore.nameState(database, instance: instance, now: now)
    state = try SQLiteStore.readState(database)
    statements = try WriteStatements(database)
    oldestPair = try SQLiteStore.oldestPair(database, state)
    try abandonSnapshot()
  }

  /// Opens a store file for reading: beside a daemon, or a backup.
  public init(reading path: String) throws(StoreError) {
    database = try SQLiteStore.openForReading(path)
    let found = try Schema.check(database)
    guard found == Schema.version else {
      throw .olderSchema(path: path, found: found, known: Schema.version)
    }
    state = try SQLiteStore.readState(database)
    statements = nil
    lock = nil
    durability = .power
  }

  /// See `Store`.
  public func start(
    instance: String, bootID: String, engineVersion: Int64, newEpoch: Instant?
  ) throws(StoreError) {
    let statements = writer("starting a run")
    let statement = try database.prepare(
      """
      UPDATE state SET instance = ?1, boot_id = ?2, engine_version = ?3, stopped_cleanly = 0, is_backup = 0,
        durability = ?4
      """)
    try statement.bind(1, copying: Array(instance.utf8))
    try statement.bind(2, copying: Array(bootID.utf8))
    try statement.bind(3, engineVersion)
    try statement.bind(4, copying: Array(durability.rawValue.utf8))
    try transaction(statements) { () throws(StoreError) in
      try statement.run()
      guard let newEpoch else { return }
      var turn = TurnRecord()
      turn.addEpoch(newEpoch, at: state.lease)
      var next = state
      next.engineVersion = engineVersion
      var nextOldestPair = oldestPair
      try addRows(of: turn, &next, &nextOldestPair, statements)
      try statements.save(next)
    }
    try refresh()
    isStarted = true
  }

  /// See `Store`.
  public func stopCleanly() throws(StoreError) {
    database.action = "stopping"
    try database.execute("UPDATE state SET stopped_cleanly = 1")
    // After a clean stop the one file is all there is to copy.
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try refresh()
    isStarted = false
  }

  /// See `Store`.
  public func refresh() throws(StoreError) {
    state = try SQLiteStore.readState(database)
  }

  /// The statements of a run that has started.
  func writing(_ action: String) -> WriteStatements {
    precondition(isStarted, "a run writes after `start`, and not after `stopCleanly`")
    precondition(!isReading, "the store is being read")
    return writer(action)
  }

  /// The statements of a store that was opened for a run.
  func writer(_ action: String) -> WriteStatements {
    guard let statements else { preconditionFailure("the store is open for reading") }
    database.action = action
    return statements
  }
}

extension SQLiteStore {
  /// Pages of 8 KiB hold three messages of 2 KB with little left over; of 4 KiB, one and a half empty.
  private static let pageBytes = 8192
  /// A checkpoint moves this much at once: the longest stop of a commit, and the size that the log keeps.
  private static let writeAheadPages = 512
  /// After a long reader has let it grow, the log is cut to this.
  private static let writeAheadLimitBytes = 16 << 20

  private static func configure(_ database: Database, _ durability: Durability) throws(StoreError) {
    try database.execute("PRAGMA page_size = \(pageBytes)")
    let mode = try database.prepare("PRAGMA journal_mode = WAL")
    // Some file systems have no shared memory; SQLite then stays in another mode without an error.
    guard try mode.step(), mode.text(0) == "wal" else {
      throw .failed(
        StoreFault(
          path: database.path, action: database.action, code: 1, systemCode: 0,
          message: "the file system does not support a write-ahead log"))
    }
    mode.reset()
    try database.execute(
      """
      PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL");
      PRAGMA wal_autocheckpoint = \(writeAheadPages);
      PRAGMA journal_size_limit = \(writeAheadLimitBytes);
      PRAGMA secure_delete = OFF;
      PRAGMA cache_size = -4096;
      PRAGMA trusted_schema = OFF;
      """)
  }

  /// SQLite opens a file that it may not write for reading, without a word.
  private static func checkWritable(_ database: Database) throws(StoreError) {
    guard database.isReadOnly else { return }
    _ = unsafe access(database.path, W_OK)
    let number = errno
    throw .system(number == EROFS ? EROFS : EACCES, path: database.path, action: "opening")
  }

  /// A file in a directory that we may not write, which nobody has open, cannot be read the usual way: the
  /// log's index would have to be made. It does not change either, so it is read without.
  private static func openForReading(_ path: String) throws(StoreError) -> Database {
    try checkLog(besides: path)
    let database = try Database(path: path, access: .read)
    database.waitForLocks(milliseconds: 2000)
    do {
      _ = try database.integer("PRAGMA user_version")
      return database
    } catch {
      guard unsafe access(path + "-wal", F_OK) != 0, unsafe access(path, R_OK) == 0 else { throw error }
      switch error {
      case .failed, .permission, .readOnly: return try Database(path: path, access: .readImmutable)
      default: throw error
      }
    }
  }

  /// The row came with the table, so that a reader never finds one without the other.
  private static func nameState(
    _ database: Database, instance: String, now: Instant
  ) throws(StoreError) {
    let statement = try database.prepare(
      "UPDATE state SET instance = ?1, created = ?2 WHERE created = 0")
    try statement.bind(1, copying: Array(instance.utf8))
    try statement.bind(2, now)
    try statement.run()
  }

  static func readState(_ database: Database) throws(StoreError) -> StoreState {
    let statement = try database.prepare(
      """
      SELECT instance, created, boot_id, engine_version, stopped_cleanly, is_backup, lease, last_row,
        completed_row, journal_rows, journal_bytes, snapshot_generation, snapshot_row, pair_count, durability,
        output_digest
      FROM state
      """)
    guard try statement.step() else {
      throw .damage("the row of `state` is missing", path: database.path, action: "opening")
    }
    return StoreState(
      instance: statement.text(0), created: statement.integer(1), bootID: statement.text(2),
      engineVersion: statement.integer(3),
      // What an unknown word means is not known either; the weaker promise is the safe reading.
      durability: Durability(rawValue: statement.text(14)) ?? .process,
      stoppedCleanly: statement.integer(4) != 0,
      isBackup: statement.integer(5) != 0, lease: statement.integer(6), lastRow: statement.integer(7),
      completedRow: statement.integer(8), outputDigest: UInt64(bitPattern: statement.integer(15)),
      journalRows: statement.integer(9),
      journalBytes: statement.integer(10),
      snapshotRow: statement.integer(11) > 0 ? statement.integer(12) : nil,
      snapshotGeneration: statement.integer(11), pairCount: statement.integer(13))
  }
}
