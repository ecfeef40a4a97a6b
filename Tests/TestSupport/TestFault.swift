import Glibc

/// Why a test could not be set up, or what it waited for in vain.
public struct TestFault: Error, CustomStringConvertible {
  /// One sentence, and what helps to understand it.
  public let description: String

  /// A fault with a sentence.
  public init(_ description: String) { self.description = description }

  /// A system call that failed.
  static func call(_ name: String) -> TestFault {
    unsafe TestFault("\(name): \(String(cString: strerror(errno)))")
  }
}
