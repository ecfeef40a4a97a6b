import Base
import Testing

@testable import Engine

/// The table that keeps the order of use.
@Suite struct DigestTableTests {
  private func key(_ number: UInt64) -> KeyDigest { KeyDigest(low: number, high: 0) }

  private func oldestFirst(_ table: DigestTable<Int>) -> [Int] {
    var table = table
    var values: [Int] = []
    while let place = table.oldest {
      values.append(table[place])
      table.remove(at: place)
    }
    return values
  }

  @Test func anEmptyTableFindsNothing() {
    var table = DigestTable<Int>()
    #expect(table.find(key(0)) == nil)
    #expect(table.oldest == nil)
    table.removeAll()
    #expect(table.count == 0)
  }

  @Test func theOrderIsThatOfUse() {
    var table = DigestTable<Int>()
    let places = (0..<4).map { table.insert(key(UInt64($0)), $0) }
    table.touch(places[0])
    table.touch(places[2])
    table.touch(places[2])
    #expect(oldestFirst(table) == [1, 3, 0, 2])
    table.remove(at: places[3])
    #expect(oldestFirst(table) == [1, 0, 2])
    var seen: [Int] = []
    table.updateEach {
      seen.append($0)
      $0 += 10
    }
    #expect(seen == [1, 0, 2])
    #expect(oldestFirst(table) == [11, 10, 12])
  }

  @Test func keysThatDifferInTheHighHalfOnlyAreTwo() {
    var table = DigestTable<Int>()
    table.insert(KeyDigest(low: 5, high: 1), 1)
    table.insert(KeyDigest(low: 5, high: 2), 2)
    #expect(table.find(KeyDigest(low: 5, high: 1)).map { table[$0] } == 1)
    #expect(table.find(KeyDigest(low: 5, high: 2)).map { table[$0] } == 2)
    #expect(table.find(KeyDigest(low: 5, high: 3)) == nil)
  }

  @Test func aPlaceStaysValidWhileOthersComeAndGo() {
    var table = DigestTable<Int>()
    let place = table.insert(key(1), 100)
    for number in UInt64(2)..<200 { table.insert(key(number), Int(number)) }
    for number in UInt64(2)..<200 { if let other = table.find(key(number)) { table.remove(at: other) } }
    #expect(table.find(key(1)) == place)
    #expect(table[place] == 100)
    #expect(table.key(at: place) == key(1))
  }

  /// Few different low bits, so that probes collide, wrap and close holes.
  @Test(arguments: Chance.seeds(40))
  func itDoesWhatAListWould(seed: UInt64) {
    var chance = Chance(seed: seed)
    var table = DigestTable<Int>()
    var list: [(key: KeyDigest, value: Int)] = []
    let spread = chance.pick([1, 2, 7, 8, 64] as [UInt64])
    for step in 0..<600 {
      let number = UInt64.random(in: 0..<40, using: &chance)
      let key = KeyDigest(low: (number % spread) &* 0xFFFF_FFFF_FFFF_FFF7, high: number)
      let index = list.firstIndex { $0.key == key }
      guard let place = table.find(key) else {
        #expect(index == nil, "\(Chance.howToRepeat(seed))")
        table.insert(key, step)
        list.append((key, step))
        continue
      }
      guard let index else {
        Issue.record("a key that was removed is found; \(Chance.howToRepeat(seed))")
        return
      }
      #expect(table[place] == list[index].value, "\(Chance.howToRepeat(seed))")
      switch Int.random(in: 0..<4, using: &chance) {
      case 0:
        table.touch(place)
        list.append(list.remove(at: index))
      case 1:
        table[place] = step
        list[index].value = step
      default:
        table.remove(at: place)
        list.remove(at: index)
      }
      if step % 50 == 0 { #expect(oldestFirst(table) == list.map(\.value), "\(Chance.howToRepeat(seed))") }
      if step == 400 {
        table.removeAll()
        list.removeAll()
      }
      #expect(table.count == list.count, "\(Chance.howToRepeat(seed))")
    }
    #expect(oldestFirst(table) == list.map(\.value), "\(Chance.howToRepeat(seed))")
  }
}
