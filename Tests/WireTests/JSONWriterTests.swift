import Base
import Simulation
import Testing

@testable import Wire

@Suite struct JSONWriterTests {
  private func written(_ text: [UInt8]) -> String {
    var output: [UInt8] = []
    JSONWriter.append(string: text.span, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: [
    ("", #""""#), ("plain", #""plain""#), ("a\"b\\c/", #""a\"b\\c/""#),
    ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
    ("\u{0}\u{1}\u{1F}\u{7F}", "\"\\u0000\\u0001\\u001f\u{7F}\""), ("你好🎁", #""你好🎁""#),
    ("\u{2028}", "\"\u{2028}\""),
  ])
  func strings(_ text: String, _ json: String) {
    #expect(written(Array(text.utf8)) == json)
  }

  @Test(
    arguments: [
      ([0xFF], "\u{FFFD}"), ([0x61, 0xE4, 0xBD], "a\u{FFFD}"), ([0xE4, 0xBD, 0x22], "\u{FFFD}\\\""),
      ([0xC3, 0xA9, 0x80, 0x62], "é\u{FFFD}b"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ] as [([UInt8], String)])
  func badBytesBecomeReplacements(_ bytes: [UInt8], _ content: String) {
    #expect(written(bytes) == "\"\(content)\"")
  }

  @Test func rangesAreRespected() {
    let bytes = Array("ab你c".utf8)
    var output: [UInt8] = []
    // The range ends inside a character: what follows it must not be read.
    JSONWriter.append(string: bytes.span.extracting(1..<4), to: &output)
    #expect(output == Array("\"b\u{FFFD}\"".utf8))
  }

  @Test(arguments: [0, 1, -1, 9, 10, 99, 100, -1_000_000, 1_722_400_000_000, Int64.max, Int64.min])
  func integers(_ value: Int64) {
    var output: [UInt8] = []
    JSONWriter.append(value, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == String(value))
  }

  @Test func everyGroupOfDigits() {
    // Eight digits are made at once, of two halves of four: all values of a half, in each place of it.
    for half in 0..<10_000 as Range<UInt64> {
      for value in [
        half, half * 10_000, half * 10_000 + 9999, half * 100_000_000, 10_000_000_000_000_000 + half,
      ] {
        var output: [UInt8] = []
        JSONWriter.append(value, to: &output)
        let isRight = output.elementsEqual(String(value).utf8)
        #expect(isRight, "\(value)")
      }
    }
  }

  @Test func largestUnsigned() {
    var output: [UInt8] = []
    JSONWriter.append(UInt64.max, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "18446744073709551615")
  }

  /// Whatever the bytes, the result is UTF-8 and JSON, and reads back as those bytes decoded leniently.
  @Test func anyBytesGiveAValidString() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    let parser = JSONParser()
    let alphabet: [UInt8] = [
      0, 9, 0x1F, 0x22, 0x5C, 0x61, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xE2, 0xED, 0xF0, 0xF4, 0xFF,
    ]
    for round in 0..<3000 {
      let text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...255, using: &generator) : alphabet.randomElement(using: &generator) ?? 0
      }
      var output = Array("[".utf8)
      JSONWriter.append(string: text.span, to: &output)
      output.append(UInt8(ascii: "]"))
      let isUTF8 = output.span.isUTF8
      #expect(isUTF8, "seed \(seed), round \(round): \(text)")
      try parser.parse(output.span, maxDepth: 1)
      var strings: [UInt8] = []
      parser.appendStrings(to: &strings)
      let read = String(decoding: strings.dropFirst(4).dropLast(), as: UTF8.self)
      #expect(read == String(decoding: text, as: UTF8.self), "seed \(seed), round \(round): \(text)")
      #expect(parser.repairedPayloads == 0)
    }
  }
}
