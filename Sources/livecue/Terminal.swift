import Glibc

/// What a command returns to the shell.
enum ExitStatus {
  static let fine: Int32 = 0
  static let failed: Int32 = 1
  static let wrongUse: Int32 = 2
}

/// Standard output and standard error, written whole.
enum Terminal {
  /// Writes to standard output. False if it takes nothing any more: its reader went away, or a disk is full.
  @discardableResult
  static func write(_ text: String) -> Bool { write(Array(text.utf8), to: STDOUT_FILENO) }

  /// Writes bytes to standard output. False if it takes nothing any more.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

  /// What an `errno` of standard output means, in words.
  static func outputFault(_ code: Int32) -> String {
    "standard output: \(unsafe String(cString: strerror(code)))"
  }

  /// Writes to standard error.
  static func writeError(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written > 0 {
        start += written
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
