import Base
import Telemetry
import Testing

@Suite struct LogFormatTests {
  private func lines(_ format: LogFormat, _ body: (Log) -> Void) -> [String] {
    var lines: [String] = []
    let log = Log(threshold: .info, format: format, repeatMilliseconds: 1000) { line in
      lines.append(String(decoding: copy line, as: UTF8.self))
      return true
    }
    body(log)
    return lines
  }

  @Test(arguments: [
    (LogFormat.plain, "error it \\\"broke\\\" host=\"a b\" port=1883\n"),
    (.timed, "2024-07-31T12:00:00.007Z error it \\\"broke\\\" host=\"a b\" port=1883\n"),
    (.journal, "<3>it \\\"broke\\\" host=\"a b\" port=1883\n"),
    (
      .json,
      #"{"time":"2024-07-31T12:00:00.007Z","level":"error","message":"it \"broke\"","host":"a b","port":1883}"#
        + "\n"
    ), (.journalJSON, #"<3>{"level":"error","message":"it \"broke\"","host":"a b","port":1883}"# + "\n"),
  ])
  func aLineHasItsForm(format: LogFormat, line: String) {
    let written = lines(format) {
      $0.write(
        .error, "it \"broke\"", LogField("host", "a b"), LogField("port", 1883), at: 1_722_427_200_007)
    }
    #expect(written == [line])
  }

  @Test func faultsThatDifferOnlyInTimeAreOne() {
    let written = lines(.json) { log in
      for instant: Int64 in [0, 400, 800] { log.write(.warning, "away", at: instant) }
      log.tick(at: 1000)
    }
    #expect(
      written == [
        #"{"time":"1970-01-01T00:00:00.000Z","level":"warning","message":"away"}"# + "\n",
        #"{"time":"1970-01-01T00:00:01.000Z","level":"warning","message":"away","repeated":2}"# + "\n",
      ])
  }

  @Test func controlCharactersStayOutOfJSON() {
    let written = lines(.json) { $0.write(.info, "m", LogField("k", .text("a\n\u{1}\u{7F}\\é")), at: 0) }
    #expect(written[0].contains(#""k":"a\u000a\u0001\u007f\\é"}"#))
  }

  @Test func theLastFaultsAreKeptWithTheirCounts() {
    let log = Log(threshold: .error, format: .plain) { _ in true }
    for instant: Int64 in [1, 2, 3] { log.write(.error, "often", LogField("n", 7), at: instant) }
    log.write(.notice, "no fault", at: 4)
    // What is not written is not kept either.
    log.write(.warning, "below the threshold", at: 4)
    for number in 0..<15 { log.write(.error, "fault", LogField("n", LogValue(number)), at: 5) }
    log.write(.error, "often", LogField("n", 7), at: 6)
    log.write(.error, "the last", at: 7)
    #expect(log.faults.count == 16)
    #expect(
      log.faults.suffix(2).map { String(decoding: $0.body, as: UTF8.self) } == ["often n=7", "the last"])
    #expect(log.faults[14].count == 4)
    #expect((log.faults[14].first, log.faults[14].last) == (1, 6))
    #expect(log.messageCounts == [20, 1, 1, 0, 0])
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (1_735_689_599_000, "2024-12-31T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
    ] as [(Instant, String)])
  func instantsAreWrittenAsDates(instant: Instant, text: String) {
    #expect(Timestamp.text(of: instant) == text)
  }
}
