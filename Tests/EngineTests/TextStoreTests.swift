import Base
import Testing

@testable import Engine

/// The texts of a room in one array.
@Suite struct TextStoreTests {
  private func text(_ block: TextBlock, count: Int, in store: TextStore) -> [UInt8] {
    var arena: [UInt8] = [1, 2, 3]
    let start = store.append(block, count: count, to: &arena)
    #expect(start == 3)
    return Array(arena[start...])
  }

  private func write(_ bytes: [UInt8], to store: inout TextStore) -> TextBlock {
    let block = store.allocate(bytes.count)
    store.write(TextSlice(start: 0, count: bytes.count), of: bytes, to: block, at: 0)
    return block
  }

  @Test func aTextOfNothingIsABlockToo() {
    var store = TextStore()
    let block = store.allocate(0)
    #expect(text(block, count: 0, in: store) == [])
    store.free(block)
  }

  @Test func aFreedBlockIsUsedAgain() {
    var store = TextStore()
    let kept = write(Array(repeating: 7, count: 40), to: &store)
    let first = write(Array(repeating: 8, count: 40), to: &store)
    store.free(first)
    let second = write(Array(repeating: 9, count: 48), to: &store)
    #expect(second.start == first.start)
    #expect(text(kept, count: 40, in: store) == Array(repeating: 7, count: 40))
  }

  @Test func aRoomThatHoldsNothingGivesAFloodsMemoryBack() {
    var store = TextStore()
    let blocks = (0..<1000).map { _ in store.allocate(200) }
    #expect(store.capacity >= 200_000)
    for block in blocks { store.free(block) }
    #expect(store.capacity <= 8192)
  }

  @Test func itStopsGrowingUnderASteadyCrowd() {
    var store = TextStore()
    var chance = Chance(seed: 1)
    let sizes = [10, 40, 64, 65, 300, 1000]
    var blocks = (0..<30).map { store.allocate(sizes[$0 % 6]) }
    for step in 0..<60 {
      store.free(blocks.removeFirst())
      blocks.append(store.allocate(sizes[step % 6]))
    }
    let capacity = store.capacity
    for step in 0..<6000 {
      store.free(blocks.removeFirst())
      blocks.append(store.allocate(sizes[step % 6]))
    }
    #expect(store.capacity == capacity)
    blocks.shuffle(using: &chance)
    for block in blocks { store.free(block) }
  }

  @Test(arguments: Chance.seeds(30))
  func noTextOverwritesAnother(seed: UInt64) {
    var chance = Chance(seed: seed)
    var store = TextStore()
    var texts: [(block: TextBlock, bytes: [UInt8])] = []
    for _ in 0..<300 {
      switch Int.random(in: 0..<5, using: &chance) {
      case 0, 1:
        let count = chance.pick([0, 1, 31, 32, 33, 47, 48, 49, 64, 96, 97, 500, 3000])
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
        texts.append((write(bytes, to: &store), bytes))
      case 2 where !texts.isEmpty:
        let (block, bytes) = chance.pick(texts)
        texts.append((store.copy(block, count: bytes.count), bytes))
      case 3, 4:
        guard !texts.isEmpty else { continue }
        store.free(texts.remove(at: Int.random(in: texts.indices, using: &chance)).block)
      default: break
      }
      for (block, bytes) in texts {
        #expect(text(block, count: bytes.count, in: store) == bytes, "\(Chance.howToRepeat(seed))")
      }
    }
  }
}
