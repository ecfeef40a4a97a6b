import PrivateBroker
import TestSupport
import Testing

@Suite struct CheckTests {
  private func check(_ text: String) throws -> Outcome {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "f.yaml")
    return try Livecue.run(["check", "f.yaml"], in: folder)
  }

  @Test func sixMistakesAreNamedAtOnceWithLineAndColumn() throws {
    let outcome = try check(
      """
      instance: "a b"
      brokr: {host: x}
      broker:
        port: 70000
        keepAliveSeconds: never
      gift:
        tracks: [{minPriority: 10}]
        rules:
          - {gifts: [rose]}
      """)
    #expect(outcome.code == 1)
    #expect(outcome.output == "")
    let lines = outcome.errors.split(separator: "\n")
    let starts = [
      "f.yaml:1:11: instance: ", "f.yaml:2:1: brokr: unknown setting, did you mean 'broker'?",
      "f.yaml:4:9: broker.port: '70000' is out of range",
      "f.yaml:5:21: broker.keepAliveSeconds: found 'never'",
      "f.yaml:7:26: gift.tracks[0].minPriority: '10' is out of range", "f.yaml:9:7: gift.rules[0]",
    ]
    #expect(lines.count == 6, "\(outcome.errors)")
    for (line, start) in zip(lines, starts) { #expect(line.hasPrefix(start)) }
  }

  @Test(arguments: [
    (
      "- {filter: \"im/{room}/gift\", kind: gift}\n  - {filter: \"im/{room}/+\", kind: batch}",
      "f.yaml:3:14: inputs[1].filter"
    ),
    (
      "- {filter: \"a/{room}/gift\", kind: gift}\n  - {filter: \"a/{room}/gift\", kind: gift}",
      "f.yaml:3:14: inputs[1].filter"
    ),
    (
      "- {filter: \"im/{room}/gift\", kind: gift}\n  - {filter: \"im/{room}/#\", kind: batch}",
      "f.yaml:3:14: inputs[1].filter"
    ),
    ("- {filter: \"cue/{room}/comment\", kind: comment}", "f.yaml:2:14: inputs[0].filter"),
    ("- {filter: \"{room}/main/status\", kind: batch}", "f.yaml:2:14: inputs[0].filter"),
    ("- {filter: \"{room}/#\", kind: batch}", "f.yaml:2:14: inputs[0].filter"),
  ])
  func filtersThatOverlapOrMatchOurOutputAreRefused(inputs: String, start: String) throws {
    let outcome = try check("inputs:\n  \(inputs)\n")
    #expect(outcome.code == 1)
    #expect(outcome.errors.hasPrefix(start), "\(outcome.errors)")
  }

  @Test func aSecretThatIsNotThereIsAnError() throws {
    let password = try check("broker: {username: a, passwordFile: nowhere}")
    #expect(password.code == 1)
    let start = "f.yaml: nowhere: broker.passwordFile: it cannot be read (No such file or directory)"
    #expect(password.errors.hasPrefix(start), "\(password.errors)")
    let authority = try check("broker: {tls: {enabled: true, caFile: nowhere}}")
    #expect(authority.code == 1)
    #expect(authority.errors.hasPrefix("f.yaml: nowhere: broker.tls.caFile: it cannot be read"))
  }

  @Test func aCredentialOfTheServiceIsNotLookedFor() throws {
    let outcome = try check("broker: {username: a, passwordFile: \"credential:p\"}")
    #expect(outcome.code == 0)
    #expect(outcome.errors.hasPrefix("f.yaml: warning: credentials are not looked at"))
  }

  @Test func aStateDirectoryThatCannotBeIsAnError() throws {
    for (directory, words) in [
      ("a/b/c", "a/b/c is not there and cannot be made (No such file or directory)"),
      ("f.yaml", "f.yaml is no directory, expected one"),
    ] {
      let outcome = try check("state: {directory: \(directory)}")
      #expect(outcome.code == 1)
      #expect(outcome.errors == "f.yaml: state.directory: \(words)\n")
    }
    #expect(try check("state: {directory: new}").code == 0)
  }

  @Test func aRoomWithoutATrackForOrdinaryGiftsIsWarnedOf() throws {
    let outcome = try check(
      "gift: {tracks: [{minPriority: 5}, {minPriority: 1}]}\nrooms: {a: {gift: {tracks: 2}}, b: {gift: {holdMs: 1}}}"
    )
    #expect(outcome.code == 0)
    let words = "every track has a minPriority above 0: ordinary gifts are never shown, they only fold"
    #expect(
      outcome.errors
        == "f.yaml: warning: gift.tracks: \(words)\nf.yaml: warning: rooms.b.gift.tracks: \(words)\n")
  }

  @Test func aPasswordInTheClearIsWarnedOf() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret", to: "p")
    try folder.write("broker: {host: far.example, username: a, passwordFile: p}", to: "f.yaml")
    let outcome = try Livecue.run(["check", "f.yaml"], in: folder)
    #expect(outcome.code == 0)
    #expect(
      outcome.errors.hasPrefix("f.yaml: warning: broker.tls: the password goes to far.example in the clear"))
  }

  @Test func theShippedFileIsGood() throws {
    let outcome = try Livecue.run(["check", checkoutPath("config/livecue.yaml")])
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains(": good\n"))
    #expect(outcome.output.contains("im/+/gift: gift, profile native"))
  }

  @Test func anEmptyFileIsGood() throws {
    #expect(try check("").code == 0)
    #expect(try check("# nothing\n").code == 0)
  }
}
