import Base

/// The tables of the store, and how an older file becomes a newer one.
enum Schema {
  /// Marks the file as ours (`file` shows it): "LvCu".
  static let applicationID: Int64 = 0x4c76_4375

  /// Step n leads from version n to n + 1. A file without tables has version 0. Never change a step that has
  /// been released; add one.
  static let steps: [String] = [first, provable, forgetful]

  /// The version that this program writes.
  static var version: Int64 { Int64(steps.count) }

  /// Brings a file to the last version, step by step, each in a transaction.
  static func migrate(_ database: Database, steps: [String] = steps) throws(StoreError) {
    database.action = "migrating"
    var version = try check(database, known: Int64(steps.count))
    while version < steps.count {
      let step = steps[Int(version)]
      version += 1
      try database.transaction { () throws(StoreError) in
        try database.execute(step)
        try database.execute("PRAGMA user_version = \(version)")
        try database.execute("PRAGMA application_id = \(applicationID)")
      }
    }
  }

  /// The version of a file of ours, or of a new one.
  static func check(_ database: Database, known: Int64 = version) throws(StoreError) -> Int64 {
    let found = try database.integer("PRAGMA user_version")
    let application = try database.integer("PRAGMA application_id")
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    let isNew = found == 0 && application == 0 && tables == 0
    guard isNew || application == applicationID else { throw .notAStore(path: database.path) }
    guard found <= known else { throw .newerSchema(path: database.path, found: found, known: known) }
    return found
  }

  /// Tables without a rowid are those whose rows are small and found by a text.
  ///
  /// `state` has one row. `redelivery` packs the pairs of a turn into one blob. The ledger's key begins with
  /// the day, so that retention cuts a prefix and all of today lies together. A chunk with the empty room is
  /// the header.
  private static let first = """
    CREATE TABLE state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      instance TEXT NOT NULL,
      created INTEGER NOT NULL,
      boot_id TEXT NOT NULL DEFAULT '',
      engine_version INTEGER NOT NULL DEFAULT 0,
      stopped_cleanly INTEGER NOT NULL DEFAULT 1,
      is_backup INTEGER NOT NULL DEFAULT 0,
      lease INTEGER NOT NULL DEFAULT 0,
      last_row INTEGER NOT NULL DEFAULT 0,
      completed_row INTEGER NOT NULL DEFAULT 0,
      journal_rows INTEGER NOT NULL DEFAULT 0,
      journal_bytes INTEGER NOT NULL DEFAULT 0,
      pair_count INTEGER NOT NULL DEFAULT 0,
      snapshot_generation INTEGER NOT NULL DEFAULT 0,
      snapshot_row INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO state (id, instance, created) VALUES (1, '', 0);
    CREATE TABLE journal (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      digest_low INTEGER NOT NULL,
      digest_high INTEGER NOT NULL,
      engine_version INTEGER NOT NULL,
      poison INTEGER NOT NULL DEFAULT 0,
      topic TEXT NOT NULL,
      properties BLOB NOT NULL,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE poison (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      digest_low INTEGER NOT NULL,
      digest_high INTEGER NOT NULL,
      engine_version INTEGER NOT NULL,
      poison INTEGER NOT NULL,
      topic TEXT NOT NULL,
      properties BLOB NOT NULL,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE redelivery (
      first INTEGER PRIMARY KEY,
      pairs BLOB NOT NULL
    ) STRICT;
    CREATE TABLE ledger (
      day INTEGER NOT NULL,
      room TEXT NOT NULL,
      sender TEXT NOT NULL,
      gift TEXT NOT NULL,
      receiver TEXT NOT NULL,
      count INTEGER NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (day, room, sender, gift, receiver)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE outbox (
      topic TEXT PRIMARY KEY,
      epoch INTEGER NOT NULL,
      sequence INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE chunk (
      id INTEGER PRIMARY KEY,
      room TEXT NOT NULL,
      generation INTEGER NOT NULL,
      gone INTEGER NOT NULL,
      at_row INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      content BLOB NOT NULL,
      UNIQUE (room, generation)
    ) STRICT;
    """

  /// What a start needs to tell whether it says again what was said.
  private static let provable = """
    ALTER TABLE state ADD COLUMN durability TEXT NOT NULL DEFAULT 'power';
    ALTER TABLE state ADD COLUMN output_digest INTEGER NOT NULL DEFAULT 0;
    """

  /// Which row a position is from, so that it can be forgotten: `row` is the last one that there was when it
  /// was confirmed.
  private static let forgetful = """
    ALTER TABLE outbox ADD COLUMN row INTEGER NOT NULL DEFAULT 0;
    """
}
