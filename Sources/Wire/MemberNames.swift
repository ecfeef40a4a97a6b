/// A hash table from (parent, name) to the node of a member. Names that no profile asks for miss at the
/// first look.
struct MemberNames: Sendable {
  /// What is known of a member.
  struct Entry: Sendable {
    /// The first eight bytes of the name; all of most names.
    var word: UInt64 = 0
    /// Parent and length of the name.
    var key: UInt64 = 0
    /// The bit of the node.
    var bit: UInt64 = 0
    /// The bits of all members below; 0 if the profile does not look into it.
    var below: UInt64 = 0
    /// The node; 0 in an empty entry.
    var node: Int32 = 0
    /// Where the rest of the name lies in `tails`.
    var tail: Int32 = 0
  }

  /// The table; its size is a power of two.
  let entries: [Entry]
  /// How names are spread over it.
  let hash: Hash
  private let tails: [UInt64]

  /// Fibonacci hashing (Knuth, 6.4): the high bits of the product depend on all bits of the factors.
  struct Hash: Sendable {
    var factor: UInt64
    var shift: UInt64

    @inline(__always)
    func slot(_ word: UInt64, _ key: UInt64) -> Int {
      // Parent and length are small, and most texts leave the high bits of the word free.
      Int(truncatingIfNeeded: ((word ^ key &<< 24 ^ key &<< 60) &* factor) &>> shift)
    }
  }

  init(_ tree: MemberTree) {
    // At most an eighth of the table is used, so that most misses need one look.
    var bits: UInt64 = 4
    while (1 << bits) < tree.nodes.count * 8 { bits += 1 }
    var hash = Hash(factor: 0xD6E8_FEB8_6659_FD93, shift: 64 - bits)
    var tails: [UInt64] = []
    var members: [Entry] = []
    for (node, member) in tree.nodes.enumerated().dropFirst() {
      var words: [UInt64] = []
      for start in stride(from: 0, to: member.name.count, by: 8) {
        words.append(Tape.word(member.name[start..<min(start + 8, member.name.count)]))
      }
      members.append(
        Entry(
          word: words.first ?? 0, key: Self.key(member.parent, member.name.count),
          bit: MemberNode.bit(of: node), below: member.below,
          node: Int32(node), tail: Int32(tails.count)))
      tails.append(contentsOf: words.dropFirst())
    }
    self.tails = tails
    // Some factor leaves no two names in one place, mostly; the one that comes nearest is as right as any.
    var best = hash
    var fewestCollisions = Int.max
    for _ in 0..<64 where fewestCollisions > 0 {
      let collisions = members.count - Set(members.map { hash.slot($0.word, $0.key) }).count
      if collisions < fewestCollisions { (best, fewestCollisions) = (hash, collisions) }
      hash.factor = hash.factor &* 0x9E37_79B9_7F4A_7C15 | 1
    }
    var entries = Array(repeating: Entry(), count: 1 << bits)
    for member in members {
      var slot = best.slot(member.word, member.key)
      while entries[slot].node != 0 { slot = (slot + 1) & (entries.count - 1) }
      entries[slot] = member
    }
    self.entries = entries
    self.hash = best
  }

  /// The part of the look-up that all members of one object share.
  @inline(__always)
  static func key(_ parent: Int, _ count: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: parent) &<< 32 | UInt64(truncatingIfNeeded: count)
  }

  /// Where the member with this name stands in the table, or an empty entry if the profile does not look at
  /// it. The table is passed in, so that a walk fetches it once.
  @inline(__always)
  func slot(
    parent: Int, nameAt offset: Int, _ strings: RawSpan, _ entries: Span<Entry>
  ) -> Int {
    let (count, word) = Tape.stringStart(strings, at: offset)
    let key = Self.key(parent, count)
    let slot = hash.slot(word, key)
    if entries[slot].node == 0 || (entries[slot].word == word && entries[slot].key == key && count <= 8) {
      return slot
    }
    return probe(from: slot, word: word, key: key, count: count, at: offset &+ 4, strings: strings)
  }

  @inline(never)
  private func probe(
    from start: Int, word: UInt64, key: UInt64, count: Int, at offset: Int, strings: RawSpan
  ) -> Int {
    var slot = start
    while entries[slot].node != 0 {
      if entries[slot].word == word, entries[slot].key == key,
        tailEquals(Int(entries[slot].tail), count: count, at: offset, strings: strings)
      {
        break
      }
      slot = (slot &+ 1) & (entries.count &- 1)
    }
    return slot
  }

  private func tailEquals(_ tail: Int, count: Int, at start: Int, strings: RawSpan) -> Bool {
    var tail = tail
    var done = 8
    while done < count {
      let word = Tape.first(count - done, of: Tape.eightBytes(strings, at: start + done))
      guard tails[tail] == word else { return false }
      tail += 1
      done += 8
    }
    return true
  }
}
