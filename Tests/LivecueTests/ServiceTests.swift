import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The programs together: `run`, `send`, `watch`, `demo` and a broker.
@Suite struct ServiceTests {
  private static let quickGifts =
    "gift: {showMs: 10, stepMs: 10, catchUpMs: 50, holdMs: 100, holdBusyMs: 50, hideMs: 10}"

  /// A broker whose log tells who subscribes.
  private func makeBroker(_ change: (inout PrivateBroker.Options) -> Void = { _ in }) throws -> PrivateBroker
  {
    var options = PrivateBroker.Options()
    options.extraLines = ["log_type all"]
    change(&options)
    return try PrivateBroker(options)
  }

  /// A daemon that serves.
  private func run(port: UInt16, _ settings: String = quickGifts, broker more: String = "") throws -> Livecue
  {
    let folder = try TemporaryFolder()
    try folder.write(
      "\(noMetrics)\nbroker: {host: 127.0.0.1, port: \(port)\(more)}\n\(settings)\n", to: "livecue.yaml")
    try folder.write("secret\n", to: "password")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    return daemon
  }

  /// A watcher that has subscribed.
  private func watch(_ broker: PrivateBroker, _ room: String) throws -> Livecue {
    let watcher = try Livecue(
      ["watch", room, "--broker", "127.0.0.1:\(broker.port)"], in: try TemporaryFolder())
    let listens = try awaitFile("broker.log", in: broker.folder) { $0.contains("cue/\(room)/# (QoS 1)") }
    try #require(listens, "\(watcher.errors)")
    return watcher
  }

  private func send(_ broker: PrivateBroker, _ arguments: String..., in folder: TemporaryFolder? = nil) throws
    -> Outcome
  {
    try Livecue.run(["send"] + arguments + ["--broker", "127.0.0.1:\(broker.port)"], in: folder)
  }

  /// `| head` has read enough, which is no failure; a full disk is one.
  @Test(arguments: [
    ("| head -1", 0, ""), (">/dev/full", 1, "livecue watch: standard output: No space left on device\n"),
  ])
  func aWatchEndsWithItsReader(rest: String, code: Int32, errors: String) throws {
    let broker = try makeBroker()
    let daemon = try run(port: broker.port)
    let watcher = try Livecue(
      ["watch", "r1", "--plain", "--broker", "127.0.0.1:\(broker.port)"], in: try TemporaryFolder(),
      wrappedBy: ["bash", "-c", #""$0" "$@" \#(rest); exit ${PIPESTATUS[0]}"#])
    #expect(try awaitFile("broker.log", in: broker.folder) { $0.contains("cue/r1/# (QoS 1)") })
    // It learns only by writing that nobody reads; a comment comes for each line.
    for number in 1...20 where !watcher.child.hasEnded {
      _ = try send(broker, "comment", "--room", "r1", "--text", "\(number)")
    }
    #expect(try watcher.child.wait(milliseconds: 10_000) == code)
    #expect(watcher.errors == errors)
    #expect(try daemon.end().code == 0)
  }

  @Test func whatIsSentIsSeen() throws {
    let broker = try makeBroker()
    let daemon = try run(port: broker.port)
    let watcher = try watch(broker, "r1")
    let sent = try send(
      broker, "gift", "--room", "r1", "--sender", "Ann \"A\"", "--gift", "Rose", "--count", "3", "--times",
      "100",
      "--level", "5", "--price", "10", "--receiver", "Host")
    #expect(sent == Outcome(code: 0, output: "100 sent to im/r1/gift\n", errors: ""))
    #expect(try send(broker, "comment", "--room", "r1", "--text", "hi \u{1F339}").code == 0)
    #expect(try send(broker, "like", "--room", "r1", "--count", "7").output == "1 sent to im/r1/like\n")
    #expect(
      try watcher.await { $0.contains("hide    Ann \"A\" for Host → Rose x300 (expired)") },
      "\(watcher.output)")
    #expect(
      try watcher.await { $0.contains("append  tester: hi \u{1F339}") && $0.contains("burst   +7 likes") })
    #expect(!watcher.output.contains("missing"))
    let (code, milliseconds) = try daemon.end()
    #expect(code == 0)
    #expect(milliseconds < 2000)
    #expect(try watcher.end(SIGINT).code == 0)
  }

  @Test func anOperatorCommandsARoomAndIsAnswered() throws {
    let broker = try makeBroker()
    let daemon = try run(port: broker.port)
    let watcher = try watch(broker, "r1")
    func control(_ words: String...) throws -> Outcome {
      try Livecue.run(["control"] + words + ["--broker", "127.0.0.1:\(broker.port)"])
    }
    let done = Outcome(code: 0, output: "ok\n", errors: "")
    let none = try control("r1", "clear")
    #expect(none.code == 1)
    #expect(none.errors.hasPrefix("livecue control: no-such-room: "), "\(none.errors)")
    #expect(try control("r1", "pause") == done)
    #expect(
      try control("r1", "test", #"{"type":"gift","sender":"Ann","gift":"Rose","count":3}"#) == done)
    #expect(try control("r1", "mute", "Bo") == done)
    #expect(try send(broker, "gift", "--room", "r1", "--sender", "Bo").code == 0)
    #expect(try control("r1", "skip", "gift/9").errors.hasPrefix("livecue control: no-such-track: "))
    #expect(!watcher.output.contains(" show "))
    #expect(try control("r1", "resume", "gift") == done)
    #expect(try watcher.await { $0.contains("hide    Ann → Rose x3") }, "\(watcher.output)")
    #expect(!watcher.output.contains("Bo"))
    #expect(try daemon.end().code == 0)
    let unanswered = try control("r1", "clear", "--timeout", "1")
    #expect(unanswered.code == 1)
    #expect(unanswered.errors.contains("no answer on cue/r1/control/reply for 1 s"), "\(unanswered.errors)")
  }

  @Test func aFileIsSentAsItIs() throws {
    let broker = try makeBroker()
    let daemon = try run(port: broker.port)
    let watcher = try watch(broker, "r1")
    let folder = try TemporaryFolder()
    try folder.write(#"[{"type":"gift","sender":"Bo","gift":"Car"},{"type":"gift"}]"#, to: "batch.json")
    #expect(try send(broker, "batch.json", "--room", "r1", in: folder).output == "1 sent to im/r1/batch\n")
    #expect(try watcher.await { $0.contains("Bo → Car x1") && $0.contains("1 refused: [1] missing-sender") })
    #expect(try daemon.end().code == 0)
  }

  @Test func aUserWithAPasswordIsLetIn() throws {
    let broker = try makeBroker { $0.users = [("lc", "secret")] }
    let daemon = try run(port: broker.port, broker: ", username: lc, passwordFile: password")
    #expect(try daemon.end(SIGINT).code == 0)
    let refused = try send(broker, "gift", "--timeout", "3")
    #expect(refused.code == 1)
    #expect(refused.errors.contains("refused: "), "\(refused.errors)")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsItThoughThereIsNoBroker(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let port = try findFreePort()
    try folder.write(
      "\(noMetrics)\nbroker: {host: 127.0.0.1, port: \(port), reconnectMinMs: 10}\n", to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    #expect(try daemon.await("errors") { $0.contains("no connection to the broker") })
    let (code, milliseconds) = try daemon.end(signal)
    #expect(code == 0)
    #expect(milliseconds < 2000)
    #expect(daemon.errors.contains("livecue stops"))
  }

  @Test func aSignalEndsItThoughTheBrokerWasKilled() throws {
    let broker = try makeBroker()
    let daemon = try run(port: broker.port)
    try broker.kill()
    let (code, milliseconds) = try daemon.end()
    #expect(code == 0)
    #expect(milliseconds < 2000)
  }

  @Test func theDemoShowsTheCapturedRoomAndEndsByItself() throws {
    let capture = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")
    let demo = try Livecue.run(["demo", "--capture", capture, "--speed", "200", "--seconds", "3"])
    #expect(demo.code == 0, "\(demo.errors)")
    for word in [" show ", " count ", " hold ", " append ", " burst ", "broker at 127.0.0.1:"] {
      #expect(demo.output.contains(word), "\(word)")
    }
    #expect(!demo.output.contains("missing before"))
  }

  @Test func theDemoEndsAtASignalWithAllThatItStarted() throws {
    let capture = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")
    let demo = try Livecue(["demo", "--capture", capture, "--speed", "50"], in: try TemporaryFolder())
    #expect(try demo.await { $0.contains(" append ") })
    let port = demo.output.split(separator: " ").first { $0.hasPrefix("127.0.0.1:") }?.dropLast().split(
      separator: ":"
    ).last
    let (code, _) = try demo.end(SIGINT)
    #expect(code == 0)
    // Its broker is gone: nobody listens on its port.
    let outcome = try Livecue.run(["send", "gift", "--timeout", "1", "--broker", "127.0.0.1:\(port ?? "1")"])
    #expect(outcome.errors.contains("Connection refused"))
  }
}
