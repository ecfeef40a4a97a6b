import Base
import Testing

@testable import Wire

@Suite struct JSONParserTests {
  private func strings(_ payload: String) throws -> String {
    let parser = JSONParser()
    let bytes = Array(payload.utf8)
    try parser.parse(bytes.span, maxDepth: 32)
    var copy: [UInt8] = [1, 2, 3]
    parser.appendStrings(to: &copy)
    return String(decoding: copy.dropFirst(3), as: UTF8.self)
  }

  /// What the buffer of strings holds: the length in four bytes, the text, a NUL.
  private func expected(_ texts: [String]) -> String {
    texts.map { "\(Unicode.Scalar(UInt8($0.utf8.count)))\u{0}\u{0}\u{0}\($0)\u{0}" }.joined()
  }

  @Test(arguments: [
    ("1", []), ("[]", []), (#""a""#, ["a"]), (#"["a","bc"]"#, ["a", "bc"]), (#"["a",[],{}]"#, ["a"]),
    (#"["a",["b"],[1,2,[3,[]]]]"#, ["a", "b"]), (#"[["a"],["b",1],[[2.5],[-1]],2]"#, ["a", "b"]),
    (#"{"a":{"b":["c",{"d":1}]},"e":[[18446744073709551615]]}"#, ["a", "b", "c", "d", "e"]),
    (#"[[["a"]],[[]],[[1]]]"#, ["a"]), (#"["\u0000",1]"#, ["\u{0}"]), (#"[1,2,3]"#, []),
  ])
  func exactlyTheUsedStringsAreCopied(_ payload: String, _ texts: [String]) throws {
    #expect(try strings(payload) == expected(texts))
  }

  @Test func numbersThatLookLikeStringsDoNotMislead() throws {
    // The low byte of the type character in the high byte of a number: 0x22…, 0x5B…, 0x7B….
    let numbers = [0x2200_0000_0000_0001, 0x5B00_0000_0000_0003, 0x7B00_0000_0000_0002] as [Int64]
    let list = numbers.map(String.init).joined(separator: ",")
    #expect(try strings(#"["a",[\#(list)],[[\#(list)]]]"#) == expected(["a"]))
  }

  @Test func buffersFollowThePayloadsUpAndDown() throws {
    let parser = JSONParser()
    let small = Array("[1]".utf8)
    try parser.parse(small.span, maxDepth: 32)
    #expect(parser.capacity == 16 << 10)
    let giant = Array("[\"\(String(repeating: "a", count: 1 << 20))\"]".utf8)
    try parser.parse(giant.span, maxDepth: 32)
    #expect(parser.capacity == 2 << 20)
    for _ in 0..<600 { try parser.parse(small.span, maxDepth: 32) }
    #expect(parser.capacity == 16 << 10)
    // Giants that keep coming keep their buffers.
    for _ in 0..<600 {
      try parser.parse(giant.span, maxDepth: 32)
      #expect(parser.capacity == 2 << 20)
    }
  }

  @Test func repairLeavesGoodPayloadsAlone() {
    let payload = Array(#"{"a":[1,-2.5e3,"é\ud83d\ude00\\\"",true,null]}"#.utf8)
    #expect(JSONRepair.repaired(payload.span) == nil)
  }
}
