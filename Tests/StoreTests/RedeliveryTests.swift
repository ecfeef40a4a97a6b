import Testing

@testable import Store

@Suite struct RedeliveryTests {
  @Test func pairsComeFromMessagesWithAnID() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(
      .with {
        $0.message(1, "a", messageID: 1)
        $0.message(1, "b", messageID: 0)
        $0.addConfiguration(at: 1, canonical: utf8("c").span)
        $0.message(1, "d", messageID: 65_535)
      })
    try store.commit(.with { $0.message(2, "e", messageID: 2) })
    let expected = [
      SeenPair(messageID: 1, digest: digest("im/r1/gift", "a")),
      SeenPair(messageID: 65_535, digest: digest("im/r1/gift", "d")),
      SeenPair(messageID: 2, digest: digest("im/r1/gift", "e")),
    ]
    #expect(try store.pairs() == expected)
    #expect(try store.pairs(2) == Array(expected.dropFirst()))
    #expect(try SQLiteStore(reading: scratch.file).pairs() == expected)
  }

  @Test func theLastPairsAreKeptHoweverTheJournalIsCut() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    for turn in 0..<75 {
      try store.commit(
        .with { record in
          for row in 0..<1000 { record.message(1, "p", messageID: UInt16(1 + (turn * 1000 + row) % 65_535)) }
        })
    }
    try store.commit(.with { $0.finish(75_000) })
    while try store.tidy(TidyPlan(limit: 20_000)) {}
    let pairs = try store.pairs()
    #expect(pairs.count == 65_535)
    #expect(pairs.first?.messageID == UInt16(1 + (75_000 - 65_535) % 65_535))
    #expect(pairs.last?.messageID == UInt16(1 + 74_999 % 65_535))
    let blobs = try store.database.integer("SELECT sum(length(pairs)) / 18 FROM redelivery")
    #expect(blobs < 65_535 + 4096 + 1000)
  }

  @Test func aLostSessionForgetsEarlierPairsOnly() throws {
    let store = try Scratch().open()
    try store.commit(.with { $0.message(1, "a", messageID: 1) })
    try store.commit(
      .with {
        $0.message(2, "b", messageID: 2)
        $0.addSessionLost(at: 3)
        $0.message(3, "c", messageID: 3)
      })
    #expect(try store.pairs().map(\.messageID) == [3])
    try store.forgetRedelivery()
    #expect(try store.pairs() == [])
    try store.commit(.with { $0.message(4, "d", messageID: 4) })
    #expect(try store.pairs().map(\.messageID) == [4])
  }
}
