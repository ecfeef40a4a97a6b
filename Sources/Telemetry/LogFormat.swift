public import Base
import Glibc

/// How a line is written.
public struct LogFormat: Equatable, Sendable {
  enum Head: Equatable, Sendable {
    /// The level as a word.
    case level
    /// The time and the level as a word.
    case time
    /// `<3>`, which systemd's journal takes off and keeps as the level; it adds the time itself.
    case journal
  }

  let head: Head
  let isJSON: Bool

  /// `error message key=value`.
  public static let plain = LogFormat(head: .level, isJSON: false)
  /// `2024-07-31T12:00:00.000Z error message key=value`, for a person at a terminal, or a file.
  public static let timed = LogFormat(head: .time, isJSON: false)
  /// `<3>message key=value`, for systemd's journal.
  public static let journal = LogFormat(head: .journal, isJSON: false)
  /// `{"time":…,"level":…,"message":…,"key":value}`.
  public static let json = LogFormat(head: .time, isJSON: true)
  /// `<3>{"level":…,"message":…,"key":value}`, for systemd's journal.
  public static let journalJSON = LogFormat(head: .journal, isJSON: true)

  /// What fits standard error: systemd's journal, or anything else.
  public static func ofStandardError(isJSON: Bool = false) -> LogFormat {
    LogFormat(head: isJournal ? .journal : .time, isJSON: isJSON)
  }

  /// systemd sets JOURNAL_STREAM to the device and inode of its stream, "so that it may be verified" that
  /// standard error was not sent elsewhere since.
  private static var isJournal: Bool {
    guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  /// The line for a message whose body is written already.
  func line(_ level: LogLevel, _ body: [UInt8], repeats: Int, at now: Instant) -> [UInt8] {
    var line: [UInt8] = []
    if head == .journal { line.append(contentsOf: "<\(level.rawValue)>".utf8) }
    if isJSON {
      line.append(UInt8(ascii: "{"))
      if head == .time { line.append(contentsOf: #""time":"\#(Timestamp.text(of: now))","#.utf8) }
      line.append(contentsOf: #""level":"\#(level.name)","#.utf8)
      line.append(contentsOf: body)
      if repeats > 0 { line.append(contentsOf: #","repeated":\#(repeats)"#.utf8) }
      line.append(UInt8(ascii: "}"))
    } else {
      if head == .time { line.append(contentsOf: "\(Timestamp.text(of: now)) ".utf8) }
      if head != .journal { line.append(contentsOf: "\(level.name) ".utf8) }
      line.append(contentsOf: body)
      if repeats > 0 { line.append(LogField("repeated", .number(Int64(repeats)))) }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// What a line says, without level, time and repeats: two lines that say the same have the same body.
  func body(_ message: String, _ fields: [LogField]) -> [UInt8] {
    var body: [UInt8] = []
    guard isJSON else {
      body.appendEscaped(message)
      for field in fields { body.append(field) }
      return body
    }
    body.append(contentsOf: #""message":"#.utf8)
    body.appendJSON(message)
    for field in fields {
      body.append(contentsOf: #","\#(field.key)":"#.utf8)
      switch field.value {
      case .number(let number): body.append(contentsOf: number.description.utf8)
      case .text(let text): body.appendJSON(text)
      }
    }
    return body
  }
}

/// Instants as people read them.
public enum Timestamp {
  /// `2024-07-31T12:00:00.000Z`.
  public static func text(of instant: Instant) -> String {
    let days = instant >= 0 ? instant / 86_400_000 : (instant - 86_399_999) / 86_400_000
    let rest = instant - days * 86_400_000
    // From days to a date: http://howardhinnant.github.io/date_algorithms.html#civil_from_days
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let time =
      "\(two(rest / 3_600_000)):\(two(rest / 60_000 % 60)):\(two(rest / 1000 % 60)).\(three(rest % 1000))Z"
    return "\(year)-\(two(month))-\(two(day))T\(time)"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
  private static func three(_ number: Int64) -> String { number < 100 ? "0\(two(number))" : "\(number)" }
}
