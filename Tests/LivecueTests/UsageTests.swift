import PrivateBroker
import Testing

@Suite struct UsageTests {
  @Test(arguments: [
    "run", "check", "profile", "status", "control", "simulate", "replay", "send", "watch", "overlay",
    "ledger",
    "why", "backup", "demo", "man", "completions",
  ])
  func everyCommandHelps(name: String) throws {
    let help = try Livecue.run([name, "--help"])
    #expect(help.code == 0)
    #expect(help.errors == "")
    #expect(help.output.hasPrefix("usage: livecue \(name) [OPTION…]"))
    #expect(help.output.contains("\n  --help"))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
    let overview = try Livecue.run(["--help"])
    #expect(overview.code == 0)
    #expect(overview.output.contains("\n  \(name) "))
  }

  @Test func theVersionIsTold() throws {
    let version = try Livecue.run(["--version"])
    #expect(version.code == 0)
    #expect(version.output.hasPrefix("livecue "))
  }

  @Test(arguments: [
    ([], "livecue "), (["bogus"], #"livecue: no command "bogus""#),
    (["run", "extra"], "livecue run: 1 operands"),
    (["run", "--log", "loud"], #"--log is "loud": expected one of error,"#),
    (["run", "--config"], "--config: an argument is missing"),
    (["run", "--instance", "a b"], #"--instance is "a b": expected 1 to 64 of"#),
    (["run", "--bogus"], "--bogus: no such option"),
    (["simulate", "--until", "soon"], #"--until is "soon": expected an integer"#),
    (["simulate", "--summary=3"], "--summary=3: no such option"),
    (["simulate", "--profile", "nope"], #"no profile "nope": expected native"#),
    (["profile", "x"], "livecue profile: 1 operands: expected test FILE"),
    (["profile", "try", "x"], #"no "try": expected test FILE"#),
    (["check"], "livecue check: 0 operands: expected FILE"),
    (["check", "a", "b"], "livecue check: 2 operands"),
    (["send"], "livecue send: 0 operands"), (["send", "nope.json"], "nope.json: No such file"),
    (["send", "gift", "--count", "0"], #"--count is "0""#),
    (["send", "gift", "--count", "1000001"], "--count"),
    (["send", "gift", "--room", "a/b"], #"--room is "a/b""#), (["send", "gift", "--room", "+"], "--room"),
    (["send", "gift", "--rate", "0"], #"--rate is "0""#), (["send", "gift", "--rate", "1e-300"], "--rate"),
    (["send", "gift", "--broker", "h:0"], #"--broker is "h:0""#),
    (["ledger"], "which store? expected --state"), (["backup", "x"], "which store?"),
    (["ledger", "--by", "sender,name"], #"--by is "sender,name": expected some of day, room,"#),
    (["ledger", "--from", "31.7.2024"], #"--from is "31.7.2024": expected a day as YYYY-MM-DD"#),
    (["ledger", "--from", "2024-02-30"], "--from"),
    (["ledger", "--from", "2024-08-01", "--to", "2024-07-31"], "--to 2024-07-31 is before --from"),
    (["ledger", "--room", "a/b"], #"--room is "a/b""#), (["ledger", "--csv", "--json"], "--csv and --json"),
    (["why", "r1"], "livecue why: 1 operands: expected ROOM EVENT-ID|SENDER"),
    (["why", "r1", "e"], "which store?"),
    (["why", "a/b", "e"], #"ROOM is "a/b""#), (["why", "r1", ""], "EVENT-ID|SENDER is empty"),
    (["simulate", "--journal", "x", "y.jsonl"], "--journal brings its own"),
    (["simulate", "--journal", "x", "--config", "y"], "--journal brings its own"),
    (["replay", "--speed", "fast"], #"--speed is "fast": expected a number"#),
    (["replay", "--speed", "0"], #"--speed is "0""#), (["replay", "--room", "+"], #"--room is "+""#),
    (["backup"], "livecue backup: 0 operands: expected FILE"),
    (["control", "r1"], "livecue control: 1 operands: expected ROOM OP"),
    (["control", "a/b", "clear"], "ROOM is \"a/b\""),
    (["control", "r1", "claer"], "OP is \"claer\": expected pause,"),
    (["control", "r1", "pause", "gifts"], "pause: expected part to be gift,"),
    (["control", "r1", "skip"], "skip: expected a track"),
    (["control", "r1", "skip", "like"], "skip: expected track"),
    (["control", "r1", "mute"], "mute: expected a sender's id"),
    (["control", "r1", "remove"], "remove: expected ids"),
    (["control", "r1", "clear", "--sender", "u"], "--sender is for remove"),
    (["control", "r1", "test", "{"], "test: \"{\" is not JSON"),
    (["watch", "a", "b"], "livecue watch: 2 operands"),
    (["watch", "#"], "ROOM is \"#\""), (["watch", ""], "ROOM is \"\""),
    (["watch", "a/b"], "ROOM is \"a/b\""),
    (["watch", "--broker", ":1"], #"--broker is ":1""#), (["demo", "--speed", "0"], #"--speed is "0""#),
    (["status", "--url", "h:1"], #"--url is "h:1": expected 127.0.0.1:PORT"#),
    (["status", "--url", "http://127.0.0.1/x"], "--url is"), (["status", "--seconds", "-1"], "--seconds is"),
    (["demo", "--speed", "1e-300"], "--speed is"), (["demo", "--seconds", "-1"], #"--seconds is "-1""#),
  ])
  func wrongUseIsSaidAndEndsWithTwo(arguments: [String], message: String) throws {
    let outcome = try Livecue.run(arguments)
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
  }

  @Test(arguments: [
    ["run", "--config", "/nowhere.yaml"], ["simulate", "--config", "/nowhere.yaml"],
    ["check", "/nowhere.yaml"],
    ["watch", "--config", "/nowhere.yaml"], ["simulate", "/nowhere.jsonl"], ["replay", "/nowhere.jsonl"],
    ["run", "--capture", "/nowhere/x"],
    ["demo", "--capture", "/nowhere.jsonl"],
  ])
  func aFileThatIsNotThereIsNamedAndEndsWithOne(arguments: [String]) throws {
    let outcome = try Livecue.run(arguments)
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("\(arguments.last ?? ""): "), "\(outcome.errors)")
    #expect(outcome.errors.contains("No such file or directory"), "\(outcome.errors)")
  }

  @Test func sendGivesUpOnABrokerThatIsNotThere() throws {
    let port = try findFreePort()
    let outcome = try Livecue.run(["send", "gift", "--broker", "127.0.0.1:\(port)", "--timeout", "1"])
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains("no acknowledgement for 1 s: 0 acknowledged"))
  }
}
