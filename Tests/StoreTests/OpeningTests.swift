import Base
import Foundation
import Glibc
import Testing

@testable import Store

@Suite struct OpeningTests {
  @Test func aNewStoreIsEmpty() throws {
    let scratch = try Scratch()
    let store = try scratch.open(start: false)
    #expect(store.state.instance == "main" && store.state.created == 7)
    #expect(store.state.lastRow == 0 && store.state.firstRow == 1 && store.state.journalBytes == 0)
    #expect(store.state.stoppedCleanly && store.state.bootID.isEmpty && !store.state.isBackup)
    #expect(
      try store.rows() == [] && store.snapshot() == [] && store.positions() == [] && store.pairs() == [])
    #expect(try store.database.integer("PRAGMA page_size") == 8192)
  }

  @Test func theStateDirectoryIsMade() throws {
    let scratch = try Scratch()
    let inner = scratch.directory + "/inner"
    _ = try SQLiteStore(directory: inner, instance: "main", durability: .power, now: 1)
    #expect(FileManager.default.fileExists(atPath: inner + "/livecue.db"))
  }

  @Test func whatARunWritesIsThereAtTheNext() throws {
    let scratch = try Scratch()
    do {
      let store = try scratch.open()
      #expect(!store.state.stoppedCleanly)
      try store.commit(.with { $0.lease = 99 })
    }
    do {
      let store = try scratch.open(start: false)
      #expect(!store.state.stoppedCleanly && store.state.bootID == "boot-1")
      #expect(store.state.engineVersion == 3 && store.state.lease == 99)
      try store.start(instance: "other", bootID: "boot-2", engineVersion: 4)
      try store.stopCleanly()
    }
    let store = try scratch.open(start: false)
    #expect(store.state.stoppedCleanly && store.state.instance == "other" && store.state.engineVersion == 4)
    #expect(store.state.created == 7)
  }

  @Test(arguments: [(Durability.power, Int64(2)), (.process, 1)])
  func durabilityIsTheSynchronousSetting(durability: Durability, setting: Int64) throws {
    let store = try Scratch().open(durability)
    #expect(try store.database.integer("PRAGMA synchronous") == setting)
  }

  @Test func aSecondDaemonIsToldWhoRuns() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    #expect(storeError { _ = try scratch.open() } == .inUse(path: scratch.directory, process: getpid()))
    let other = try Probe("open", scratch.directory)
    #expect(other.finish() == "\(scratch.directory): another LiveCue runs on it (process \(getpid()))")
    try store.stopCleanly()
  }

  @Test func theLockGoesWithItsHolder() throws {
    let scratch = try Scratch()
    let child = try Probe("commit", scratch.directory, "1")
    _ = child.kill(afterBytes: 1)
    let store = try scratch.open()
    #expect(store.state.lastRow > 0)
  }

  @Test func aReaderSeesWhatTheDaemonCommits() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    let reader = try SQLiteStore(reading: scratch.file)
    #expect(reader.state.lastRow == 0)
    try store.commit(.with { $0.message(1, "a") })
    #expect(try reader.rows().map(\.payload) == ["a"])
    try reader.refresh()
    #expect(reader.state.lastRow == 1)
  }

  @Test func aReaderWhoseRowsAreCutIsTold() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    for _ in 0..<3 { try store.commit(.with { turn in for _ in 0..<1000 { turn.message(1, "a") } }) }
    let reader = try SQLiteStore(reading: scratch.file)
    var count = 0
    let error = storeError {
      try reader.forEachRow(after: 0, includingPoison: false) { (row, _, _, _) in
        count += 1
        guard row.id == 1 else { return true }
        #expect(storeError { try self.cutAll(store) } == nil)
        return true
      }
    }
    #expect(error == .journalCut(after: 2000, first: 3001))
    #expect(count == 2000)
  }

  private func cutAll(_ store: SQLiteStore) throws {
    try store.commit(.with { $0.finish(store.state.lastRow) })
    while try store.tidy(TidyPlan()) {}
  }

  @Test func theLogStaysBounded() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    let reader = try SQLiteStore(reading: scratch.file)
    let payload = String(repeating: "x", count: 2000)
    for _ in 0..<300 {
      try store.commit(.with { turn in for _ in 0..<20 { turn.message(1, payload) } })
      try reader.refresh()
    }
    #expect(try store.sizes().writeAheadBytes < 8 << 20)
  }

  /// SQLite would write the pages of the log into it: a store of two times.
  @Test func aBackupBesideTheLogOfTheFileThatItReplacedIsRefused() throws {
    let scratch = try Scratch()
    let restored = try Scratch()
    do {
      let store = try scratch.open()
      try store.commit(.with { $0.message(1, "a") })
      try store.backUp(to: restored.file)
      try store.commit(.with { $0.message(2, "b") })
      // As a kill leaves it: the last one that closes a file takes the log away.
      try FileManager.default.copyItem(atPath: scratch.file + "-wal", toPath: restored.file + "-wal")
    }
    #expect(storeError { _ = try restored.open() } == .foreignLog(path: restored.file))
    #expect(storeError { _ = try SQLiteStore(reading: restored.file) } == .foreignLog(path: restored.file))
    try FileManager.default.removeItem(atPath: restored.file + "-wal")
    #expect(try restored.open().rows().map(\.payload) == ["a"])
  }

  @Test func anOldFileIsMigratedStepByStep() throws {
    let scratch = try Scratch()
    let database = try Database(path: scratch.file, access: .create)
    let steps = ["CREATE TABLE a (x); INSERT INTO a VALUES (1)", "ALTER TABLE a ADD COLUMN y DEFAULT 2"]
    try Schema.migrate(database, steps: Array(steps.prefix(1)))
    #expect(try database.integer("PRAGMA user_version") == 1)
    try Schema.migrate(database, steps: steps)
    #expect(try database.integer("PRAGMA user_version") == 2)
    #expect(try database.integer("SELECT x + y FROM a") == 3)
    try Schema.migrate(database, steps: steps)
    let bad = steps + ["DROP TABLE a; CREATE TABLE b (x); SELECT nonsense"]
    guard case .failed = storeError({ try Schema.migrate(database, steps: bad) }) else {
      Issue.record("a step that fails throws")
      return
    }
    #expect(try database.integer("PRAGMA user_version") == 2)
    #expect(try database.integer("SELECT x + y FROM a") == 3)
  }

  @Test func aFileOfVersionZeroBecomesAStore() throws {
    let scratch = try Scratch()
    #expect(FileManager.default.createFile(atPath: scratch.file, contents: Data()))
    #expect(
      storeError { _ = try SQLiteStore(reading: scratch.file) }
        == .olderSchema(path: scratch.file, found: 0, known: Schema.version))
    let store = try scratch.open()
    try store.commit(.with { $0.message(1, "a") })
    #expect(try store.database.integer("PRAGMA user_version") == Schema.version)
  }

  @Test func aNewerOrForeignFileIsLeftAlone() throws {
    let newer = try Scratch()
    _ = try newer.open(start: false)
    do {
      let database = try Database(path: newer.file, access: .create)
      try database.execute("PRAGMA user_version = 99")
    }
    let expected = StoreError.newerSchema(path: newer.file, found: 99, known: Schema.version)
    #expect(storeError { _ = try newer.open() } == expected)
    #expect(storeError { _ = try SQLiteStore(reading: newer.file) } == expected)
    let foreign = try Scratch()
    do {
      let database = try Database(path: foreign.file, access: .create)
      try database.execute("CREATE TABLE recipes (x)")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: foreign.file))
    #expect(storeError { _ = try foreign.open() } == .notAStore(path: foreign.file))
    #expect(storeError { _ = try SQLiteStore(reading: foreign.file) } == .notAStore(path: foreign.file))
    #expect(try Data(contentsOf: URL(fileURLWithPath: foreign.file)) == before)
  }

  @Test func aBackupIsWholeMarkedAndNeverOverwrites() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(
      .with { turn in
        for number in 0..<500 { turn.message(1, "m\(number)") }
        turn.completedRow = 0
        turn.ledger("r", 1, "s", "g", "", 3)
      })
    let path = scratch.directory + "/copy #1?.db"
    // From a tool's connection, while the daemon has the store open.
    try SQLiteStore(reading: scratch.file).backUp(to: path)
    try store.commit(.with { $0.message(2, "later") })
    #expect(storeError { try store.backUp(to: path) } == .exists(path: path))
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.directory)
    #expect(names.filter { $0.hasPrefix("copy") } == ["copy #1?.db"])
    let copy = try SQLiteStore(reading: path)
    #expect(try copy.rows().count == 500 && copy.ledgerLines() == ["1 r s g  3 0"])
    #expect(copy.state.isBackup && copy.state.lastRow == 500)
    let restored = try Scratch()
    try FileManager.default.copyItem(atPath: path, toPath: restored.file)
    let run = try restored.open(start: false)
    #expect(run.state.isBackup)
    try run.start(instance: "main", bootID: "boot-2", engineVersion: 3)
    #expect(!run.state.isBackup)
    #expect(try run.commit(.with { $0.message(3, "goes on") }) == 501..<502)
    let nowhere = scratch.directory + "/none/copy.db"
    #expect(storeError { try store.backUp(to: nowhere) } != nil)
  }
}
