import PrivateBroker
import TestSupport
import Testing
import Wire

/// `livecue status`, `/readyz` and the log of a daemon of its own.
@Suite struct StatusTests {
  private static let settings =
    "gift: {showMs: 10, stepMs: 10, catchUpMs: 50, holdMs: 100, holdBusyMs: 50, hideMs: 10}"

  /// A daemon that serves, with its metrics on a socket beside its files.
  private func start(_ broker: PrivateBroker, _ more: String = "") throws -> Livecue {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      instance: studio
      broker: {host: 127.0.0.1, port: \(broker.port), reconnectMinMs: 20, reconnectMaxMs: 100}
      metrics: {listen: \(folder.path)/http, statsSeconds: 0}
      state: {directory: state, minFreeBytes: 0}
      \(Self.settings)
      \(more)
      """, to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    return daemon
  }

  private func status(_ daemon: Livecue, _ arguments: String...) throws -> Outcome {
    let folder = try TemporaryFolder()
    return try Livecue.run(
      ["status", "--config", "\(daemon.folder.path)/livecue.yaml"] + arguments, in: folder)
  }

  @Test func itTellsAPersonHowTheDaemonIs() throws {
    let broker = try PrivateBroker()
    let daemon = try start(broker)
    let sent = try Livecue.run(
      ["send", "gift", "--sender", "Ann", "--count", "7", "--broker", "127.0.0.1:\(broker.port)"])
    #expect(sent.code == 0)
    let outcome = try status(daemon)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("livecue ") && lines[0].contains(", instance studio, up "))
    #expect(lines[0].hasSuffix(": ready"))
    for line in [
      "connections  in subscribed, 0 reconnects; out publishing, 0 reconnects",
      "events       1 batches: 1 gifts, 0 comments, 0 likes", "not counted  no duplicates",
      "refused      nothing", "faults       none",
    ] { #expect(lines.contains(line), "\(line)") }
    #expect(outcome.output.contains("\nrates        0.0 batches/s, "))
    #expect(outcome.output.contains("\ngifts        7 accepted, "))
    let json = try status(daemon, "--json")
    #expect(json.code == 0)
    let answer = try JSONValue(Array(json.output.utf8).span)
    #expect(answer["instance"] == .string("studio"))
    #expect(answer["figures"]?["livecue_gifts_accepted_total"] == .integer(7))
    #expect(try status(daemon, "--url", "\(daemon.folder.path)/http", "--seconds", "0").code == 0)
    #expect(try daemon.end().code == 0)
    let gone = try status(daemon, "--seconds", "0")
    #expect(gone.code == 1)
    #expect(gone.output == "")
    #expect(gone.errors.hasPrefix("livecue status: no daemon answers: nobody listens on "))
  }

  @Test func withoutTheBrokerItIsNotReadyAndTheFaultIsCounted() throws {
    let broker = try PrivateBroker()
    let daemon = try start(broker)
    try broker.stop()
    #expect(try daemon.await("errors") { $0.contains("no connection to the broker") })
    var outcome = try status(daemon, "--seconds", "0")
    // Four lost connections at least: two that ended, and what was tried since.
    let deadline = Livecue.now + 5000
    while !outcome.output.contains("connect failed: "), Livecue.now < deadline {
      outcome = try status(daemon, "--seconds", "0")
    }
    #expect(outcome.code == 1)
    #expect(outcome.output.split(separator: "\n")[0].hasSuffix(": NOT READY"))
    #expect(outcome.output.contains("\n  not subscribed: "))
    #expect(outcome.output.contains("\n  not publishing: "))
    #expect(outcome.output.contains(" times, last "))
    #expect(outcome.output.contains("warning no connection to the broker client=livecue-studio-in"))
    #expect(try daemon.end().code == 0)
  }

  @Test func anotherInstanceOnTheAddressIsNotTakenForOurs() throws {
    let broker = try PrivateBroker()
    let daemon = try start(broker)
    let folder = try TemporaryFolder()
    try folder.write(
      "instance: other\nmetrics: {listen: \(daemon.folder.path)/http}\n", to: "livecue.yaml")
    let outcome = try Livecue.run(["status", "--config", "livecue.yaml"], in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("answers instance studio, expected other"))
    try folder.write("metrics: {listen: ''}\n", to: "none.yaml")
    let none = try Livecue.run(["status", "--config", "none.yaml"], in: folder)
    #expect(none.code == 1)
    #expect(none.errors.contains("metrics.listen is empty"))
    #expect(try daemon.end().code == 0)
  }

  /// A limit on the size of files stands for a full disk: each write fails, and works again later.
  @Test func aStoreThatCannotBeWrittenIsNotReadyUntilItCan() throws {
    let broker = try PrivateBroker()
    let daemon = try start(broker)
    func limitFiles(to bytes: String) throws {
      let tool = try ChildProcess(["prlimit", "--pid", "\(daemon.child.id)", "--fsize=\(bytes):"])
      #expect(try tool.wait(milliseconds: 5000) == 0)
    }
    try limitFiles(to: "0")
    let began = Livecue.now
    var outcome = try status(daemon, "--seconds", "0")
    while outcome.code == 0, Livecue.now < began + 5000 { outcome = try status(daemon, "--seconds", "0") }
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("\n  the store cannot be written: "), "\(outcome.output)")
    try limitFiles(to: "unlimited")
    outcome = try status(daemon, "--seconds", "0")
    #expect(outcome.code == 0, "\(outcome.output)")
    // What came meanwhile and could not be recorded comes again from the broker.
    let sent = try Livecue.run(["send", "gift", "--broker", "127.0.0.1:\(broker.port)"])
    #expect(sent.code == 0)
    #expect(try daemon.end().code == 0)
  }

  @Test func tooLittleRoomOnTheDiskIsNotReady() throws {
    // A limit that the disk of no test has.
    let folder = try TemporaryFolder()
    try folder.write(
      """
      broker: {host: 127.0.0.1, port: \(try findFreePort()), reconnectMinMs: 20}
      metrics: {listen: \(folder.path)/http, statsSeconds: 0}
      state: {directory: state, minFreeBytes: 1099511627776}
      """, to: "livecue.yaml")
    let full = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    #expect(try full.await("errors") { $0.contains("metrics address=") })
    let outcome = try status(full, "--seconds", "0")
    #expect(outcome.output.contains("\n  the disk of the state directory is full: "), "\(outcome.output)")
    #expect(try full.end().code == 0)
  }

  @Test func logLinesAreJSONOnRequestAndNameNoViewer() throws {
    let broker = try PrivateBroker()
    let daemon = try start(broker, "log: {format: json}")
    let bad =
      #"[{"type":"gift","sender":"Secret Ann","gift":"g","count":-1},{"type":"comment","sender":"Secret Ann","text":"Secret"}]"#
    try broker.publish(bad, to: "im/Secret/batch")
    try broker.publish("Secret", to: "im/Secret/batch")
    try broker.publish(bad, to: "im/Secret/comment")
    let answered = try awaitStatus(daemon, "livecue_batches_total", 3)
    #expect(answered)
    #expect(try daemon.end().code == 0)
    let lines = daemon.errors.split(separator: "\n")
    #expect(lines.count >= 4)
    for line in lines {
      let value = try JSONValue(Array(line.utf8).span)
      #expect(value["time"]?.string?.count == 24, "\(line)")
      #expect(value["level"]?.string != nil && value["message"]?.string != nil, "\(line)")
    }
    #expect(!daemon.errors.contains("Secret"))
  }

  private func awaitStatus(_ daemon: Livecue, _ name: String, _ count: Int64) throws -> Bool {
    let deadline = Livecue.now + 5000
    while Livecue.now < deadline {
      let answer = try JSONValue(Array(try status(daemon, "--json").output.utf8).span)
      if answer["figures"]?[name] == .integer(count) { return true }
    }
    return false
  }
}
