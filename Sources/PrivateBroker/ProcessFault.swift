import Glibc

/// Why a program could not be set up, or what was waited for in vain.
public struct ProcessFault: Error, CustomStringConvertible {
  /// One sentence, and what helps to understand it.
  public let description: String

  /// A fault with a sentence.
  public init(_ description: String) { self.description = description }

  /// A system call that failed.
  package static func call(_ name: String) -> ProcessFault {
    unsafe ProcessFault("\(name): \(String(cString: strerror(errno)))")
  }
}
