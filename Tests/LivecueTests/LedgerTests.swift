import Base
import Glibc
import PrivateBroker
import Store
import TestSupport
import Testing

/// `livecue ledger` and `livecue backup` over the store of a daemon that runs, has stopped, or was copied.
@Suite struct LedgerTests {
  private static let settings = """
    state: {directory: state, dayOffsetMinutes: 480}
    ledger: {priceUnit: coin}
    rooms: {r2: {ledger: {priceUnit: cent}}}
    gift: {showMs: 1, stepMs: 1, holdMs: 10, holdBusyMs: 5, hideMs: 1}
    """

  /// A daemon that serves on a broker of its own, in a folder with `livecue.yaml`.
  static func serve(
    _ settings: String, _ options: [String] = [], in folder: TemporaryFolder? = nil
  ) throws -> (PrivateBroker, Livecue) {
    let broker = try PrivateBroker()
    let folder = try folder ?? TemporaryFolder()
    try folder.write("broker: {host: 127.0.0.1, port: \(broker.port)}\n\(settings)\n", to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"] + options, in: folder)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    return (broker, daemon)
  }

  private func send(_ broker: PrivateBroker, _ words: String...) throws {
    let outcome = try Livecue.run(["send", "gift", "--broker", "127.0.0.1:\(broker.port)"] + words)
    try #require(outcome.code == 0, "\(outcome.errors)")
  }

  /// The lines of a CSV page after its head.
  private func lines(_ folder: TemporaryFolder, _ words: String...) throws -> [String] {
    // Of its own folder: both write their output there.
    let outcome = try Livecue.run(["ledger", "--csv"] + words.map { $0.replacing("@", with: folder.path) })
    #expect(outcome.code == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\r\n").dropFirst().map(String.init)
  }

  @Test func theLedgerIsReadWhileTheDaemonRunsAndAfterwards() throws {
    let (broker, daemon) = try Self.serve(Self.settings)
    let folder = daemon.folder
    try send(broker, "--room", "r1", "--sender", "Ann", "--gift", "rose", "--count", "3", "--price", "10")
    try send(broker, "--room", "r2", "--sender", "Ann", "--gift", "rose", "--price", "7", "--times", "2")
    let wanted = ["Ann,2,14,cent", "Ann,3,30,coin"]
    // It lags a tenth of a second behind.
    var found: [String] = []
    let deadline = Livecue.now + 10_000
    while found != wanted, Livecue.now < deadline {
      found = try lines(folder, "--config", "@/livecue.yaml", "--by", "sender")
    }
    #expect(found == wanted)
    // Without the file the configuration is the journal's own.
    #expect(try lines(folder, "--state", "@/state", "--by", "sender") == wanted)
    #expect(try lines(folder, "--state", "@/state", "--by", "gift", "--room", "r2") == ["rose,2,14,cent"])
    #expect(try lines(folder, "--state", "@/state", "--to", "2024-07-31") == [])

    let backup = try Livecue.run(["backup", "\(folder.path)/copy.db", "--state", "\(folder.path)/state"])
    #expect(backup.code == 0 && backup.output.contains("copy.db: "), "\(backup.errors)")
    #expect(try lines(folder, "--state", "@/copy.db", "--by", "sender") == wanted)
    #expect(try SQLiteStore(reading: "\(folder.path)/copy.db").state.isBackup)

    #expect(try daemon.end().code == 0)
    #expect(try lines(folder, "--state", "@/state/livecue.db", "--by", "sender") == wanted)
    let table = try Livecue.run(["ledger", "--state", "\(folder.path)/state", "--by", "room"])
    #expect(table.output.contains("r1         3     30  coin\n"), "\(table.output)")
    #expect(table.output.contains("complete: row "))
    let json = try Livecue.run(["ledger", "--state", "\(folder.path)/state", "--json"])
    #expect(json.output.contains(#""totals":[\#n{"count":2,"value":14,"unit":"cent"},"#), "\(json.output)")
  }

  @Test func daysThatAreTooOldLeaveTheLedger() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try SQLiteStore(
        directory: "\(folder.path)/state", instance: "main", durability: .process, now: 7)
      try store.start(instance: "main", bootID: "b", engineVersion: 1)
      var turn = TurnRecord()
      turn.completedRow = 0
      let text = Array("old".utf8)
      for day in [1, try #require(Day("2024-07-31")).number] {
        turn.addLedger(
          room: text.span, day: day, sender: text.span, gift: text.span, receiver: [UInt8]().span, count: 1,
          value: 1)
      }
      try store.commit(turn)
      try store.stopCleanly()
    }
    let state = "state: {directory: state, ledgerKeepDays: 2, snapshotRows: 1, snapshotSeconds: 1}"
    let (broker, daemon) = try Self.serve(state, in: folder)
    #expect(try lines(folder, "--state", "@/state", "--by", "day").count == 2)
    try send(broker, "--room", "r1", "--sender", "Ann", "--gift", "new", "--count", "3")
    // It goes when the state has been saved and the journal behind it is cut.
    var found: [String] = []
    let deadline = Livecue.now + 15_000
    while found != ["new,3,0,"], Livecue.now < deadline {
      found = try lines(folder, "--state", "@/state", "--by", "gift")
    }
    #expect(found == ["new,3,0,"])
    #expect(try daemon.end().code == 0)
  }

  @Test func aBackupNeverOverwritesUnlessAsked() throws {
    let folder = try TemporaryFolder()
    let state = "\(folder.path)/state"
    do {
      _ = try SQLiteStore(directory: state, instance: "main", durability: .process, now: 7)
    }
    try folder.write("precious", to: "copy.db")
    let words = ["backup", "\(folder.path)/copy.db", "--state", state]
    let refused = try Livecue.run(words)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("copy.db: exists already, and is not overwritten"), "\(refused.errors)")
    #expect(folder.read("copy.db") == "precious")
    let replaced = try Livecue.run(words + ["--overwrite"])
    #expect(replaced.code == 0, "\(replaced.errors)")
    #expect(try Livecue.run(["ledger", "--state", "\(folder.path)/copy.db"]).output.hasPrefix("no gifts\n"))
    let itself = try Livecue.run(["backup", "\(state)/livecue.db", "--state", state, "--overwrite"])
    #expect(itself.code == 1 && itself.errors.contains("is not overwritten"), "\(itself.errors)")
  }

  @Test func aStoreThatMayOnlyBeReadIsRead() throws {
    let folder = try TemporaryFolder()
    let state = "\(folder.path)/state"
    do {
      let store = try SQLiteStore(directory: state, instance: "main", durability: .process, now: 7)
      try store.start(instance: "main", bootID: "b", engineVersion: 1)
      try store.stopCleanly()
    }
    try #require(unsafe chmod(state, 0o500) == 0 && chmod("\(state)/livecue.db", 0o400) == 0)
    defer { _ = unsafe chmod(state, 0o700) }
    let outcome = try Livecue.run(["ledger", "--state", state])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("no gifts\n"))
  }
}
