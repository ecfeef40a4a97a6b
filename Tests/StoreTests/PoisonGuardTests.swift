import Foundation
import Testing

@testable import Store

@Suite struct PoisonGuardTests {
  private let first = Digest(low: 1, high: 2)
  private let second = Digest(low: 3, high: 4)

  /// What the file says to the next run when this one ends now.
  private func reopened(_ scratch: Scratch) throws -> [PoisonGuard.Suspect] {
    try PoisonGuard(directory: scratch.directory).suspects
  }

  @Test func aRowInHandIsASuspectAfterwards() throws {
    let scratch = try Scratch()
    let guarded = try PoisonGuard(directory: scratch.directory)
    #expect(guarded.suspects == [])
    guarded.begin(row: 5, digest: first)
    guarded.end()
    #expect(try reopened(scratch) == [])
    guarded.begin(row: 6, digest: second)
    #expect(try reopened(scratch) == [.init(row: 6, digest: second, attempts: 1)])
  }

  @Test func attemptsAreCountedThroughAReplayOfEarlierRows() throws {
    let scratch = try Scratch()
    try PoisonGuard(directory: scratch.directory).begin(row: 6, digest: second)
    let replay = try PoisonGuard(directory: scratch.directory)
    replay.begin(row: 5, digest: first)
    replay.end()
    replay.begin(row: 6, digest: second)
    #expect(try reopened(scratch) == [.init(row: 6, digest: second, attempts: 2)])
  }

  @Test func aSuspectThatIsHandledIsNoneAnyMore() throws {
    let scratch = try Scratch()
    try PoisonGuard(directory: scratch.directory).begin(row: 6, digest: second)
    let replay = try PoisonGuard(directory: scratch.directory)
    replay.begin(row: 6, digest: second)
    replay.end()
    #expect(replay.suspects == [])
    #expect(try reopened(scratch) == [])
  }

  @Test func severalRowsCanBeSuspectsAndTheOldestLeaves() throws {
    let scratch = try Scratch()
    for row in 1...PoisonGuard.maxSuspects + 2 {
      try PoisonGuard(directory: scratch.directory).begin(row: Int64(row), digest: first)
    }
    let rows = try reopened(scratch).map(\.row)
    #expect(rows == (3...Int64(PoisonGuard.maxSuspects + 2)).map { $0 })
  }

  @Test func twoDeathsMakeARowPoison() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(.with { turn in for number in 1...3 { turn.message(1, "p\(number)") } })
    let digests = try (1...3).map { try #require(try store.digest(ofRow: $0)) }
    for attempt in 1...2 {
      let guarded = try PoisonGuard(directory: scratch.directory)
      #expect(try store.quarantine(suspectsOf: guarded) == [], "attempt \(attempt)")
      guarded.begin(row: 1, digest: digests[0])
      guarded.end()
      guarded.begin(row: 2, digest: digests[1])
    }
    let guarded = try PoisonGuard(directory: scratch.directory)
    #expect(try store.quarantine(suspectsOf: guarded) == [2])
    #expect(guarded.suspects == [])
    #expect(try store.rows().map(\.id) == [1, 3])
    #expect(try store.quarantine(suspectsOf: PoisonGuard(directory: scratch.directory)) == [])
  }

  @Test func aRowOfAnotherJournalIsNotFlagged() throws {
    let scratch = try Scratch()
    let store = try scratch.open()
    try store.commit(.with { $0.message(1, "innocent") })
    for _ in 0..<2 { try PoisonGuard(directory: scratch.directory).begin(row: 1, digest: first) }
    let guarded = try PoisonGuard(directory: scratch.directory)
    #expect(try store.quarantine(suspectsOf: guarded) == [])
    #expect(guarded.suspects == [])
    #expect(try store.rows().count == 1)
  }

  @Test func aFileOfSomethingElseIsStartedOver() throws {
    let scratch = try Scratch()
    let noise = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) })
    #expect(FileManager.default.createFile(atPath: scratch.directory + "/livecue.guard", contents: noise))
    #expect(try reopened(scratch) == [])
  }
}
