/// Where a server of ours listens: on this machine, unless an operator opens it to others.
public enum ListenAddress: Equatable, Sendable, CustomStringConvertible {
  /// A port of `127.0.0.1`; 0: one that the system chooses.
  case port4(UInt16)
  /// A port of `::1`.
  case port6(UInt16)
  /// A port of an IPv4 address that other machines may reach; `0.0.0.0`: of all.
  case open4([UInt8], port: UInt16)
  /// A socket in the file system.
  case socket(path: String)

  /// The longest path of a socket: Linux has 108 bytes, with the zero at the end.
  public static let maxPathBytes = 107

  /// Reads `127.0.0.1:9750`, `localhost:9750`, `[::1]:9750` or the path of a socket, which begins with `/`.
  public init?(_ text: String) {
    if text.hasPrefix("/") {
      guard text.utf8.count <= ListenAddress.maxPathBytes, !text.utf8.contains(0) else { return nil }
      self = .socket(path: text)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    // Without a sign and leading zeros: what is read is what was written.
    guard let port = UInt16(digits), String(port) == digits else { return nil }
    switch text[..<colon] {
    case "127.0.0.1", "localhost": self = .port4(port)
    case "[::1]": self = .port6(port)
    default: return nil
    }
  }

  /// Reads an address of this machine, or `10.0.0.5:9760`, or `0.0.0.0:9760` for all addresses.
  public init?(anywhere text: String) {
    if let local = ListenAddress(text) {
      self = local
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1]), String(port) == parts[1] else { return nil }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let bytes = numbers.compactMap { number in UInt8(number).flatMap { String($0) == number ? $0 : nil } }
    guard numbers.count == 4, bytes.count == 4 else { return nil }
    self = .open4(bytes, port: port)
  }

  /// True if only this machine reaches it.
  public var isLocal: Bool {
    // All of 127.0.0.0/8 is this machine.
    if case .open4(let bytes, _) = self { bytes[0] == 127 } else { true }
  }

  /// As it is written in a configuration.
  public var description: String {
    switch self {
    case .port4(let port): "127.0.0.1:\(port)"
    case .port6(let port): "[::1]:\(port)"
    case .open4(let bytes, let port): "\(bytes.map { String($0) }.joined(separator: ".")):\(port)"
    case .socket(let path): path
    }
  }
}
