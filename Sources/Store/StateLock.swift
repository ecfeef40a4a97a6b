import Glibc

/// The right to write to a state directory. Held while it lives; the kernel gives it back when the process
/// dies, however it dies.
final class StateLock {
  private let descriptor: Int32

  /// Takes the lock, or says who has it.
  init(directory: String) throws(StoreError) {
    let path = directory + "/livecue.lock"
    let action = "taking the lock of the state directory"
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard opened >= 0 else { throw .system(errno, path: path, action: action) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let holder = StateLock.holder(opened)
      close(opened)
      if number == EWOULDBLOCK { throw .inUse(path: directory, process: holder) }
      throw .system(number, path: path, action: action)
    }
    descriptor = opened
    writeHolder()
  }

  deinit {
    // A child that has been forked and has not called exec yet shares the lock; closing would leave it there.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Who holds the lock is only for the message to a second daemon, so a disk that is full does not matter.
  private func writeHolder() {
    guard ftruncate(descriptor, 0) == 0 else { return }
    let text = Array("\(getpid())\n".utf8)
    _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe text.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return nil }
    return Int32(String(decoding: text[..<count].filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
