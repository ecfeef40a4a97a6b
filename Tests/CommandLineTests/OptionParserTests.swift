import CommandLine
import Testing

/// A subcommand with one flag of each kind.
let subcommand = Subcommand(
  name: "play", operands: "FILE…", summary: "Play files.", details: "More about it.",
  flags: [
    Flag("speed", "N", "How fast."), Flag("loop", nil, "Again and again."),
    Flag("log", "LEVEL", "What is told."),
  ],
  operandCount: 0...2, run: { _ in 0 })

/// One test at a time: getopt keeps its place in global variables.
@Suite(.serialized) struct OptionParserTests {
  /// What was parsed, in a line; the error's message if it was wrong.
  private func parse(_ words: String...) -> String {
    do throws(UsageError) {
      let arguments = try OptionParser.parse(words, for: subcommand)
      let flags = arguments.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return (flags + arguments.operands).joined(separator: " ")
    } catch {
      return error.message
    }
  }

  @Test func nothingIsNothing() {
    #expect(parse() == "")
  }

  @Test func flagsAndOperandsMayStandInAnyOrder() {
    let wanted = #"loop=[""] speed=["2"] a b"#
    #expect(parse("--speed", "2", "--loop", "a", "b") == wanted)
    #expect(parse("a", "--loop", "b", "--speed=2") == wanted)
    #expect(parse("a", "b", "--speed", "2", "--loop") == wanted)
  }

  @Test func anArgumentMayBeginWithADashOrBeEmpty() {
    #expect(parse("--speed", "-5") == #"speed=["-5"]"#)
    #expect(parse("--speed=") == #"speed=[""]"#)
    #expect(parse("--speed", "--loop") == #"speed=["--loop"]"#)
  }

  @Test func afterTwoDashesEverythingIsAnOperand() {
    #expect(parse("--loop", "--", "--speed", "-") == #"loop=[""] --speed -"#)
  }

  @Test func aSingleDashIsAnOperand() {
    #expect(parse("-", "a") == "- a")
  }

  @Test func aUniqueBeginningOfANameIsEnough() {
    #expect(parse("--sp", "3") == #"speed=["3"]"#)
  }

  @Test func ofSeveralAllAreKeptAndTheLastCounts() throws {
    let arguments = try OptionParser.parse(["--speed", "1", "--speed", "2"], for: subcommand)
    #expect(arguments.values["speed"] == ["1", "2"])
    #expect(arguments.string("speed") == "2")
    #expect(arguments.has("speed"))
    #expect(!arguments.has("loop"))
  }

  @Test(arguments: [
    (["--speed"], "--speed: an argument is missing"), (["a", "--speed"], "--speed: an argument is missing"),
    (["--sped", "1"], "--sped: no such option"), (["a", "--bogus", "b"], "--bogus: no such option"),
    (["--loop=yes"], "--loop=yes: no such option, or an argument where there is none"),
    (["-x"], "-x: no such option"), (["--loop", "-xyz"], "-xyz: no such option"),
    (["--loop", "a", "-xyz"], "-xyz: no such option"), (["-", "-xyz", "a"], "-xyz: no such option"),
    (["a", "b", "-xyz"], "-xyz: no such option"),
    (["--lo"], "--lo: no such option"),
    (["--=5"], "--=5: no such option"),
  ])
  func aWrongOptionIsNamed(words: [String], message: String) {
    #expect {
      try OptionParser.parse(words, for: subcommand)
    } throws: { error in
      (error as? UsageError)?.message.hasPrefix(message) ?? false
    }
  }

  @Test func theKnownOptionsAreTold() {
    #expect(parse("--bogus").hasSuffix("there are --speed --loop --log --help"))
  }

  @Test func tooManyOperandsAreRefusedUnlessHelpIsWanted() {
    #expect(parse("a", "b", "c") == "livecue play: 3 operands: expected FILE…")
    #expect(parse("a", "b", "c", "--help") == #"help=[""] a b c"#)
  }

  @Test func parsingTwiceGivesTheSame() {
    #expect(parse("a", "--bogus") == parse("a", "--bogus"))
    #expect(parse("-", "--loop") == parse("-", "--loop"))
  }
}

@Suite struct ArgumentsTests {
  private func arguments(_ value: String) -> Arguments {
    var arguments = Arguments()
    arguments.values["n"] = [value]
    return arguments
  }

  @Test(arguments: [("1", 1), ("10", 10), ("+7", 7), ("007", 7)])
  func anIntegerOfTheRangeIsRead(text: String, value: Int) throws {
    #expect(try arguments(text).integer("n", in: 1...10) == value)
  }

  @Test(arguments: ["", "0", "11", "-1", "1.5", " 1", "1 ", "0x1", "1e1", "99999999999999999999", "ten"])
  func anythingElseIsRefusedWithTheRange(text: String) {
    #expect(throws: UsageError("--n is \"\(text)\": expected an integer from 1 to 10")) {
      try arguments(text).integer("n", in: 1...10)
    }
  }

  @Test(arguments: [("1", 1.0), ("0.5", 0.5), ("1e3", 1000), ("100000", 100_000), ("0.001", 0.001)])
  func aNumberOfTheRangeIsRead(text: String, value: Double) throws {
    #expect(try arguments(text).decimal("n", in: 0.001...100_000) == value)
  }

  @Test(arguments: ["", "0", "-1", "nan", "inf", "1e400", "1e-300", "0.0009", "100001", "1,5", "x"])
  func aNumberOutsideOfItIsRefused(text: String) {
    #expect(throws: UsageError("--n is \"\(text)\": expected a number from 0.001 to 100000")) {
      try arguments(text).decimal("n", in: 0.001...100_000)
    }
  }

  @Test func aFlagThatWasNotGivenIsNil() throws {
    #expect(try Arguments().integer("n", in: 1...2) == nil)
    #expect(try Arguments().decimal("n", in: 1...2) == nil)
    #expect(Arguments().string("n") == nil)
  }
}

@Suite struct UsageTests {
  @Test func thePageNamesUsageFlagsAndDetails() {
    #expect(
      Usage.page(of: subcommand) == """
        usage: livecue play [OPTION…] FILE…

        Play files.

        More about it.

        options:
          --speed N    How fast.
          --loop       Again and again.
          --log LEVEL  What is told.
          --help       Print this page and exit.

        """)
  }

  @Test func longHelpIsWrappedUnderItself() {
    var long = subcommand
    long.flags = [Flag("speed", "N", Array(repeating: "word", count: 40).joined(separator: " "))]
    let lines = Usage.page(of: long).split(separator: "\n").filter { $0.contains("word") }
    #expect(lines.count > 1)
    #expect(lines.allSatisfy { $0.count <= 96 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("             word") })
  }

  @Test func theOverviewNamesEachCommandAndTheVersion() {
    let page = Usage.overview(of: [subcommand], version: "9.9")
    #expect(page.hasPrefix("livecue 9.9: "))
    #expect(page.contains("\n  play  Play files.\n"))
  }
}
