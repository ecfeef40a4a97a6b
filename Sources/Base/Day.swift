/// A day of the civil calendar, counted from 1970-01-01.
public struct Day: Equatable, Comparable, Sendable {
  /// Days since 1970-01-01.
  public var number: Int32

  /// The day of a number.
  public init(number: Int32) { self.number = number }

  /// The day that an instant falls on where days begin so many minutes ahead of UTC.
  public init(of instant: Instant, offsetMinutes: Int) {
    let shifted = instant + Int64(offsetMinutes) * 60_000
    number = Int32(truncatingIfNeeded: Day.floor(shifted, Day.milliseconds))
  }

  /// The day of a text `YYYY-MM-DD`; nil if it is none. Years are 0000 … 9999.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2]),
      (1...12).contains(month), day >= 1
    else { return nil }
    number = Int32(Day.number(year, month, day))
    // The 30th of February would be the 1st or 2nd of March.
    guard self.text == text else { return nil }
  }

  /// The day as `YYYY-MM-DD`.
  public var text: String {
    let (year, month, day) = civil
    return "\(Day.digits(year, 4))-\(Day.digits(month, 2))-\(Day.digits(day, 2))"
  }

  /// The earlier day is the lesser.
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  /// An instant in UTC as ISO 8601 writes it: `2024-07-31T12:00:00.123Z`.
  public static func text(of instant: Instant) -> String {
    let time = instant - floor(instant, milliseconds) * milliseconds
    let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { digits($0, 2) }
    let day = Day(of: instant, offsetMinutes: 0).text
    return "\(day)T\(clock.joined(separator: ":")).\(digits(time % 1000, 3))Z"
  }

  /// The instant of a text as RFC 3339 writes it in UTC, `2024-07-31T12:00:00.123Z`; nil if it is none. Up to
  /// nine decimals of a second, of which three count; a leap second is none.
  public static func instant(of text: String) -> Instant? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let day = Day(String(text.prefix(10))), let hour = number(bytes[11...12], below: 24),
      let minute = number(bytes[14...15], below: 60), let second = number(bytes[17...18], below: 60)
    else { return nil }
    var fraction: Int64 = 0
    if bytes.count > 20 {
      guard bytes[19] == UInt8(ascii: "."), (22...30).contains(bytes.count) else { return nil }
      let decimals = Array(bytes[20..<(bytes.count - 1)])
      guard number(decimals[...], below: .max) != nil else { return nil }
      let three = (decimals + [UInt8(ascii: "0"), UInt8(ascii: "0")]).prefix(3)
      fraction = number(three, below: 1000) ?? 0
    }
    return Int64(day.number) * milliseconds + hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction
  }

  private static func number(_ digits: ArraySlice<UInt8>, below limit: Int64) -> Int64? {
    var result: Int64 = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      result = result * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return result < limit ? result : nil
  }

  private static let milliseconds: Int64 = 86_400_000

  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that the
  /// leap day comes last, and 400 of them are 146 097 days.
  private var civil: (year: Int64, month: Int64, day: Int64) {
    let shifted = Int64(number) + 719_468
    let era = Day.floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The way back, from the same source.
  private static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = floor(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
