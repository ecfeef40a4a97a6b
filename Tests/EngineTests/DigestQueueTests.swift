import Base
import Testing

@testable import Engine

/// The queue of digests, against a list that is searched from end to end.
@Suite struct DigestQueueTests {
  /// A digest of few different ones, with the same first half now and then.
  private func digest(_ number: Int) -> KeyDigest {
    KeyDigest(low: UInt64(number % 97) &* 0x9e37_79b9_7f4a_7c15, high: UInt64(number))
  }

  @Test(arguments: [true, false])
  func itHoldsWhatCameAndNothingElse(isExact: Bool) throws {
    var generator = Chance(seed: 20_261_201)
    var queue = DigestQueue(isExact: isExact)
    var model: [(digest: KeyDigest, instant: Instant)] = []
    func isIn(_ digest: KeyDigest) -> Bool {
      model.contains { $0.digest.low == digest.low && (!isExact || $0.digest.high == digest.high) }
    }
    for step in 0..<20_000 {
      // Growing for some time, then shrinking, so that the ring wraps at many lengths.
      let grows = step / 500 % 2 == 0
      if Int.random(in: 0..<5, using: &generator) < (grows ? 4 : 1) {
        let digest = digest(Int.random(in: 0..<400, using: &generator))
        #expect(queue.contains(digest) == isIn(digest))
        guard !isIn(digest) else { continue }
        queue.append(digest, at: Instant(step))
        model.append((digest, Instant(step)))
      } else if !model.isEmpty {
        queue.removeOldest()
        let gone = model.removeFirst()
        #expect(!queue.contains(gone.digest))
      }
      #expect(queue.count == model.count)
      #expect(queue.oldest == (isExact ? model.first?.instant : nil))
    }
    var writer = StateWriter()
    queue.save(to: &writer)
    var reader = StateReader(writer.bytes)
    let restored = try DigestQueue(isExact: isExact, from: &reader)
    try reader.finish()
    #expect(restored.count == model.count)
    for number in 0..<400 { #expect(restored.contains(digest(number)) == isIn(digest(number))) }
    #expect(restored.oldest == queue.oldest)
  }
}
