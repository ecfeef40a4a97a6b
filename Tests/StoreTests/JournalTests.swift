import Base
import Testing

@testable import Store

@Suite struct JournalTests {
  @Test func aTurnIsReadBackInOrder() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    let turn = TurnRecord.with {
      $0.message(10, "[1]", topic: "im/r1/gift", messageID: 5, properties: "p")
      $0.addConfiguration(at: 11, canonical: utf8("rooms: {}").span)
      $0.addAway(AwaySpan(from: -3, to: 12))
      $0.addSessionLost(at: 13)
      $0.message(13, "", topic: "im/r2/like", messageID: 0)
    }
    #expect(try store.commit(turn) == 1..<6)
    let rows = try store.rows()
    #expect(rows.map(\.id) == [1, 2, 3, 4, 5])
    #expect(rows.map(\.at) == [10, 11, 12, 13, 13])
    #expect(rows.map(\.kind) == [.message, .configuration, .away, .sessionLost, .message])
    #expect(rows.map(\.messageID) == [5, 0, 0, 0, 0])
    #expect(rows.map(\.topic) == ["im/r1/gift", "", "", "", "im/r2/like"])
    #expect(rows[0].payload == "[1]" && rows[0].properties == "p" && rows[1].payload == "rooms: {}")
    #expect(try store.rows(after: 3).map(\.id) == [4, 5])
    #expect(try store.rows(after: 5) == [])
    var span: AwaySpan?
    try store.forEachRow(after: 2, includingPoison: false) { (row, _, payload, _) in
      span = AwaySpan(payload: payload)
      #expect(row.engineVersion == 3)
      return false
    }
    #expect(span == AwaySpan(from: -3, to: 12))
  }

  @Test func anEmptyTurnWritesNothing() throws {
    let store = try Scratch().open()
    let before = store.state
    #expect(try store.commit(TurnRecord()) == 1..<1)
    #expect(store.state == before)
  }

  @Test func theLeaseNeverGoesBack() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    for lease: Instant in [1000, 500] { try store.commit(.with { $0.lease = lease }) }
    #expect(store.state.lease == 1000)
    try store.refresh()
    #expect(store.state.lease == 1000)
  }

  @Test func aReusedRecordKeepsItsMemory() throws {
    var turn = TurnRecord()
    func fill() {
      for number in 0..<50 { turn.message(Instant(number), "payload \(number)") }
      turn.ledger("r", 1, "s", "g", "", 1)
      turn.position("t", 1, 1)
      turn.chunk("r", 1, "content")
    }
    fill()
    let capacities = [turn.rows.capacity, turn.rowBytes.capacity, turn.bytes.capacity]
    for _ in 0..<3 {
      turn.removeAll()
      #expect(turn.isEmpty)
      fill()
    }
    #expect([turn.rows.capacity, turn.rowBytes.capacity, turn.bytes.capacity] == capacities)
  }

  @Test func afterAFailedCommitTheRestOfTheTurnStays() throws {
    let store = try Scratch().open()
    try store.commit(.with { $0.message(1, "a") })
    var turn = TurnRecord.with {
      $0.message(2, "b")
      $0.completedRow = 1
      $0.ledger("r", 1, "s", "g", "", 4)
    }
    turn.removeRows()
    try store.commit(turn)
    #expect(try store.rows().map(\.payload) == ["a"])
    #expect(try store.ledgerLines() == ["1 r s g  4 0"])
    #expect(store.state.completedRow == 1)
  }

  @Test func theSizeOfTheJournalIsKnownWithoutCounting() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(.with { $0.message(1, "12345", topic: "abc", properties: "xy") })
    try store.commit(.with { $0.message(2, "1", topic: "ü") })
    #expect(store.state.journalBytes == 40 + 10 + 40 + 3)
    #expect(store.state.journalRows == 2 && store.state.firstRow == 1)
    try store.commit(.with { $0.finish(1, "h") })
    while try store.tidy(TidyPlan()) {}
    #expect(store.state.journalBytes == 40 + 3)
    #expect(store.state.journalRows == 1 && store.state.firstRow == 2)
  }

  @Test func rowsLongerThanAPageAndManyPiecesAreRead() throws {
    let store = try Scratch().open()
    let long = String(repeating: "é", count: 200_000)
    try store.commit(.with { $0.message(0, long) })
    for turn in 0..<9 {
      try store.commit(
        .with { record in for row in 0..<500 { record.message(1, "\(turn * 500 + row)") } })
    }
    let rows = try store.rows()
    #expect(rows.count == 4501)
    #expect(rows[0].payload == long)
    #expect(rows.dropFirst().map(\.payload) == (0..<4500).map { "\($0)" })
    var count = 0
    try store.forEachRow(after: 0, includingPoison: false) { (_, _, _, _) in
      count += 1
      return count < 3
    }
    #expect(count == 3)
  }

  @Test func poisonIsSkippedKeptAndListed() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(.with { turn in for number in 1...5 { turn.message(Instant(number), "p\(number)") } })
    #expect(try store.flagPoison(row: 3))
    #expect(try !store.flagPoison(row: 3))
    #expect(try !store.flagPoison(row: 9))
    #expect(try store.rows().map(\.id) == [1, 2, 4, 5])
    #expect(try store.rows(includingPoison: true).map(\.id) == [1, 2, 3, 4, 5])
    try store.commit(.with { $0.finish(5) })
    while try store.tidy(TidyPlan()) {}
    #expect(store.state.journalRows == 0 && store.state.firstRow == 6)
    #expect(try store.poisonRows().map(\.payload) == ["p3"])
  }

  @Test func onlySoManyPoisonRowsAreKept() throws {
    let store = try Scratch().open()
    let limit = SQLiteStore.maxPoisonRows
    try store.commit(.with { turn in for number in 0..<limit + 3 { turn.message(1, "p\(number)") } })
    for row in 1...limit + 3 { try store.flagPoison(row: Int64(row)) }
    let kept = try store.poisonRows()
    #expect(kept.count == limit && kept.first?.id == 4)
  }

  @Test func aJournalThatWasCutSaysSo() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(.with { turn in for number in 1...10 { turn.message(Instant(number), "p") } })
    try store.commit(.with { $0.finish(6) })
    while try store.tidy(TidyPlan(limit: 2)) {}
    #expect(storeError { _ = try store.rows(after: 3) } == .journalCut(after: 3, first: 7))
    #expect(try store.rows(after: 6).map(\.id) == [7, 8, 9, 10])
    try store.commit(.with { $0.finish(10) })
    while try store.tidy(TidyPlan()) {}
    #expect(storeError { _ = try store.rows(after: 3) } == .journalCut(after: 3, first: 11))
    #expect(try store.rows(after: 10) == [])
    #expect(try store.commit(.with { $0.message(11, "next") }) == 11..<12)
  }

  @Test func keptHoursHoldRowsBehindTheSnapshot() throws {
    let store = try Scratch().open()
    try store.commit(.with { turn in for number in 1...10 { turn.message(Instant(number), "p") } })
    #expect(try !store.tidy(TidyPlan()) && store.state.firstRow == 1)
    try store.commit(.with { $0.finish(8) })
    while try store.tidy(TidyPlan(journalFrom: nil)) {}
    #expect(store.state.firstRow == 1)
    while try store.tidy(TidyPlan(journalFrom: 5)) {}
    #expect(store.state.firstRow == 5)
    while try store.tidy(TidyPlan(journalFrom: 100)) {}
    #expect(store.state.firstRow == 9)
  }

  @Test func aCutIsDoneInBoundedPieces() throws {
    let store = try Scratch().open()
    let payload = String(repeating: "x", count: 1 << 20)
    try store.commit(.with { turn in for _ in 0..<10 { turn.message(1, payload) } })
    try store.commit(.with { $0.finish(10) })
    _ = try store.tidy(TidyPlan())
    #expect(store.state.journalRows == 6)
    #expect(try store.tidy(TidyPlan()))
    #expect(store.state.journalRows == 2)
  }

  @Test func aDamagedRowIsFoundByItsDigest() throws {
    let store = try Scratch().open()
    try store.commit(.with { turn in for number in 1...3 { turn.message(1, "p\(number)") } })
    try store.database.execute("UPDATE journal SET payload = CAST('pX' AS BLOB) WHERE id = 2")
    var seen: [Int64] = []
    let error = storeError {
      try store.forEachRow(after: 0, includingPoison: false) { (row, _, _, _) in
        seen.append(row.id)
        return true
      }
    }
    guard case .corrupt(let fault) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(fault.message == "the digest of row 2 does not match")
    #expect(seen == [1])
  }

  @Test func digestsKeepTopicAndPayloadApart() {
    #expect(digest("ab", "c") != digest("a", "bc"))
    #expect(digest("", "") != digest("", "\0"))
    #expect(digest("t", String(repeating: "\0", count: 8)) != digest("t", String(repeating: "\0", count: 16)))
    // Written to stores: it never changes.
    #expect(
      digest("im/r1/gift", "[{\"type\":\"gift\"}]")
        == Digest(low: 1_610_129_315_886_608_146, high: 15_698_275_543_956_187_955))
  }
}
