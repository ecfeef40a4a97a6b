import Telemetry
import Testing

@Suite struct LogTests {
  /// What a log wrote.
  private final class Output {
    var lines: [String] = []
  }

  private func makeLog(
    _ threshold: LogLevel = .info, _ format: LogFormat = .plain, repeatMilliseconds: Int64 = 1000
  ) -> (Log, Output) {
    let output = Output()
    let log = Log(threshold: threshold, format: format, repeatMilliseconds: repeatMilliseconds) { line in
      output.lines.append(String(decoding: line.dropLast(), as: UTF8.self))
      return line.last == 10
    }
    return (log, output)
  }

  @Test func aLineIsLevelMessageAndFields() {
    let (log, output) = makeLog()
    log.write(.error, "connection ended", LogField("reason", "timed out"), LogField("attempt", 3), at: 0)
    #expect(output.lines == [#"error connection ended reason="timed out" attempt=3"#])
  }

  @Test func theJournalGetsTheLevelAsAPrefix() {
    let (log, output) = makeLog(.debug, .journal)
    for level in LogLevel.allCases { log.write(level, "x", at: 0) }
    #expect(output.lines == ["<3>x", "<4>x", "<5>x", "<6>x", "<7>x"])
  }

  @Test func linesBelowTheThresholdAreNotWritten() {
    let (log, output) = makeLog(.notice)
    log.write(.info, "details", at: 0)
    log.write(.notice, "news", at: 0)
    log.threshold = .debug
    log.write(.debug, "more", at: 0)
    #expect(output.lines == ["notice news", "debug more"])
  }

  @Test(arguments: [
    ("plain", "plain"), ("", #""""#), ("two words", #""two words""#), ("a=b", #""a=b""#),
    (#"say "hi""#, #""say \"hi\"""#), (#"a\b"#, #""a\\b""#), ("line\nline", #""line\nline""#),
    ("\u{1B}[31m", #""\x1b[31m""#), ("\u{9B}31m", #""\x9b31m""#), ("\0", #""\x00""#), ("娟娟", "娟娟"),
  ])
  func valuesAreQuotedWhereALineWouldBreak(text: String, written: String) {
    let (log, output) = makeLog()
    log.write(.info, "m", LogField("k", LogValue(text)), at: 0)
    #expect(output.lines == ["info m k=\(written)"])
  }

  @Test func aFaultThatComesAgainIsCounted() {
    let (log, output) = makeLog()
    for now in 0..<42 { log.write(.warning, "publish refused", LogField("code", 135), at: Int64(now)) }
    log.write(.warning, "publish refused", LogField("code", 136), at: 50)
    #expect(output.lines == ["warning publish refused code=135", "warning publish refused code=136"])
    #expect(log.deadline == 1000)
    log.tick(at: 999)
    #expect(output.lines.count == 2)
    log.tick(at: 1000)
    #expect(output.lines.last == "warning publish refused code=135 repeated=41")
    #expect(log.deadline == 1050)
    // The time is over: it is news again.
    log.write(.warning, "publish refused", LogField("code", 135), at: 1001)
    #expect(output.lines.last == "warning publish refused code=135")
  }

  @Test func flushWritesTheCounts() {
    let (log, output) = makeLog()
    log.write(.warning, "once", at: 0)
    for _ in 0..<3 { log.write(.warning, "often", at: 0) }
    log.flush()
    #expect(output.lines == ["warning once", "warning often", "warning often repeated=2"])
    #expect(log.deadline == nil)
  }

  @Test func thatSomethingWorksAgainIsSaidEachTime() {
    let (log, output) = makeLog()
    for instant: Int64 in [0, 10, 20] {
      log.write(.warning, "no connection", at: instant)
      log.write(.notice, "subscribed", at: instant + 5)
    }
    #expect(
      output.lines == [
        "warning no connection", "notice subscribed", "notice subscribed", "notice subscribed",
      ])
  }

  @Test func manyDifferentFaultsAreBoundedAndNoCountIsLost() {
    let (log, output) = makeLog()
    for number in 0..<100 {
      for _ in 0..<2 { log.write(.error, "fault", LogField("n", LogValue(number)), at: 0) }
    }
    log.flush()
    #expect(output.lines.count == 200)
    #expect(output.lines.count { $0.hasSuffix("repeated=1") } == 100)
  }

  @Test func withoutAWindowEveryLineIsWritten() {
    let (log, output) = makeLog(repeatMilliseconds: 0)
    for _ in 0..<3 { log.write(.info, "x", at: 0) }
    #expect(output.lines.count == 3)
  }

  @Test func linesThatCannotBeWrittenAreCounted() {
    let log = Log(threshold: .info, format: .plain) { _ in false }
    log.write(.info, "x", at: 0)
    #expect(log.linesLost == 1)
  }

  @Test func levelsHaveNamesAndAnOrder() {
    #expect(LogLevel.allCases.sorted() == [.debug, .info, .notice, .warning, .error])
    for level in LogLevel.allCases { #expect(LogLevel(name: level.name) == level) }
    #expect(LogLevel(name: "loud") == nil)
  }
}
