/// How much a line matters. The raw value is syslog's, which systemd reads from the prefix `<3>`.
public enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
  /// Something is broken and stays so without help.
  case error = 3
  /// Something went wrong and is dealt with.
  case warning = 4
  /// Worth knowing in ordinary operation: start, stop, connection.
  case notice = 5
  /// Details of ordinary operation.
  case info = 6
  /// For whoever looks for a fault.
  case debug = 7

  /// The word in a line and in the configuration.
  public var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .notice: "notice"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// The level of a word.
  public init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// Less matters less: `debug < error`.
  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue > b.rawValue }
}
