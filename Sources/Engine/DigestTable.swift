/// What a table finds its values by.
protocol TableKey: Equatable, Sendable {
  /// Evenly spread bits, which place it in a table.
  var low: UInt64 { get }
}

extension KeyDigest: TableKey {}

/// Half a digest, where two keys that share it do no harm.
extension UInt64: TableKey {
  var low: UInt64 { self }
}

/// A table by whole digests.
typealias DigestTable<Value: Sendable> = KeyTable<KeyDigest, Value>

/// A table from keys to values that also keeps the order of use, from oldest to newest.
///
/// One structure serves what a room remembers in bounded number and uses again: streaks, colours, numbers
/// left behind. Entries lie in one array, linked by index, so that a lookup, a touch and a removal cost
/// constant time and no allocation once the arrays have grown.
struct KeyTable<Key: TableKey, Value: Sendable>: Sendable {
  private struct Entry {
    var key: Key
    var value: Value
    var older: Int32
    var newer: Int32
  }

  private static var none: Int32 { -1 }

  private var entries: [Entry] = []
  /// Open addressing with linear probing: entry numbers, or `none`. A power of two long.
  private var index: [Int32] = []
  private var free = KeyTable.none
  private var newest = KeyTable.none
  /// The entry used longest ago.
  private var first = KeyTable.none
  /// How many keys it holds.
  private(set) var count = 0

  /// An empty table that will grow no index until it holds more than `capacity` keys.
  init(capacity: Int = 0) {
    guard capacity > 0 else { return }
    entries.reserveCapacity(capacity)
    var length = 8
    while (capacity + 1) * 5 > length * 4 { length *= 2 }
    index = [Int32](repeating: KeyTable.none, count: length)
  }

  /// The place of the key that was used longest ago.
  var oldest: Int? { first >= 0 ? Int(first) : nil }

  /// The place of the key that was used next after the one at a place.
  func newer(than place: Int) -> Int? {
    let newer = entries[place].newer
    return newer >= 0 ? Int(newer) : nil
  }

  /// The value at a place.
  subscript(place: Int) -> Value {
    get { entries[place].value }
    _modify { yield &entries[place].value }
  }

  /// The key at a place.
  func key(at place: Int) -> Key { entries[place].key }

  /// The place of a key, if it is there. The place stays valid until the key is removed.
  func find(_ key: Key) -> Int? {
    guard count > 0 else { return nil }
    let mask = index.count - 1
    var probe = Int(truncatingIfNeeded: key.low) & mask
    while true {
      let place = index[probe]
      if place < 0 { return nil }
      if entries[Int(place)].key == key { return Int(place) }
      probe = (probe + 1) & mask
    }
  }

  /// Adds a key that is not there, as the newest, and returns its place.
  @discardableResult
  mutating func insert(_ key: Key, _ value: Value) -> Int {
    if (count + 1) * 5 > index.count * 4 { grow() }
    let place: Int
    let entry = Entry(key: key, value: value, older: KeyTable.none, newer: KeyTable.none)
    if free >= 0 {
      place = Int(free)
      free = entries[place].newer
      entries[place] = entry
    } else {
      place = entries.count
      entries.reserve(1)
      entries.append(entry)
    }
    count += 1
    linkAsNewest(place)
    addToIndex(place)
    return place
  }

  /// Makes the key at a place the newest.
  mutating func touch(_ place: Int) {
    guard newest != Int32(place) else { return }
    unlink(place)
    linkAsNewest(place)
  }

  /// Removes the key at a place.
  mutating func remove(at place: Int) {
    removeFromIndex(place)
    unlink(place)
    entries[place].newer = free
    free = Int32(place)
    count -= 1
  }

  /// Calls `body` with each value, oldest first, and lets it change the value.
  mutating func updateEach(_ body: (inout Value) -> Void) {
    var place = first
    while place >= 0 {
      body(&entries[Int(place)].value)
      place = entries[Int(place)].newer
    }
  }

  /// Forgets all keys and keeps the memory.
  mutating func removeAll() {
    guard count > 0 else { return }
    entries.removeAll(keepingCapacity: true)
    for probe in index.indices { index[probe] = KeyTable.none }
    free = KeyTable.none
    newest = KeyTable.none
    first = KeyTable.none
    count = 0
  }

  private mutating func linkAsNewest(_ place: Int) {
    entries[place].older = newest
    entries[place].newer = KeyTable.none
    if newest >= 0 { entries[Int(newest)].newer = Int32(place) } else { first = Int32(place) }
    newest = Int32(place)
  }

  private mutating func unlink(_ place: Int) {
    let older = entries[place].older
    let newer = entries[place].newer
    if older >= 0 { entries[Int(older)].newer = newer } else { first = newer }
    if newer >= 0 { entries[Int(newer)].older = older } else { newest = older }
  }

  private mutating func addToIndex(_ place: Int) {
    let mask = index.count - 1
    var probe = Int(truncatingIfNeeded: entries[place].key.low) & mask
    while index[probe] >= 0 { probe = (probe + 1) & mask }
    index[probe] = Int32(place)
  }

  /// Takes a place out of the index and moves up those that had to step over it, so that no marker is left.
  private mutating func removeFromIndex(_ place: Int) {
    let mask = index.count - 1
    var hole = Int(truncatingIfNeeded: entries[place].key.low) & mask
    while index[hole] != Int32(place) { hole = (hole + 1) & mask }
    var probe = (hole + 1) & mask
    while index[probe] >= 0 {
      let home = Int(truncatingIfNeeded: entries[Int(index[probe])].key.low) & mask
      if (probe - home) & mask >= (probe - hole) & mask {
        index[hole] = index[probe]
        hole = probe
      }
      probe = (probe + 1) & mask
    }
    index[hole] = KeyTable.none
  }

  private mutating func grow() {
    index = [Int32](repeating: KeyTable.none, count: max(8, index.count * 2))
    var place = first
    while place >= 0 {
      addToIndex(Int(place))
      place = entries[Int(place)].newer
    }
  }
}
