import Testing

@testable import Base

@Suite struct DayTests {
  @Test(arguments: [
    ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2000-03-01", 11_017),
    ("2024-07-31", 19_935), ("1900-03-01", -25_508), ("0000-01-01", -719_528), ("9999-12-31", 2_932_896),
  ])
  func aDayIsItsNumber(text: String, number: Int32) {
    #expect(Day(text)?.number == number)
    #expect(Day(number: number).text == text)
  }

  @Test(arguments: [
    "", "2024-7-31", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00",
    "24-01-01", "2024/01/01", "2024-01-01x", "+024-01-01", "2024-01-1a",
  ])
  func whatIsNoDayIsRefused(text: String) { #expect(Day(text) == nil) }

  @Test func everyDayOfFourCenturiesIsFoundAgain() {
    for number in Int32(-30_000)...120_000 {
      #expect(Day(Day(number: number).text)?.number == number)
    }
  }

  @Test(arguments: [
    (0, 0, "1970-01-01"), (-1, 0, "1969-12-31"), (86_399_999, 0, "1970-01-01"),
    (86_399_999, 1, "1970-01-02"), (57_600_000, 480, "1970-01-02"), (57_599_999, 480, "1970-01-01"),
    (17_999_999, -300, "1969-12-31"), (18_000_000, -300, "1970-01-01"),
  ])
  func daysBeginWhereTheZoneSays(instant: Instant, offset: Int, day: String) {
    #expect(Day(of: instant, offsetMinutes: offset).text == day)
  }

  @Test func anInstantIsWrittenInUTC() {
    #expect(Day.text(of: 1_722_400_000_123) == "2024-07-31T04:26:40.123Z")
    #expect(Day.text(of: -1) == "1969-12-31T23:59:59.999Z")
  }
}

@Suite struct InstantTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", Instant?.some(0)), ("2026-01-01T00:00:00.000Z", 1_767_225_600_000),
    ("2026-01-01T00:00:00.123456789Z", 1_767_225_600_123), ("2026-01-01T23:59:59.9Z", 1_767_311_999_900),
    ("1969-12-31T23:59:59.999Z", -1), ("2026-02-30T00:00:00Z", nil), ("2026-01-01T24:00:00Z", nil),
    ("2026-01-01T00:60:00Z", nil), ("2026-01-01T00:00:60Z", nil), ("2026-01-01T00:00:00", nil),
    ("2026-01-01T00:00:00.Z", nil), ("2026-01-01T00:00:00.1234567890Z", nil),
    ("2026-01-01T00:00:00+01:00", nil),
    ("2026-01-01 00:00:00Z", nil), ("2026-01-01T00:00:0éZ", nil), ("é026-01-01T00:00:00Z", nil), ("", nil),
  ])
  func aTimeInUTCIsRead(text: String, instant: Instant?) { #expect(Day.instant(of: text) == instant) }
}
