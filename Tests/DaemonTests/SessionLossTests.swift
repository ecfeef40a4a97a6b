import Base
import Configuration
import PrivateBroker
import Testing

@testable import Daemon
@testable import Store

/// The broker lost our session: a possible loss, which must be told whatever happens in between.
@Suite struct SessionLossTests {
  /// The connection that found it made a session of its own, so the next one finds that.
  @Test func aLossThatCouldNotBeRecordedIsToldAtTheNextConnection() throws {
    let folder = try TemporaryFolder()
    let state = try StateDirectory(path: folder.path, instance: "main")
    _ = try state.start(instance: "main", at: 10)
    let journal = try Journal(
      configuration: .defaults, store: state.store, poisonGuard: state.poisonGuard)
    #expect(try !journal.connectionOpened(sessionPresent: false, at: 20))
    journal.pairs.append(id: 1, digest: Digest(low: 1, high: 1))
    let other = try Database(path: "\(folder.path)/livecue.db", access: .create)
    try other.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.self) { try journal.connectionOpened(sessionPresent: false, at: 30) }
    other.rollBack()
    #expect(try journal.connectionOpened(sessionPresent: true, at: 40))
    #expect(journal.counters.sessionsLost == 1 && journal.pairs.isEmpty)
    #expect(try !journal.connectionOpened(sessionPresent: true, at: 50))
  }
}
