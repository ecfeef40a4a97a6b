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
