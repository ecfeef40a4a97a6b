public import Base
import Glibc

/// Writes one line for each thing worth knowing, and counts faults that say the same again.
///
/// A warning or an error that is the same as one of the last `repeatMilliseconds` is not written; when that
/// time is over, the line comes once more with `repeated=41`. The owner calls `tick` at `deadline`, so that a
/// count does not wait for the next fault.
public final class Log {
  /// Lines that matter less are not written.
  public var threshold: LogLevel
  /// Lines that could not be written, because the reader of standard error is gone or slow.
  public private(set) var linesLost = 0

  /// Warnings and errors, the one that was last said last: at most `maxFaults`.
  public private(set) var faults: [LogFault] = []
  /// Messages by level, those that are only counted too, in the order of `LogLevel.allCases`.
  public private(set) var messageCounts = [Int](repeating: 0, count: LogLevel.allCases.count)

  private struct Recent {
    let level: LogLevel
    let body: [UInt8]
    let until: Instant
    var repeats: Int
  }

  private let format: LogFormat
  private let repeatMilliseconds: Int64
  private let sink: (borrowing [UInt8]) -> Bool
  /// The latest instant that was told.
  private var latest: Instant = .min
  /// The oldest first.
  private var recent: [Recent] = []

  /// Lines remembered; of more different ones the oldest is written out early.
  private static let maxRecent = 64
  /// Faults kept for who asks.
  private static let maxFaults = 16

  /// A log. `sink` takes a line with its newline, and returns false if it could not; by default it is
  /// standard error.
  public init(
    threshold: LogLevel = .info, format: LogFormat = .ofStandardError(), repeatMilliseconds: Int64 = 60_000,
    sink: @escaping (borrowing [UInt8]) -> Bool = Log.writeToStandardError
  ) {
    self.threshold = threshold
    self.format = format
    self.repeatMilliseconds = repeatMilliseconds
    self.sink = sink
  }

  /// Writes a line, unless it matters too little or says what was said a moment ago.
  public func write(_ level: LogLevel, _ message: String, _ fields: LogField..., at now: Instant) {
    count(level)
    guard level >= threshold else { return }
    tick(at: now)
    let body = format.body(message, fields)
    // Only faults come in floods. That something works again is worth a line each time.
    guard level >= .warning else { return put(level, body) }
    keep(level, body, at: now)
    if let index = recent.firstIndex(where: { $0.level == level && $0.body == body }) {
      recent[index].repeats += 1
      return
    }
    put(level, body)
    guard repeatMilliseconds > 0 else { return }
    if recent.count == Self.maxRecent { writeRepeats(of: recent.removeFirst()) }
    recent.append(Recent(level: level, body: body, until: now + repeatMilliseconds, repeats: 0))
  }

  /// When `tick` has something to do.
  public var deadline: Instant? { recent.first?.until }

  /// Writes the counts whose time is over at `now`.
  public func tick(at now: Instant) {
    latest = max(latest, now)
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
    put(entry.level, entry.body, repeats: entry.repeats)
  }

  private func put(_ level: LogLevel, _ body: [UInt8], repeats: Int = 0) {
    if !sink(format.line(level, body, repeats: repeats, at: latest)) { linesLost += 1 }
  }

  private func count(_ level: LogLevel) {
    guard let place = LogLevel.allCases.firstIndex(of: level) else { return }
    messageCounts[place] += 1
  }

  private func keep(_ level: LogLevel, _ body: [UInt8], at now: Instant) {
    if let place = faults.firstIndex(where: { $0.level == level && $0.body == body }) {
      var fault = faults.remove(at: place)
      fault.count += 1
      fault.last = now
      faults.append(fault)
      return
    }
    if faults.count == Self.maxFaults { faults.removeFirst() }
    faults.append(LogFault(level: level, body: body, count: 1, first: now, last: now))
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

/// A warning or an error, and how often it came.
public struct LogFault: Equatable, Sendable {
  /// How grave.
  public let level: LogLevel
  /// What was said, as in the line after time and level.
  public let body: [UInt8]
  /// How often.
  public internal(set) var count: Int
  /// When it came first.
  public let first: Instant
  /// When it came last.
  public internal(set) var last: Instant
}
