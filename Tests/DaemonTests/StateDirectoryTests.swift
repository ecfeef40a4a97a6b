import Base
import EventLoop
import Glibc
import PrivateBroker
import Store
import Testing

@testable import Daemon

/// When a start must number the commands anew, since it may say other words than were said.
@Suite struct StateDirectoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ durability: Durability = .power, newEpoch: Bool = false) throws -> StateDirectory {
    try StateDirectory(path: folder.path, instance: "main", durability: durability, newEpoch: newEpoch)
  }

  /// A run with a row, which ends as if it were killed unless it is stopped.
  private func run(_ durability: Durability = .power, bootID: String? = nil, stops: Bool = false) throws {
    let state = try open(durability)
    if let bootID {
      try state.store.start(instance: "main", bootID: bootID, engineVersion: 1)
    } else {
      _ = try state.start(instance: "main", at: 10)
    }
    var turn = TurnRecord()
    turn.addSessionLost(at: 20)
    turn.lease = 1020
    try state.store.commit(turn)
    if stops { try state.store.stopCleanly() }
  }

  @Test func aFreshStoreAndAKilledOneGoOnInTheirEpochs() throws {
    #expect(try open().start(instance: "main", at: 10) == nil)
    try run()
    #expect(try open().start(instance: "main", at: 30) == nil)
  }

  @Test func aNewEpochThatIsAskedForIsARow() throws {
    try run()
    let state = try open(newEpoch: true)
    #expect(try state.start(instance: "main", at: 2000) == .requested)
    var rows: [String] = []
    try state.store.forEachRow(after: 0, includingPoison: true) { row, _, payload, _ in
      rows.append("\(row.kind) \(row.at) \(Instant(epochPayload: payload) ?? 0)")
      return true
    }
    #expect(rows == ["sessionLost 20 0", "epoch 1020 2000"])
  }

  @Test func aRestoredBackupBeginsANewEpochOnce() throws {
    try run()
    let backup = "\(folder.path)/backup"
    do { try open().store.backUp(to: backup) }
    let restored = try TemporaryFolder()
    try #require(unsafe rename(backup, "\(restored.path)/livecue.db") == 0)
    func start() throws -> EpochReason? {
      try StateDirectory(path: restored.path, instance: "main").start(instance: "main", at: 2000)
    }
    #expect(try start() == .backup)
    #expect(try start() == nil)
  }

  @Test(arguments: [
    // What the last run's commits survived, whether the machine went down since, whether it stopped cleanly.
    (Durability.process, true, false, EpochReason?.some(.powerLoss)), (.process, true, true, nil),
    (.process, false, false, nil), (.power, true, false, nil),
  ])
  func aPowerLossIsANewEpochIfCommitsDoNotSurviveIt(
    durability: Durability, rebooted: Bool, stopped: Bool, reason: EpochReason?
  ) throws {
    try run(durability, bootID: rebooted ? "another boot" : nil, stops: stopped)
    #expect(try open(.power).start(instance: "main", at: 2000) == reason)
  }

  /// Timers make commands without a row.
  @Test func aStoreThatLostTimeThatHadPassedBeginsANewEpochOnce() throws {
    try run()
    do { try open().poisonGuard.leased(until: 1020) }
    #expect(try open().start(instance: "main", at: 2000) == nil)
    do { try open().poisonGuard.leased(until: 1021) }
    do {
      let state = try open()
      #expect(state.lease == 1021)
      #expect(try state.start(instance: "main", at: 2000) == .lostEnd)
    }
    #expect(try open().start(instance: "main", at: 2000) == nil)
  }

  @Test func aStoreThatLostRowsThatWereHandledBeginsANewEpochOnce() throws {
    try run()
    do { try open().poisonGuard.begin(row: 5, digest: Digest(low: 1, high: 2)) }
    #expect(try open().start(instance: "main", at: 2000) == .lostEnd)
    #expect(try open().start(instance: "main", at: 2000) == nil)
  }
}
