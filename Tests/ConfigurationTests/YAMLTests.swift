import Testing

@testable import Configuration

/// The YAML layer, and files that mean harm. Nothing here may crash, hang or take much memory.
@Suite struct YAMLTests {
  @Test(arguments: [
    ("a: [1, 2", "2:1: while parsing a flow sequence, did not find expected ',' or ']', expected YAML"),
    ("a: 1\n b: 2", "2:3: mapping values are not allowed in this context, expected YAML"),
    ("a: \"x", "1:6: while scanning a quoted scalar, found unexpected end of stream, expected YAML"),
    (
      "a:\n\t- b",
      "2:1: while scanning for the next token, found character that cannot start any token, expected YAML"
    ),
    ("%YAML 3.0\n---\na: 1", "1:1: found incompatible YAML document, expected YAML"),
    ("a: 1\n---\nb: 2", "2:1: a second document begins, expected only one"),
    ("a: *b", "1:4: unknown alias '*b', expected one that is anchored before"),
    ("a: &x [*x]", "1:8: unknown alias '*x', expected one that is anchored before"),
    ("}", "1:1: while parsing a block node, did not find expected node content, expected YAML"),
    (
      "@",
      "1:1: while scanning for the next token, found character that cannot start any token, expected YAML"
    ),
  ])
  func aSyntaxErrorHasItsPlace(_ text: String, _ line: String) {
    #expect(mistakes(text) == ["f.yaml:" + line])
  }

  @Test func bytesThatAreNoTextAreRefusedWithTheirPlace() {
    #expect(
      mistakes(bytes: Array("a: 1\né: ".utf8) + [0xFF]) == [
        "f.yaml:2:4: invalid leading UTF-8 octet, expected UTF-8 text"
      ])
    #expect(mistakes(bytes: [0xFF, 0xFE, 0x61, 0x00]).count == 1)
    #expect(mistakes(bytes: [0]).count == 1)
    #expect(mistakes(bytes: Array("a: \0".utf8)).count == 1)
    // ELF, gzip, and every single byte.
    #expect(!mistakes(bytes: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]).isEmpty)
    #expect(!mistakes(bytes: [0x1F, 0x8B, 8, 0, 0, 0]).isEmpty)
    for byte in UInt8.min...UInt8.max { _ = mistakes(bytes: [byte]) }
  }

  @Test func aByteOrderMarkIsNoMistake() {
    #expect(mistakes(bytes: [0xEF, 0xBB, 0xBF] + Array("log: {level: info}".utf8)).isEmpty)
  }

  @Test func placesCountCharactersFromOne() throws {
    var report = Report()
    let node = YAMLNode.read(bytes: Array("é: [ü,\n  ö]".utf8), file: "f", report: &report)
    guard case .mapping(let members)? = node?.value, case .list(let items) = members[0].value.value else {
      Issue.record("no list")
      return
    }
    #expect(members[0].keyPosition == SourcePosition(file: "f", line: 1, column: 1))
    #expect(items[0].position == SourcePosition(file: "f", line: 1, column: 5))
    #expect(items[1].position == SourcePosition(file: "f", line: 2, column: 3))
  }

  @Test(arguments: [31, 32, 33, 10_000, 1_000_000])
  func deepNestingIsRefused(_ depth: Int) {
    let flow = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let line = mistakes(flow)[0]
    #expect(line.hasSuffix("nested too deeply, expected at most 32 levels") == (depth > 33), "\(line)")
  }

  @Test func deepBlocksAreRefused() {
    let text = (0..<2000).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
    #expect(mistakes(text)[0].hasSuffix("nested too deeply, expected at most 32 levels"))
    #expect(!mistakes(String(repeating: "- ", count: 10_000) + "a").isEmpty)
    #expect(!mistakes(String(repeating: "? ", count: 10_000) + "a").isEmpty)
    #expect(!mistakes(String(repeating: "{a: ", count: 10_000)).isEmpty)
    #expect(!mistakes(String(repeating: "[", count: 10_000)).isEmpty)
  }

  @Test func anAliasBombIsRefused() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...20 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(
      mistakes(text) == [
        "f.yaml:6:45: too many values (aliases count in full), expected at most 1000000"
      ])
  }

  @Test func aliasesCountTowardsTheDepth() {
    var text = "a0: &a0 [x]\n"
    for level in 1...40 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
    #expect(mistakes(text).last?.contains("nested too deeply") == true)
  }

  @Test func manyValuesAreRefused() {
    let text = "allowRooms: [" + String(repeating: "a,", count: 1_100_000) + "]"
    #expect(mistakes(text)[0].hasSuffix("too many values (aliases count in full), expected at most 1000000"))
  }

  @Test func manyUnknownKeysAreCountedInReasonableTime() {
    let text = (0..<100_000).map { "gift\($0): 1" }.joined(separator: "\n")
    #expect(mistakes(text).last == "and 99900 more")
  }

  @Test func aLongTextIsCutInMessages() {
    let line = mistakes("log: {level: \"\(String(repeating: "x", count: 1_000_000))\"}")[0]
    #expect(line.utf8.count < 200)
    let key = mistakes("? \(String(repeating: "k", count: 100_000))\n: 1")[0]
    #expect(key.utf8.count < 600)
  }

  /// Damaged copies of the example: any answer is right but a crash.
  @Test func damagedFilesNeverCrash() throws {
    let good = try readFile(ExampleTests.example, limit: 1 << 20)
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    for _ in 0..<300 {
      var bytes = good
      for _ in 0...next(8) {
        let place = next(bytes.count)
        switch next(4) {
        case 0: bytes[place] = UInt8(next(256))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + next(40) + 1))
        case 2: bytes.insert(contentsOf: Array("[]{}:-&*!|>'\"%@`#,?".utf8.shuffled(next)), at: place)
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = good }
      }
      _ = mistakes(bytes: bytes)
    }
  }
}

extension String.UTF8View {
  /// A few of the bytes, chosen by the generator.
  fileprivate func shuffled(_ next: (Int) -> Int) -> [UInt8] {
    let all = Array(self)
    return (0...next(3)).map { _ in all[next(all.count)] }
  }
}
