public import Base
import Glibc
import Store

/// The folder in which a daemon keeps its store: opened once, by one process at a time.
public struct StateDirectory {
  let store: SQLiteStore
  let poisonGuard: PoisonGuard
  private let path: String
  /// Which version of the engine handles the rows; another one may read them differently.
  static let engineVersion: Int64 = 1

  /// Opens the store of an instance in a folder, which is made if its parent is there. Throws what is wrong with it in a
  /// sentence: in use, full, read-only, damaged, not allowed.
  public init(path: String, instance: String) throws {
    // A folder that cannot be made is told by the store, with the system's reason.
    _ = unsafe mkdir(path, 0o750)
    store = try SQLiteStore(
      directory: path, instance: instance, durability: .power, now: StateDirectory.systemTime)
    poisonGuard = try PoisonGuard(directory: path)
    lease = store.state.lease
    self.path = path
  }

  /// Bytes that we may still write to its disk; nil if the system does not tell.
  var freeBytes: Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  /// The instant that an earlier run may have lived up to; the clock must not start before it.
  public let lease: Instant

  /// Begins a run.
  func start(instance: String) throws {
    try store.start(
      instance: instance, bootID: StateDirectory.bootID, engineVersion: StateDirectory.engineVersion)
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
