import Glibc
import Synchronization

/// Remembers, beyond the death of the process, which row was being handled when it died.
///
/// A small mapped file beside the store: what is written to it is in the kernel's memory at once, so it
/// survives everything but a power loss, and costs no system call. A replay after a crash handles earlier
/// rows first, so a row that ended the process stays a suspect until it has been handled or flagged.
@safe
public final class PoisonGuard {
  /// A row that was being handled when the process ended.
  public struct Suspect: Equatable, Sendable {
    /// Its number.
    public var row: Int64
    /// Its digest, which tells whether the journal still means the same row.
    public var digest: Digest
    /// How many times it has been so.
    public var attempts: Int
  }

  /// The rows under suspicion, at most `maxSuspects`.
  public private(set) var suspects: [Suspect] = []
  /// The highest row that was ever begun: 0 if none was. A store that does not reach it has lost its end.
  public let lastBegun: Int64
  /// The highest lease that was committed: 0 if none was. A store with an earlier one has lost its end,
  /// though no row may be missing: commands of timers were made since.
  public let lastLease: Int64
  /// More rows than this cannot end the process without one being handled between; then the oldest leaves.
  public static let maxSuspects = 16

  private let words: UnsafeMutablePointer<Atomic<UInt64>>
  private static let byteCount = 4096
  private static let magic: UInt64 = 0x3144_5241_5547_434c  // "LCGUARD1"
  private static let lease = 2
  /// The row in hand: whether there is one, number, digest, attempts. Suspects follow, four words each.
  private static let current = 8
  private static let list = 16

  /// Opens the file of a state directory, or makes it. What was in hand becomes a suspect.
  public init(directory: String) throws(StoreError) {
    let path = directory + "/livecue.guard"
    let action = "opening the poison guard"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw .system(errno, path: path, action: action) }
    defer { close(descriptor) }
    // A hole would end the process with SIGBUS when it is first written to on a full disk.
    let allocated = posix_fallocate(descriptor, 0, off_t(PoisonGuard.byteCount))
    guard allocated == 0 else { throw .system(allocated, path: path, action: action) }
    let mapped = unsafe mmap(
      nil, PoisonGuard.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      throw .system(errno, path: path, action: action)
    }
    // Atomic words, so that the compiler moves neither a write nor the handling of the row past the other.
    let words = unsafe mapped.bindMemory(to: Atomic<UInt64>.self, capacity: PoisonGuard.byteCount / 8)
    let isOurs = unsafe words[0].load(ordering: .acquiring) == PoisonGuard.magic
    let begun = unsafe words[PoisonGuard.current + 1].load(ordering: .acquiring)
    lastBegun = isOurs ? Int64(bitPattern: begun) : 0
    let leased = unsafe words[PoisonGuard.lease].load(ordering: .acquiring)
    lastLease = isOurs ? Int64(bitPattern: leased) : 0
    unsafe self.words = unsafe words
    load()
  }

  deinit { unsafe munmap(words, PoisonGuard.byteCount) }

  /// Writes down that a row is about to be handled.
  public func begin(row: Int64, digest: Digest) {
    var attempts: UInt64 = 1
    if !suspects.isEmpty, let place = place(row, digest) { attempts += UInt64(suspects[place].attempts) }
    write(PoisonGuard.current + 1, UInt64(bitPattern: row))
    write(PoisonGuard.current + 2, digest.low)
    write(PoisonGuard.current + 3, digest.high)
    write(PoisonGuard.current + 4, attempts)
    unsafe words[PoisonGuard.current].store(1, ordering: .sequentiallyConsistent)
  }

  /// Writes down that the row has been handled; it is no suspect any more.
  public func end() {
    unsafe words[PoisonGuard.current].store(0, ordering: .sequentiallyConsistent)
    if !suspects.isEmpty { forget(row: Int64(bitPattern: read(PoisonGuard.current + 1))) }
  }

  /// Takes a row off the list: it has been flagged, or is not there.
  public func forget(row: Int64) {
    guard let place = suspects.firstIndex(where: { $0.row == row }) else { return }
    suspects.remove(at: place)
    store()
  }

  /// Writes down a lease that has been committed, in milliseconds since 1970.
  public func leased(until lease: Int64) { write(PoisonGuard.lease, UInt64(bitPattern: lease)) }

  /// The store lost its end, and that has been dealt with: rows are numbered on from what it has, and time
  /// goes on from its lease.
  public func forgetEnd() {
    write(PoisonGuard.current + 1, 0)
    write(PoisonGuard.lease, 0)
  }

  private func load() {
    guard read(0) == PoisonGuard.magic else {
      write(PoisonGuard.current, 0)
      write(1, 0)
      write(0, PoisonGuard.magic)
      return
    }
    for place in 0..<min(Int(truncatingIfNeeded: read(1)), PoisonGuard.maxSuspects) {
      suspects.append(suspect(at: PoisonGuard.list + 4 * place))
    }
    guard read(PoisonGuard.current) != 0 else { return }
    let found = suspect(at: PoisonGuard.current + 1)
    if let place = place(found.row, found.digest) {
      suspects[place] = found
    } else {
      if suspects.count == PoisonGuard.maxSuspects { suspects.removeFirst() }
      suspects.append(found)
    }
    // In this order a death between the two only does the same again.
    store()
    write(PoisonGuard.current, 0)
  }

  private func store() {
    for (place, suspect) in suspects.enumerated() {
      let word = PoisonGuard.list + 4 * place
      write(word, UInt64(bitPattern: suspect.row))
      write(word + 1, suspect.digest.low)
      write(word + 2, suspect.digest.high)
      write(word + 3, UInt64(suspect.attempts))
    }
    write(1, UInt64(suspects.count))
  }

  private func suspect(at word: Int) -> Suspect {
    Suspect(
      row: Int64(bitPattern: read(word)), digest: Digest(low: read(word + 1), high: read(word + 2)),
      attempts: Int(truncatingIfNeeded: read(word + 3) & 0xff_ffff))
  }

  private func place(_ row: Int64, _ digest: Digest) -> Int? {
    suspects.firstIndex { $0.row == row && $0.digest == digest }
  }

  private func read(_ word: Int) -> UInt64 { unsafe words[word].load(ordering: .acquiring) }

  private func write(_ word: Int, _ value: UInt64) {
    unsafe words[word].store(value, ordering: .releasing)
  }
}
