import Base
import Testing

@testable import Engine

/// Digests stand for keys.
@Suite struct KeyDigestTests {
  private func digest(_ parts: [String], seed: UInt64 = 0) -> [UInt64] {
    var digester = KeyDigester(seed: seed)
    for part in parts {
      var arena: [UInt8] = Array("before".utf8)
      let slice = arena.append(text: part.utf8)
      arena.append(contentsOf: "after".utf8)
      digester.add(slice, in: arena.span)
    }
    return [digester.digest().low, digester.digest().high]
  }

  @Test func equalPartsHaveEqualDigestsWhereverTheyLie() {
    var digester = KeyDigester(seed: 0)
    digester.add(Array("0123456789".utf8).span)
    #expect([digester.digest().low, digester.digest().high] == digest(["0123456789"]))
  }

  @Test func differentKeysDiffer() {
    let texts = [
      "", "a", "b", "ab", "aaaaaaa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaaaaaaaa", "\0", "\0\0", "a\0",
    ]
    var seen: Set<[UInt64]> = []
    var keys = 0
    for first in texts {
      seen.insert(digest([first]))
      keys += 1
      for second in texts {
        seen.insert(digest([first, second]))
        keys += 1
      }
    }
    #expect(seen.count == keys)
    #expect(digest(["ab", "c"]) != digest(["a", "bc"]))
    #expect(digest(["", "a"]) != digest(["a", ""]))
  }

  @Test func theSeedChangesBothHalves() {
    let (a, b) = (digest(["Ann"], seed: 1), digest(["Ann"], seed: 2))
    #expect(a[0] != b[0])
    #expect(a[1] != b[1])
  }

  @Test func manyShortIDsHaveDifferentHalves() {
    let digests = (0..<20_000).map { digest(["\($0)"], seed: 1_722_400_000_000) }
    #expect(Set(digests.map { $0[0] }).count == 20_000)
    #expect(Set(digests.map { $0[1] }).count == 20_000)
  }
}
