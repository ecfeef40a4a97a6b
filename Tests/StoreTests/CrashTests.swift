import Simulation
import Testing

@testable import Store

@Suite struct CrashTests {
  /// Kills a process in the middle of its commits, again and again on the same store.
  @Test func aKilledProcessLeavesCompleteTurnsOnly() throws {
    let seed = SplitMix.seed()
    var random = SplitMix(seed: seed)
    let scratch = try Scratch()
    var last: Int64 = 0
    for kill in 0..<12 {
      let child = try Probe("commit", scratch.directory, "\(random.next() >> 1)")
      let output = child.kill(afterBytes: Int.random(in: 1...600, using: &random))
      #expect(!output.contains("error"), "seed \(seed): \(output)")
      // A number that was cut off by the death of its writer does not count.
      let printed = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      last = printed.last.flatMap { Int64($0) } ?? last
      try check(scratch, printed: last, "repeat with LIVECUE_SEED=\(seed), kill \(kill)")
    }
    #expect(last > 0)
  }

  private func check(_ scratch: Scratch, printed: Int64, _ comment: Comment) throws {
    // As a reader first: what a tool sees of a store that nobody has repaired.
    let reader = try SQLiteStore(reading: scratch.file)
    try check(reader, printed: printed, comment)
    let store = try scratch.open(start: false)
    try check(store, printed: printed, comment)
    let state = try store.database.prepare("PRAGMA integrity_check")
    #expect(try state.step() && state.text(0) == "ok", comment)
  }

  private func check(_ store: SQLiteStore, printed: Int64, _ comment: Comment) throws {
    let positions = try store.positions()
    let number = positions.first.flatMap { Int64($0.split(separator: " ")[2]) } ?? 0
    #expect(number >= printed, comment)
    guard number > 0 else { return }
    let state = store.state
    let rows = try store.rows(after: state.firstRow - 1)
    #expect(Int64(rows.count) == state.journalRows && rows.last?.id == state.lastRow, comment)
    // "turn row rows …": every turn after the first, which may be cut, has all its rows.
    let places = rows.map { $0.payload.split(separator: " ").prefix(3).compactMap { Int64($0) } }
    for (place, next) in zip(places, places.dropFirst()) {
      let follows = next[0] == place[0] ? next[1] == place[1] + 1 : place[1] + 1 == place[2] && next[1] == 0
      #expect(follows, comment)
    }
    if let end = places.last { #expect(end[0] == number && end[1] + 1 == end[2], comment) }
    #expect(state.completedRow == state.lastRow - (1 + number % 7), comment)
    #expect(state.lease == number + 1000, comment)
    #expect(try store.ledgerLines(by: []).first ?? "0     0 0" == "0     \(state.completedRow) 0", comment)
    #expect(try store.pairs(1).first?.messageID == UInt16(1 + number % 60_000), comment)
    let snapshot = try store.snapshot()
    if let row = state.snapshotRow {
      #expect(snapshot[0] == "\(row)" && snapshot[1] == "header header \(row)", comment)
      #expect(state.firstRow <= row + 1, comment)
    } else {
      #expect(snapshot.isEmpty, comment)
    }
  }
}
