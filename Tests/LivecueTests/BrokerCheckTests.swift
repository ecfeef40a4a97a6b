import PrivateBroker
import TestSupport
import Testing

/// `livecue check --broker` against real brokers, good and bad ones.
@Suite struct BrokerCheckTests {
  private func check(
    _ broker: PrivateBroker, _ settings: String = "", files: [(String, String)] = []
  ) throws -> (code: Int32, lines: [String], errors: String) {
    let folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(text, to: name) }
    try folder.write(
      "broker: {host: localhost, port: \(broker.port)\(settings)}\n", to: "livecue.yaml")
    let outcome = try Livecue.run(["check", "--broker", "--config", "livecue.yaml"], in: folder)
    return (outcome.code, outcome.output.split(separator: "\n").map(String.init), outcome.errors)
  }

  @Test func aBrokerWithTheRecommendedSettingsLosesNothing() throws {
    let certificates = try Certificates()
    let broker = try AccessTests.makeBroker(certificates)
    let found = try check(
      broker,
      ", username: livecue, passwordFile: password, tls: {enabled: true, caFile: \(certificates.authority)}",
      files: [("password", "hunter2\n")])
    #expect(found.code == 0, "\(found)")
    #expect(found.errors == "")
    #expect(!found.lines.contains { $0.hasPrefix("loss") || $0.hasPrefix("warning") }, "\(found.lines)")
    for line in [
      "good     connection    localhost:\(broker.port), MQTT 5, TLS", "good     packet limit  2097152 bytes",
      "good     inflight      500 messages of ours at a time (broker.publishWindow)",
      "good     session       is kept for 604800 s while we are away", "good     retain        available",
      "good     inputs        4 filters granted", "good     outputs       ours to write",
      "good     queue         keeps 1200 messages and more for a client that is away",
      "good     access        nobody comes in without credentials",
    ] { #expect(found.lines.contains(line), "\(line) in \(found.lines)") }
  }

  @Test func mosquittosOwnDefaultsLoseMessages() throws {
    var options = PrivateBroker.Options()
    options.isBare = true
    let found = try check(try PrivateBroker(options))
    #expect(found.code == 1)
    for line in [
      "warning  inflight      20 messages of ours at a time, publishWindow is 500: slower than it could be",
      "loss     queue         keeps 1000 of 1200 messages for a client that is away: raise max_queued_messages",
      "warning  access        we came in without any credentials, and so may everyone",
    ] { #expect(found.lines.contains(line), "\(line) in \(found.lines)") }
  }

  @Test func smallPacketsAndForeignTopicsAreLosses() throws {
    var options = PrivateBroker.Options()
    options.maxPacketBytes = 100_000
    options.accessList = "topic read im/#\ntopic write livecue/#\n"
    let found = try check(try PrivateBroker(options))
    #expect(found.code == 1)
    let packet =
      "loss     packet limit  100000 bytes: a command may have 262144 (limits.maxCommandBytes), raise "
    #expect(found.lines.contains("\(packet)max_packet_size"), "\(found.lines)")
    let denied = found.lines.filter { $0.hasPrefix("loss     outputs ") }
    #expect(denied.count == 3)
    #expect(denied.allSatisfy { $0.hasSuffix("Not authorized (135)") }, "\(denied)")
  }

  @Test func strangersWhoComeInTooAreToldOf() throws {
    var options = PrivateBroker.Options()
    options.users = [("lc", "secret")]
    options.extraLines = ["allow_anonymous true"]
    let found = try check(
      try PrivateBroker(options), ", username: lc, passwordFile: password", files: [("password", "secret")])
    let line = "warning  access        everyone who reaches the broker comes in: allow_anonymous false"
    #expect(found.lines.contains(line), "\(found.lines)")
    #expect(found.code == 0)
  }

  @Test func aBrokerThatRefusesUsIsALoss() throws {
    let certificates = try Certificates()
    let broker = try AccessTests.makeBroker(certificates)
    let others = try Certificates()
    let found = try check(broker, ", tls: {enabled: true, caFile: \(others.authority)}")
    #expect(found.code == 1)
    let words = "no secure connection: the broker's certificate is of an authority that is not trusted"
    #expect(
      found.lines.contains("loss     connection    localhost:\(broker.port): \(words)"), "\(found.lines)")
  }

  /// Neither a session, a queue nor a retained message, and the daemon has noticed nothing.
  @Test func nothingIsLeftBehindAndADaemonIsNotDisturbed() throws {
    var options = PrivateBroker.Options()
    options.extraLines = ["log_type all", "connection_messages true"]
    let broker = try PrivateBroker(options)
    let folder = try TemporaryFolder()
    try folder.write(
      "\(noMetrics)\nbroker: {host: 127.0.0.1, port: \(broker.port)}\n", to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    let serves = try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") }
    try #require(serves, "\(daemon.errors)")
    let before = daemon.errors
    #expect(try check(broker).code == 0)
    #expect(daemon.errors == before)
    #expect(try daemon.end().code == 0)
    // What the broker would keep is in its database when it has stopped.
    try broker.stop()
    let kept = String(decoding: readBytes("\(broker.folder.path)/mosquitto.db"), as: UTF8.self)
    #expect(kept.contains("livecue-main-in"))
    #expect(!kept.contains("check"))
  }
}
