import Base
import Foundation
import Glibc
import Testing

@testable import Store

/// A small tmpfs, where that is allowed.
private final class SmallDisk {
  let path: String

  init?(megabytes: Int) {
    path = NSTemporaryDirectory() + "/livecue-disk-\(UUID().uuidString)"
    guard unsafe mkdir(path, 0o755) == 0 else { return nil }
    guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
      unsafe rmdir(path)
      return nil
    }
  }

  deinit {
    unsafe umount2(path, Int32(MNT_DETACH))
    unsafe rmdir(path)
  }

  static let isAllowed = SmallDisk(megabytes: 1) != nil
}

@Suite struct FaultTests {
  private let payload = String(repeating: "x", count: 100_000)

  private func large(_ at: Instant = 1) -> TurnRecord {
    .with { turn in
      for _ in 0..<5 { turn.message(at, payload) }
      turn.completedRow = 0
      turn.ledger("r", 1, "s", "g", "", 1)
      turn.position("t", 1, 1)
      turn.chunk("r", 0, payload)
      turn.finish(0)
    }
  }

  @Test func aFullFileKeepsWhatItHasAndGoesOnLater() throws {
    let store = try Scratch().open()
    try store.commit(.with { $0.message(1, "first") })
    let pages = try store.database.integer("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count = \(pages + 10)")
    let before = store.state
    for _ in 0..<3 {
      guard case .diskFull(let fault) = storeError({ try store.commit(large()) }) else {
        Issue.record("not full")
        return
      }
      #expect(fault.action == "committing a turn" && fault.code == 13)
    }
    #expect(store.state == before)
    try store.refresh()
    #expect(store.state == before)
    #expect(try store.rows().map(\.payload) == ["first"])
    #expect(try store.ledgerLines() == [] && store.positions() == [] && store.snapshot() == [])
    try store.database.execute("PRAGMA max_page_count = 1000000")
    #expect(try store.commit(large()) == 2..<7)
    #expect(try store.rows().count == 6 && store.pairs().count == 6)
    #expect(try store.ledgerLines() == ["1 r s g  1 0"])
  }

  @Test(.enabled(if: SmallDisk.isAllowed)) func aFullDiskIsToldAndLeft() throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    let scratch = try Scratch(in: disk.path)
    let store = try scratch.open(.power)
    let filler = disk.path + "/filler"
    #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 2_500_000)))
    var error: StoreError?
    var turns = 0
    while error == nil, turns < 100 {
      error = storeError { try store.commit(large(Instant(turns))) }
      if error == nil { turns += 1 }
    }
    guard case .diskFull(let fault) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(fault.path == scratch.file)
    #expect(storeError { try store.commit(large(99)) } != nil)
    #expect(try store.rows().count == turns * 5)
    try FileManager.default.removeItem(atPath: filler)
    try store.commit(large(100))
    #expect(try store.rows().map(\.at).last == 100)
    #expect(try store.rows().count == (turns + 1) * 5)
  }

  @Test(.enabled(if: SmallDisk.isAllowed)) func aDiskThatTurnsReadOnlyIsToldAndLeft() throws {
    let disk = try #require(SmallDisk(megabytes: 8))
    let scratch = try Scratch(in: disk.path)
    do {
      let store = try scratch.open()
      try store.commit(.with { $0.message(1, "a") })
    }
    #expect(
      unsafe mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    guard case .readOnly = storeError({ _ = try scratch.open() }) else {
      Issue.record("a daemon cannot run there")
      return
    }
    #expect(try SQLiteStore(reading: scratch.file).rows().map(\.payload) == ["a"])
    #expect(unsafe mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT), nil) == 0)
    let store = try scratch.open()
    try store.commit(.with { $0.message(2, "b") })
  }

  @Test(.enabled(if: SmallDisk.isAllowed)) func aGuardIsNotMadeOnAFullDisk() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    #expect(FileManager.default.createFile(atPath: disk.path + "/filler", contents: Data(count: 1 << 20)))
    guard case .diskFull = storeError({ _ = try PoisonGuard(directory: disk.path) }) else {
      Issue.record("it would end the process at its first row")
      return
    }
  }

  @Test func anotherWritersLockIsToldAndWaitedOut() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    let shell = try Database(path: scratch.file, access: .create)
    try shell.execute("BEGIN IMMEDIATE")
    guard case .busy = storeError({ try store.commit(.with { $0.message(1, "a") }) }) else {
      Issue.record("not busy")
      return
    }
    try shell.execute("ROLLBACK")
    try store.commit(.with { $0.message(1, "a") })
    #expect(try store.rows().count == 1)
  }

  @Test(arguments: ["not a database, but long enough to be looked at", ""])
  func aFileThatIsNoStoreIsTold(content: String) throws {
    let scratch = try Scratch()
    let noise = Data(String(repeating: content, count: 200).utf8)
    #expect(FileManager.default.createFile(atPath: scratch.file, contents: noise))
    switch storeError({ _ = try SQLiteStore(reading: scratch.file) }) {
    case .corrupt: #expect(!content.isEmpty)
    case .olderSchema: #expect(content.isEmpty)
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  @Test func aDamagedPageIsToldAndTheRestIsRead() throws {
    let scratch = try Scratch()
    do {
      let store = try scratch.open()
      for number in 0..<50 { try store.commit(.with { $0.message(Instant(number), "p") }) }
      try store.commit(
        .with { turn in for _ in 0..<50 { turn.message(50, String(repeating: "x", count: 3000)) } })
      try store.stopCleanly()
    }
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.file))
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: size - 3 * 8192)
    try handle.write(contentsOf: Data(repeating: 0x5a, count: 8192))
    try handle.close()
    let reader = try SQLiteStore(reading: scratch.file)
    #expect(try reader.positions() == [])
    guard case .corrupt = storeError({ _ = try reader.rows() }) else {
      Issue.record("damage was read")
      return
    }
  }

  @Test(.enabled(if: getuid() == 0)) func missingRightsAreTold() throws {
    let scratch = try Scratch(in: "/tmp")
    unsafe chmod(scratch.directory, 0o755)
    let denied = try Probe("open", scratch.directory, "65534")
    #expect(denied.finish().contains("livecue.lock: permission is missing while taking the lock"))
    do { _ = try scratch.open() }
    unsafe chmod(scratch.directory, 0o777)
    unsafe chmod(scratch.directory + "/livecue.lock", 0o666)
    unsafe chmod(scratch.file, 0o644)
    let readOnly = try Probe("open", scratch.directory, "65534")
    #expect(readOnly.finish().contains("livecue.db: permission is missing while opening"))
    unsafe chmod(scratch.file, 0o600)
    let unreadable = try Probe("open", scratch.directory, "65534")
    #expect(unreadable.finish().contains("livecue.db: permission is missing while opening"))
    unsafe chmod(scratch.file, 0o666)
    #expect(try Probe("open", scratch.directory, "65534").finish() == "opened")
  }

  @Test func aDirectoryThatIsAFileIsTold() throws {
    let scratch = try Scratch()
    let path = scratch.directory + "/file"
    #expect(FileManager.default.createFile(atPath: path, contents: Data()))
    let error = storeError {
      _ = try SQLiteStore(directory: path, instance: "main", durability: .power, now: 1)
    }
    guard case .failed(let fault) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(fault.systemCode == ENOTDIR)
    #expect("\(try #require(error))".hasSuffix("Not a directory (errno 20)"))
  }

  @Test func everyErrorHasASentence() {
    let fault = StoreFault(
      path: "/s/livecue.db", action: "committing a turn", code: 13, systemCode: 0, message: "m")
    #expect(
      "\(StoreError.diskFull(fault))"
        == "/s/livecue.db: the disk is full while committing a turn: m (SQLite 13)")
    let table: [(Int32, Int32, StoreError)] = [
      (13, 0, .diskFull(fault)), (8, 0, .readOnly(fault)), (11, 0, .corrupt(fault)), (26, 0, .corrupt(fault)),
      (5, 0, .busy(fault)), (517, 0, .busy(fault)), (6, 0, .busy(fault)), (3, 0, .permission(fault)),
      (14, EACCES, .permission(fault)), (14, 0, .failed(fault)), (778, ENOSPC, .diskFull(fault)),
      (778, EROFS, .readOnly(fault)), (1034, EIO, .failed(fault)), (1, 0, .failed(fault)),
    ]
    for (code, systemCode, expected) in table {
      var given = fault
      given.code = code
      given.systemCode = systemCode
      let error = StoreError.sqlite(given)
      #expect("\(error)".split(separator: " while ")[0] == "\(expected)".split(separator: " while ")[0])
    }
  }
}
