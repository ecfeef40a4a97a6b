import Base

/// Digests in the order in which they came: the newest is added, the oldest removed, and any of them found.
///
/// Half of what a room remembers are ids of events. They are never used again but to be found, so they need
/// no links between them: they lie in a ring, and an index leads from a digest to its place there.
struct DigestQueue {
  /// True: whole digests with their instants. False: their first halves alone, with which a key is taken for
  /// another once in 10¹⁵ with ten thousand of them.
  private let isExact: Bool
  private var lows: [UInt64] = []
  private var highs: [UInt64] = []
  private var instants: [Instant] = []
  /// The place of the oldest.
  private var head = 0
  /// How many there are.
  private(set) var count = 0
  /// Open addressing with linear probing: places, or -1. A third longer than the ring.
  private var index: [Int32] = []

  /// An empty queue.
  init(isExact: Bool) { self.isExact = isExact }

  /// When the oldest came; nil if there is none.
  var oldest: Instant? { count > 0 && isExact ? instants[head] : nil }

  /// True if a digest is there.
  func contains(_ digest: KeyDigest) -> Bool {
    guard count > 0 else { return false }
    var probe = home(of: digest.low)
    while true {
      let place = Int(index[probe])
      if place < 0 { return false }
      if lows[place] == digest.low, !isExact || highs[place] == digest.high { return true }
      probe = next(probe)
    }
  }

  /// Adds a digest that is not there.
  mutating func append(_ digest: KeyDigest, at instant: Instant) {
    if count == lows.count { grow() }
    let place = self.place(of: count)
    lows[place] = digest.low
    if isExact {
      highs[place] = digest.high
      instants[place] = instant
    }
    count += 1
    addToIndex(place)
  }

  /// Removes the oldest. There must be one.
  mutating func removeOldest() {
    removeFromIndex(head)
    head = head + 1 == lows.count ? 0 : head + 1
    count -= 1
  }

  /// The place of the one that is so many after the oldest.
  private func place(of position: Int) -> Int {
    let place = head + position
    return place >= lows.count ? place - lows.count : place
  }

  /// An eighth more instead of twice as much: with ten thousand rooms the room that nobody uses counts.
  private mutating func grow() {
    let capacity = count + max(8, count / 8)
    func unrolled<Word>(_ ring: [Word], _ blank: Word) -> [Word] {
      var words: [Word] = []
      words.reserveCapacity(capacity)
      words.append(contentsOf: ring[head...])
      words.append(contentsOf: ring[..<head])
      words.append(contentsOf: repeatElement(blank, count: capacity - words.count))
      return words
    }
    lows = unrolled(lows, 0)
    if isExact {
      highs = unrolled(highs, 0)
      instants = unrolled(instants, 0)
    }
    head = 0
    index = [Int32](repeating: -1, count: capacity + capacity / 3)
    for place in 0..<count { addToIndex(place) }
  }

  /// Where the search for a digest begins: its upper bits as a fraction of the index.
  private func home(of low: UInt64) -> Int { Int(low.multipliedFullWidth(by: UInt64(index.count)).high) }

  private func next(_ probe: Int) -> Int { probe + 1 == index.count ? 0 : probe + 1 }

  private mutating func addToIndex(_ place: Int) {
    var probe = home(of: lows[place])
    while index[probe] >= 0 { probe = next(probe) }
    index[probe] = Int32(place)
  }

  /// Takes a place out of the index and moves up those that had to step over it, so that no marker is left.
  private mutating func removeFromIndex(_ place: Int) {
    var hole = home(of: lows[place])
    while index[hole] != Int32(place) { hole = next(hole) }
    var probe = next(hole)
    while index[probe] >= 0 {
      let home = home(of: lows[Int(index[probe])])
      if steps(from: home, to: probe) >= steps(from: hole, to: probe) {
        index[hole] = index[probe]
        hole = probe
      }
      probe = next(probe)
    }
    index[hole] = -1
  }

  private func steps(from: Int, to: Int) -> Int { to >= from ? to - from : to - from + index.count }
}

extension DigestQueue {
  /// Writes it: all digests, then of exact ones each instant as its distance from the one before, mostly a
  /// byte or two.
  func save(to writer: inout StateWriter) {
    writer.write(count: count)
    let words = isExact ? 2 : 1
    var offset = writer.appendWords(words * count)
    for position in 0..<count {
      let place = place(of: position)
      writer.set(lows[place], at: offset)
      if isExact { writer.set(highs[place], at: offset + 8) }
      offset += 8 * words
    }
    guard isExact else { return }
    var previous = writer.origin
    for position in 0..<count {
      let instant = instants[place(of: position)]
      writer.write(signed: instant &- previous)
      previous = instant
    }
  }

  /// Reads one.
  init(isExact: Bool, from reader: inout StateReader) throws(StateFault) {
    self.init(isExact: isExact)
    let size = isExact ? 16 : 8
    let count = try reader.count(ofThings: size)
    let keys = try reader.pass(count * size)
    let origin = reader.origin
    defer { reader.origin = origin }
    for offset in stride(from: keys.lowerBound, to: keys.upperBound, by: size) {
      let key = KeyDigest(low: reader.word(at: offset), high: isExact ? reader.word(at: offset + 8) : 0)
      guard !contains(key) else { throw StateFault(.contradiction, at: offset) }
      if isExact { reader.origin = try reader.instant() }
      append(key, at: reader.origin)
    }
  }
}
