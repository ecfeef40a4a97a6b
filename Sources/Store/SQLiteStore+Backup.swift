import Glibc

extension SQLiteStore {
  /// See `Store`.
  public func sizes() throws(StoreError) -> StoreSizes {
    database.action = "counting"
    return StoreSizes(
      databaseBytes: SQLiteStore.fileBytes(database.path),
      writeAheadBytes: SQLiteStore.fileBytes(database.path + "-wal"),
      ledgerLines: try database.integer("SELECT count(*) FROM ledger"),
      positions: try database.integer("SELECT count(*) FROM outbox"),
      chunks: try database.integer("SELECT count(*) FROM chunk"),
      poisonRows: try database.integer("SELECT count(*) FROM poison"))
  }

  /// See `Store`.
  public func backUp(to path: String) throws(StoreError) {
    database.action = "backing up"
    // The name is taken first; the copy gets it when it is complete. So nothing is overwritten, and what has
    // the name and is not empty is a whole backup.
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw .exists(path: path) }
      throw .system(errno, path: path, action: database.action)
    }
    close(descriptor)
    let partial = path + ".partial"
    do throws(StoreError) {
      try SQLiteStore.removeStore(partial)
      try copy(to: partial)
      guard unsafe rename(partial, path) == 0 else {
        throw .system(errno, path: path, action: database.action)
      }
      try SQLiteStore.syncDirectory(of: path)
    } catch {
      unsafe unlink(partial)
      unsafe unlink(path)
      throw error
    }
  }

  /// As `backUp(to:)`, but a file of that name, which may be an earlier backup, makes way for the copy when
  /// that is whole. Throws `exists` if it is the store itself.
  public func backUp(replacing path: String) throws(StoreError) {
    var own = stat()
    var other = stat()
    if unsafe stat(database.path, &own) == 0, unsafe stat(path, &other) == 0, own.st_dev == other.st_dev,
      own.st_ino == other.st_ino
    {
      throw .exists(path: path)
    }
    let new = path + ".new"
    try SQLiteStore.removeStore(new)
    try backUp(to: new)
    guard unsafe rename(new, path) == 0 else {
      let number = errno
      unsafe unlink(new)
      throw .system(number, path: path, action: database.action)
    }
    try SQLiteStore.syncDirectory(of: path)
  }

  private func copy(to partial: String) throws(StoreError) {
    let target = try Database(path: partial, access: .create)
    target.action = "backing up"
    try database.copy(to: target)
    // One file that can be read from anywhere, and that tells the next run where it comes from.
    try target.execute("PRAGMA journal_mode = DELETE; UPDATE state SET is_backup = 1")
  }

  /// Throws if a write-ahead log lies beside a file that has none: a backup that was put in the place of a
  /// store.
  ///
  /// The bytes 18 and 19 of a file are 2 as long as it is used with such a log, and 1 in a backup (SQLite,
  /// "Database File Format", 1.3.3). SQLite looks at neither when a log is there, and would take the pages of
  /// that for newer ones.
  static func checkLog(besides path: String) throws(StoreError) {
    guard fileBytes(path + "-wal") > 0 else { return }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    // What cannot be read is told by SQLite.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var versions: [UInt8] = [0, 0]
    let count = unsafe versions.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, 2, 18) }
    if count == 2, versions == [1, 1] { throw .foreignLog(path: path) }
  }

  /// Removes what a backup that was killed has left behind.
  private static func removeStore(_ path: String) throws(StoreError) {
    for suffix in ["", "-wal", "-shm", "-journal"] where unsafe unlink(path + suffix) != 0 && errno != ENOENT
    {
      throw .system(errno, path: path + suffix, action: "backing up")
    }
  }

  private static func syncDirectory(of path: String) throws(StoreError) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directory = slash.map { String(path[...$0]) } ?? "."
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, path: directory, action: "backing up") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(errno, path: directory, action: "backing up") }
  }

  /// Bytes of a file; 0 if it is not there.
  private static func fileBytes(_ path: String) -> Int64 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
