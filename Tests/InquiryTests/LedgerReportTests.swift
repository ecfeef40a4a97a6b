import Base
import Configuration
import Store
import Testing

@testable import Inquiry

@Suite struct LedgerReportTests {
  private func filled() throws -> FilledStore {
    let filled = try FilledStore()
    try filled.configuration(1000, "{}")
    try filled.message(2000, "[]")
    try filled.gifts("r1", "2024-07-31", "Ann", "rose", 3, 30, row: 1)
    try filled.gifts("r1", "2024-08-01", "Ann", "car", 1, 500, receiver: "Host", row: 1)
    try filled.gifts("r2", "2024-08-01", "Ann", "rose", 2, 8, row: 1)
    try filled.gifts("r2", "2024-08-02", "Bo", "rose", 4, 16, row: 1)
    return filled
  }

  private func report(
    _ filled: FilledStore, _ question: LedgerQuestion = LedgerQuestion(),
    unit: ([UInt8]) -> String? = { _ in nil }
  ) throws -> LedgerReport { try LedgerReport(question, of: try filled.reader(), unit: unit) }

  private func texts(_ entries: [LedgerEntry]) -> [String] {
    entries.map { entry in
      let keys = entry.keys.map { String(decoding: $0, as: UTF8.self) }
      return (keys + ["\(entry.count)", "\(entry.value)", entry.unit]).joined(separator: "|")
    }
  }

  @Test func withoutColumnsEveryLineIsThere() throws {
    let report = try report(try filled())
    #expect(
      texts(report.entries) == [
        "2024-07-31|r1|Ann|rose||3|30|", "2024-08-01|r1|Ann|car|Host|1|500|",
        "2024-08-01|r2|Ann|rose||2|8|", "2024-08-02|r2|Bo|rose||4|16|",
      ])
    #expect(texts(report.totals) == ["10|554|"])
  }

  @Test func valuesOfTwoUnitsAreNeverAddedUp() throws {
    let report = try report(try filled(), LedgerQuestion(columns: [.sender])) {
      $0 == Array("r1".utf8) ? "coin" : "cent"
    }
    #expect(texts(report.entries) == ["Ann|2|8|cent", "Ann|4|530|coin", "Bo|4|16|cent"])
    #expect(texts(report.totals) == ["6|24|cent", "4|530|coin"])
  }

  @Test func aRoomAndARangeOfDaysAreSelected() throws {
    let filled = try filled()
    let one = Array("r2".utf8)
    let room = LedgerQuestion(columns: [.gift, .room], room: one)
    #expect(texts(try report(filled, room).entries) == ["rose|r2|6|24|"])
    let days = LedgerQuestion(columns: [.day], from: Day("2024-08-01"), to: Day("2024-08-01"))
    #expect(texts(try report(filled, days).entries) == ["2024-08-01|3|508|"])
    let nothing = try report(filled, LedgerQuestion(from: Day("2025-01-01")))
    #expect(nothing.entries == [] && nothing.totals == [])
    #expect(nothing.table == "no gifts\n")
  }

  @Test func sumsStayAtTheLargestNumber() throws {
    let filled = try FilledStore()
    try filled.gifts("r1", "2024-07-31", "Ann", "a", 1, .max - 1, row: 0)
    try filled.gifts("r2", "2024-07-31", "Ann", "a", 1, 2, row: 0)
    #expect(texts(try report(filled, LedgerQuestion(columns: [.gift])).entries) == ["a|2|\(Int64.max)|"])
  }

  @Test func howFarItGoesIsTold() throws {
    let filled = try filled()
    #expect(
      try report(filled).reach
        == LedgerReach(row: 1, instant: 1000, lastRow: 2, isWhole: false, isBackup: false))
    #expect(try report(filled).reachSentence.hasPrefix("complete to row 1 (1970-01-01T00:00:01.000Z) of 2: "))
    try filled.store.stopCleanly()
    #expect(try report(filled).reachSentence.hasPrefix("complete: row 2 (1970-01-01T00:00:02.000Z)"))
  }

  @Test func theTableIsAlignedAndObeysNobody() throws {
    let filled = try FilledStore()
    try filled.gifts("r1", "2024-07-31", "\u{1B}[2J安", "rose", 3, 30, row: 0)
    try filled.gifts("r1", "2024-07-31", "Bo", "rose", 12, 5, row: 0)
    let table = try report(filled, LedgerQuestion(columns: [.sender])) { _ in "coin" }.table
    #expect(
      table == """
        sender  count  value  unit
        ------  -----  -----  ----
        ·[2J安      3     30  coin
        Bo         12      5  coin
        ------  -----  -----  ----
        total      15     35  coin

        """)
  }

  @Test func aProgramReadsCSV() throws {
    let filled = try FilledStore()
    try filled.gifts("r1", "2024-07-31", "a \"b\", c", "x\ny", 1, 2, row: 0)
    let csv = try report(filled, LedgerQuestion(columns: [.sender, .gift])) { _ in "a,b" }.csv
    #expect(
      String(decoding: csv, as: UTF8.self)
        == "sender,gift,count,value,unit\r\n\"a \"\"b\"\", c\",\"x\ny\",1,2,\"a,b\"\r\n")
  }

  @Test func aProgramReadsJSON() throws {
    let json = try report(try filled(), LedgerQuestion(columns: [.sender])) { _ in "c\"" }.json
    #expect(
      String(decoding: json, as: UTF8.self) == #"""
        {"completeToRow":1,"completeTo":1000,"lastRow":2,"isWhole":false,"isBackup":false,"entries":[
        {"sender":"Ann","count":6,"value":538,"unit":"c\""},
        {"sender":"Bo","count":4,"value":16,"unit":"c\""}],"totals":[
        {"count":10,"value":554,"unit":"c\""}]}

        """#)
  }

  @Test func theConfigurationInForceIsFoundInJournalAndSnapshot() throws {
    let filled = try FilledStore()
    #expect(try Configuration.inForce(in: try filled.reader()) == nil)
    try filled.configuration(1000, "ledger: {priceUnit: coin}")
    try filled.configuration(2000, "rooms: {r1: {ledger: {priceUnit: cent}}}")
    let read = try #require(try Configuration.inForce(in: try filled.reader()))
    #expect(read.priceUnit(forRoom: Array("r1".utf8)) == "cent")
    #expect(read.priceUnit(forRoom: Array("r2".utf8)) == nil)
  }
}
