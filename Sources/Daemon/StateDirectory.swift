public import Base
import Glibc
import Store

/// Why the commands of a run are numbered anew: what an earlier run said after the store's end would come
/// again with other words.
enum EpochReason: String {
  case requested = "it was asked for"
  case backup = "the store is a restored backup"
  case powerLoss = "the machine went down, and the last run's commits did not survive that"
  case lostEnd = "the store has lost its end: rows that were handled, or time that had passed"
  case otherWords = "this version does not say the same of the rows that it handled again"
}

/// The folder in which a daemon keeps its store: opened once, by one process at a time.
public struct StateDirectory {
  let store: SQLiteStore
  let poisonGuard: PoisonGuard
  private let path: String
  /// Which version of the engine handles the rows; another one may read them differently.
  static let engineVersion: Int64 = 1

  /// Opens the store of an instance in a folder, which is made if its parent is there. Throws what is wrong
  /// with it in a sentence: in use, full, read-only, damaged, not allowed.
  ///
  /// - Parameter newEpoch: True: commands are numbered anew, whatever the store says of itself.
  public init(
    path: String, instance: String, durability: Durability = .power, newEpoch: Bool = false
  ) throws {
    // A folder that cannot be made is told by the store, with the system's reason.
    _ = unsafe mkdir(path, 0o750)
    store = try SQLiteStore(
      directory: path, instance: instance, durability: durability, now: StateDirectory.systemTime)
    poisonGuard = try PoisonGuard(directory: path)
    before = store.state
    isNewEpochRequested = newEpoch
    self.path = path
  }

  /// Bytes that we may still write to its disk; nil if the system does not tell.
  var freeBytes: Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  /// The instant that an earlier run may have lived up to; the clock must not start before it.
  public var lease: Instant { max(before.lease, poisonGuard.lastLease) }

  /// What the store said of itself before this run.
  let before: StoreState
  private let isNewEpochRequested: Bool

  /// Begins a run. Gives the reason if it is a new epoch.
  func start(instance: String, at now: Instant) throws -> EpochReason? {
    let bootID = StateDirectory.bootID
    let reason = epochReason(bootID: bootID)
    try store.start(
      instance: instance, bootID: bootID, engineVersion: StateDirectory.engineVersion,
      newEpoch: reason == nil ? nil : now)
    poisonGuard.forgetEnd()
    return reason
  }

  /// True if the rows after the snapshot were handled by another version of the engine, which may have said
  /// other words, and not all of it was confirmed.
  var isOfAnotherVersion: Bool {
    before.engineVersion != StateDirectory.engineVersion && !before.stoppedCleanly
      && before.lastRow > before.snapshotRow ?? 0
  }

  private func epochReason(bootID: String) -> EpochReason? {
    guard before.lastRow > 0 else { return nil }
    if isNewEpochRequested { return .requested }
    if before.isBackup { return .backup }
    if before.durability == .process, !before.stoppedCleanly, before.bootID != bootID { return .powerLoss }
    if poisonGuard.lastBegun > before.lastRow || poisonGuard.lastLease > before.lease { return .lostEnd }
    return nil
  }

  private static var systemTime: Instant {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The kernel's id of this boot; empty where it tells none.
  private static var bootID: String {
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)].prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
