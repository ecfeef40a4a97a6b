public import Base
import Glibc

/// How a line begins.
public enum LogFormat: Sendable {
  /// `error message key=value`, for a person at a terminal.
  case plain
  /// `<3>message key=value`, for systemd's journal, which keeps the level aside.
  case journal

  /// What standard error is connected to: systemd sets JOURNAL_STREAM for a service whose output it keeps.
  public static var ofStandardError: LogFormat {
    unsafe getenv("JOURNAL_STREAM") == nil ? .plain : .journal
  }
}

/// Writes one line for each thing worth knowing, and counts faults that say the same again.
///
/// A warning or an error that is the same as one of the last `repeatMilliseconds` is not written; when that time is over, the
/// line comes once more with `repeated=41`. The owner calls `tick` at `deadline`, so that a count does not wait
/// for the next fault.
public final class Log {
  /// Lines that matter less are not written.
  public var threshold: LogLevel
  /// Lines that could not be written, because the reader of standard error is gone or slow.
  public private(set) var linesLost = 0

  private struct Recent {
    let line: [UInt8]
    let until: Instant
    var repeats: Int
  }

  private let format: LogFormat
  private let repeatMilliseconds: Int64
  private let sink: (borrowing [UInt8]) -> Bool
  /// The oldest first.
  private var recent: [Recent] = []

  /// Lines remembered; of more different ones the oldest is written out early.
  private static let maxRecent = 64

  /// A log. `sink` takes a line with its newline, and returns false if it could not; by default it is standard error.
  public init(
    threshold: LogLevel = .info, format: LogFormat = .ofStandardError, repeatMilliseconds: Int64 = 60_000,
    sink: @escaping (borrowing [UInt8]) -> Bool = Log.writeToStandardError
  ) {
    self.threshold = threshold
    self.format = format
    self.repeatMilliseconds = repeatMilliseconds
    self.sink = sink
  }

  /// Writes a line, unless it matters too little or says what was said a moment ago.
  public func write(_ level: LogLevel, _ message: String, _ fields: LogField..., at now: Instant) {
    guard level >= threshold else { return }
    tick(at: now)
    var line: [UInt8] = []
    switch format {
    case .plain: line.append(contentsOf: "\(level.name) ".utf8)
    case .journal: line.append(contentsOf: "<\(level.rawValue)>".utf8)
    }
    line.appendEscaped(message)
    for field in fields { line.append(field) }
    // Only faults come in floods. That something works again is worth a line each time.
    guard level >= .warning else { return put(line) }
    if let index = recent.firstIndex(where: { $0.line == line }) {
      recent[index].repeats += 1
      return
    }
    put(line)
    guard repeatMilliseconds > 0 else { return }
    if recent.count == Self.maxRecent { writeRepeats(of: recent.removeFirst()) }
    recent.append(Recent(line: line, until: now + repeatMilliseconds, repeats: 0))
  }

  /// When `tick` has something to do.
  public var deadline: Instant? { recent.first?.until }

  /// Writes the counts whose time is over at `now`.
  public func tick(at now: Instant) {
    while let first = recent.first, first.until <= now {
      recent.removeFirst()
      writeRepeats(of: first)
    }
  }

  /// Writes all counts: the last thing before the daemon ends.
  public func flush() {
    for entry in recent { writeRepeats(of: entry) }
    recent.removeAll()
  }

  private func writeRepeats(of entry: Recent) {
    guard entry.repeats > 0 else { return }
    var line = entry.line
    line.append(LogField("repeated", .number(Int64(entry.repeats))))
    put(line)
  }

  private func put(_ line: [UInt8]) {
    if !sink(line + [UInt8(ascii: "\n")]) { linesLost += 1 }
  }

  /// Writes bytes to standard error in one piece where the system lets it; false if it does not.
  public static func writeToStandardError(_ line: borrowing [UInt8]) -> Bool {
    unsafe line.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let written = unsafe Glibc.write(STDERR_FILENO, piece.baseAddress, piece.count)
        if written < 0 && errno != EINTR { return false }
        offset += max(0, written)
      }
      return true
    }
  }
}
