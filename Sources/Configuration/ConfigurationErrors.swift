/// A place in a file. Lines and columns count from 1; line 0 is the file as a whole.
public struct SourcePosition: Equatable, Sendable, CustomStringConvertible {
  /// The file's name, as it was given.
  public var file: String
  /// The line, from 1; 0: the whole file.
  public var line: Int
  /// The column in characters, from 1; 0: the whole file.
  public var column: Int

  /// A place.
  public init(file: String, line: Int = 0, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, or `file`.
  public var description: String {
    line == 0 ? displayed(file) : "\(displayed(file)):\(line):\(column)"
  }
}

/// One mistake in a configuration or profile file.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where.
  public var position: SourcePosition
  /// The setting, as `gift.rules[0].priority`; empty if the mistake belongs to none.
  public var path: String
  /// What is wrong, and what was expected. Never holds a password.
  public var message: String

  /// A mistake.
  public init(position: SourcePosition, path: String, message: String) {
    self.position = position
    self.path = path
    self.message = message
  }

  /// `file:line:column: path: what, and what was expected`.
  public var description: String {
    path.isEmpty ? "\(position): \(message)" : "\(position): \(path): \(message)"
  }
}

/// All mistakes of one reading, in the order of the files and lines.
public struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// How many are kept; a hostile file can hold a mistake in every few bytes.
  public static let limit = 100
  /// The mistakes; never empty.
  public var errors: [ConfigurationError]
  /// How many more there were.
  public var omittedCount: Int

  /// One line a mistake.
  public var description: String {
    var lines = errors.map(\.description)
    if omittedCount > 0 { lines.append("and \(omittedCount) more") }
    return lines.joined(separator: "\n")
  }
}

extension ConfigurationErrors {
  /// One mistake that concerns a whole file.
  init(file: String, path: String, message: String) {
    let position = SourcePosition(file: file)
    self.init(
      errors: [ConfigurationError(position: position, path: path, message: message)], omittedCount: 0)
  }
}

/// What a reading collects on its way: the mistakes, and where each setting was given.
struct Report {
  /// Where settings were given, for checks across settings. Looked up only.
  private(set) var givenAt: [String: SourcePosition] = [:]
  private var errors: [ConfigurationError] = []
  private var omittedCount = 0

  /// True if further mistakes are only counted.
  var isFull: Bool { errors.count == ConfigurationErrors.limit }

  /// Mistakes so far.
  var count: Int { errors.count + omittedCount }

  mutating func refuse(_ position: SourcePosition, _ path: String, _ message: String) {
    if errors.count < ConfigurationErrors.limit {
      errors.append(ConfigurationError(position: position, path: path, message: message))
    } else {
      omittedCount += 1
    }
  }

  mutating func note(_ path: String, givenAt position: SourcePosition) {
    givenAt[path] = position
  }

  /// Throws if anything was refused.
  func check() throws(ConfigurationErrors) {
    guard !errors.isEmpty else { return }
    var files: [String] = []
    for error in errors where !files.contains(error.position.file) { files.append(error.position.file) }
    let order = errors.enumerated().map { index, error in
      (files.firstIndex(of: error.position.file) ?? 0, error.position.line, error.position.column, index)
    }
    throw ConfigurationErrors(
      errors: order.sorted { $0 < $1 }.map { errors[$0.3] }, omittedCount: omittedCount)
  }
}

/// A text of the file as it may stand in a message or a terminal: control characters escaped, long ones cut.
func displayed(_ text: String, limit: Int = 200) -> String {
  var result = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == limit { return result + "…" }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default:
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}
