import Base
import Testing

@testable import Store

@Suite struct LedgerTests {
  private func filled(_ scratch: Scratch) throws -> SQLiteStore {
    let store = try scratch.open()
    try store.commit(
      .with {
        $0.completedRow = 0
        $0.ledger("r1", 10, "ann", "rose", "", 2, 20)
        $0.ledger("r1", 10, "ann", "rose", "host", 1, 10)
        $0.ledger("r1", 11, "bo", "rose", "", 5, 50)
        $0.ledger("r2", 11, "ann", "car", "", 1, 1000)
      })
    try store.commit(
      .with {
        $0.completedRow = 0
        $0.ledger("r1", 10, "ann", "rose", "", 3, 30)
      })
    return store
  }

  @Test func deltasAddUp() throws {
    let store = try filled(Scratch())
    #expect(
      try store.ledgerLines() == [
        "10 r1 ann rose  5 50", "10 r1 ann rose host 1 10", "11 r1 bo rose  5 50", "11 r2 ann car  1 1000",
      ])
  }

  @Test func linesAreGroupedAndFiltered() throws {
    let scratch = try Scratch()
    let store = try filled(scratch)
    #expect(try store.ledgerLines(by: .sender) == ["0  ann   7 1060", "0  bo   5 50"])
    #expect(
      try store.ledgerLines(by: [.room, .sender]) == [
        "0 r1 ann   6 60", "0 r1 bo   5 50", "0 r2 ann   1 1000",
      ])
    #expect(try store.ledgerLines(by: .gift) == ["0   car  1 1000", "0   rose  11 110"])
    #expect(try store.ledgerLines(by: .room) == ["0 r1    11 110", "0 r2    1 1000"])
    #expect(try store.ledgerLines(by: []) == ["0     12 1110"])
    let room = LedgerFilter(room: utf8("r1"))
    #expect(try store.ledgerLines(by: .sender, room) == ["0  ann   6 60", "0  bo   5 50"])
    #expect(
      try store.ledgerLines(by: .room, LedgerFilter(firstDay: 11)) == ["0 r1    5 50", "0 r2    1 1000"])
    #expect(try store.ledgerLines(by: .day, LedgerFilter(lastDay: 10)) == ["10     6 60"])
    #expect(try store.ledgerLines(by: [], LedgerFilter(room: utf8("none"))) == [])
    #expect(try SQLiteStore(reading: scratch.file).ledgerLines(by: .day) == ["10     6 60", "11     6 1050"])
  }

  @Test func sumsSaturate() throws {
    let store = try Scratch().open()
    let large = Int64.max - 10
    for value in [large, 5, 100] {
      try store.commit(
        .with {
          $0.completedRow = 0
          $0.ledger("r", 1, "ann", "rose", "", 1, value)
          $0.ledger("r", 1, "bo", "rose", "", 1, value)
        })
    }
    #expect(try store.ledgerLines() == ["1 r ann rose  3 \(Int64.max)", "1 r bo rose  3 \(Int64.max)"])
    #expect(try store.ledgerLines(by: .room) == ["0 r    6 \(Int64.max)"])
  }

  @Test func oldDaysLeaveInPieces() throws {
    let store = try Scratch().open()
    try store.commit(
      .with { turn in
        turn.completedRow = 0
        for day in 0..<10 { for sender in 0..<10 { turn.ledger("r", Int32(day), "s\(sender)", "g", "", 1) } }
      })
    while try store.tidy(TidyPlan()) {}
    var calls = 0
    while try store.tidy(TidyPlan(ledgerFromDay: 5, limit: 7)) { calls += 1 }
    #expect(calls == 7)
    #expect(try store.ledgerLines(by: .day).map { $0.prefix(2) } == ["5 ", "6 ", "7 ", "8 ", "9 "])
    #expect(try store.ledgerLines(by: []) == ["0     50 0"])
  }

  @Test func textsAreKeptByteForByte() throws {
    let store = try Scratch().open()
    let names: [[UInt8]] = [[0], [], [0, 0], [0xff, 0xfe], utf8("\u{1F339}"), utf8("a\0b"), utf8("a")]
    for name in names {
      var turn = TurnRecord()
      turn.completedRow = 0
      turn.addLedger(
        room: name.span, day: 1, sender: name.span, gift: name.span, receiver: name.span, count: 1, value: 0)
      turn.addMessage(
        at: 1, topic: name.span, payload: name.span, messageID: 1,
        digest: Digest(topic: name.span, payload: name.span), properties: name.span)
      for _ in 0..<2 { try store.commit(turn) }
    }
    var seen: [[UInt8]] = []
    try store.forEachLedgerLine(by: .all, LedgerFilter()) { line in
      seen.append(Array(line.bytes[line.sender.range]))
      #expect(line.count == 2 && line.bytes[line.room.range] == line.bytes[line.receiver.range])
      return true
    }
    #expect(seen == names.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(try store.rows().count == 14)
    try store.commit(.with { $0.finish(14) })
    while try store.tidy(TidyPlan()) {}
    #expect(store.state.journalBytes == 0)
  }

  @Test func positionsAreReplacedAndForgottenBehindASnapshot() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(
      .with {
        $0.position("cue/b/gift/0", 100, 1)
        $0.position("cue/a/gift/0", 100, 7)
        $0.position("cue/a/gift/0", 100, 8)
      })
    #expect(try store.positions() == ["cue/a/gift/0 100 8", "cue/b/gift/0 100 1"])
    try store.commit(
      .with {
        $0.message(1, "a")
        $0.position("cue/a/gift/0", 200, 1)
      })
    try store.commit(.with { $0.position("cue/c/gift/0", 100, 1) })
    #expect(
      try store.positions() == ["cue/a/gift/0 200 1", "cue/b/gift/0 100 1", "cue/c/gift/0 100 1"])
    // What was confirmed when the snapshot's row was there may still be said again, by a timer after it.
    try store.commit(.with { $0.finish(1) })
    while try store.tidy(TidyPlan(limit: 1)) {}
    #expect(try store.positions() == ["cue/a/gift/0 200 1", "cue/c/gift/0 100 1"])
    try store.commit(.with { $0.message(2, "b") })
    try store.commit(.with { $0.position("cue/c/gift/0", 100, 2) })
    try store.commit(.with { $0.finish(2) })
    while try store.tidy(TidyPlan(limit: 1)) {}
    #expect(try store.positions() == ["cue/c/gift/0 100 2"])
  }
}
