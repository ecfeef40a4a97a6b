import Testing

@testable import Store

@Suite struct SnapshotTests {
  @Test func aSnapshotIsValidWithItsLastPart() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    for number in 1...4 { try store.commit(.with { $0.message(Int64(number), "m") }) }
    #expect(try store.snapshot() == [])
    try store.commit(.with { $0.chunk("b", 4, "B1") })
    try store.commit(.with { $0.chunk("a", 4, "A1") })
    #expect(try store.snapshot() == [] && store.state.snapshotRow == nil)
    try store.commit(.with { $0.finish(4, "one") })
    let first = ["4", "header one", "a 4 A1", "b 4 B1"]
    #expect(try store.snapshot() == first && store.state.snapshotRow == 4)
    try store.commit(.with { $0.message(5, "m") })
    try store.commit(
      .with {
        $0.chunk("a", 5, "A2")
        $0.chunk("c", 5, "C2")
      })
    try store.commit(.with { $0.chunk("a", 5, "A3") })
    #expect(try store.snapshot() == first)
    try store.commit(
      .with {
        $0.leave("b", 5)
        $0.finish(5, "two")
      })
    let second = ["5", "header two", "a 5 A3", "c 5 C2"]
    #expect(try store.snapshot() == second)
    #expect(try store.sizes().chunks == 7)
    while try store.tidy(TidyPlan(limit: 1)) { #expect(try store.snapshot() == second) }
    #expect(try store.snapshot() == second)
    #expect(try store.sizes().chunks == 3)
    #expect(try SQLiteStore(reading: scratch.file).snapshot() == second)
  }

  @Test func roomsWithoutAChangeKeepTheirPart() throws {
    let store = try Scratch().open()
    try store.commit(
      .with {
        $0.chunk("a", 0, "A")
        $0.chunk("b", 0, "B")
        $0.finish(0)
      })
    for number in 1...5 {
      try store.commit(.with { $0.message(1, "m") })
      try store.commit(
        .with {
          $0.chunk("b", Int64(number), "B\(number)")
          $0.finish(Int64(number))
        })
    }
    while try store.tidy(TidyPlan()) {}
    #expect(try store.snapshot() == ["5", "header ", "a 0 A", "b 5 B5"])
  }

  @Test func anUnfinishedSnapshotIsDroppedAtTheNextStart() throws {
    let scratch = try Scratch()
    do {
      let store = try scratch.open()
      try store.commit(
        .with {
          $0.chunk("a", 0, "A")
          $0.finish(0, "h")
        })
      try store.commit(.with { $0.chunk("a", 0, "unfinished") })
      try store.commit(.with { $0.chunk("b", 0, "unfinished") })
    }
    let store = try scratch.open()
    try store.commit(.with { $0.finish(0, "h2") })
    #expect(try store.snapshot() == ["0", "header h2", "a 0 A"])
    try store.commit(.with { $0.chunk("c", 0, "C") })
    try store.abandonSnapshot()
    try store.commit(.with { $0.finish(0, "h3") })
    #expect(try store.snapshot() == ["0", "header h3", "a 0 A"])
  }

  @Test func aRoomThatLeftAndCameBackInOneSnapshotIsThere() throws {
    let store = try Scratch().open()
    try store.commit(
      .with {
        $0.chunk("a", 0, "A")
        $0.leave("a", 0)
        $0.chunk("a", 0, "again")
        $0.chunk("b", 0, "B")
        $0.leave("b", 0)
        $0.finish(0)
      })
    #expect(try store.snapshot() == ["0", "header ", "a 0 again"])
  }

  @Test(arguments: ["content = x'00'", "at_row = 1", "checksum = checksum + 1"])
  func damageIsFound(change: String) throws {
    let store = try Scratch().open()
    try store.commit(
      .with {
        $0.chunk("a", 0, "A")
        $0.finish(0, "h")
      })
    try store.database.execute("UPDATE chunk SET \(change) WHERE room = 'a'")
    guard case .corrupt = storeError({ _ = try store.snapshot() }) else {
      Issue.record("not found")
      return
    }
  }

  @Test func theQueryWalksTheIndex() throws {
    let store = try Scratch().open()
    let plan = try store.database.prepare(
      """
      EXPLAIN QUERY PLAN SELECT c.room, c.at_row, c.checksum, c.content, s.snapshot_row FROM state s, chunk c
      WHERE c.generation = (
        SELECT max(n.generation) FROM chunk n WHERE n.room = c.room AND n.generation <= s.snapshot_generation)
        AND NOT c.gone
      ORDER BY c.room
      """)
    var lines: [String] = []
    while try plan.step() { lines.append(plan.text(3)) }
    // A sort would hold every room's state in memory at once.
    #expect(!lines.contains { $0.contains("TEMP B-TREE") }, "\(lines)")
  }
}
