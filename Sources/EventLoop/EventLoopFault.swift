import Glibc

/// A system call of the loop that failed.
public struct EventLoopFault: Error, Equatable, CustomStringConvertible {
  /// The call.
  public let call: StaticString
  /// The `errno` that it left.
  public let code: Int32

  init(_ call: StaticString, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  /// Two faults are equal if the same call failed in the same way.
  public static func == (a: EventLoopFault, b: EventLoopFault) -> Bool {
    a.code == b.code && a.call.description == b.call.description
  }

  /// The call and the system's text for the code.
  public var description: String { unsafe "\(call): \(String(cString: strerror(code)))" }
}
