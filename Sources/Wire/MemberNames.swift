/// A hash table from (parent, name) to the node of a member. Names that no profile asks for miss at the first look.
struct MemberNames: Sendable {
  /// What is known of a member.
  struct Entry: Sendable {
    /// The first eight bytes of the name; all of most names.
    var word: UInt64 = 0
    /// Parent and length of the name.
    var key: UInt64 = 0
    /// The bits of all members below; 0 if the profile does not look into it.
    var below: UInt64 = 0
    /// The node; 0 in an empty entry.
    var node: Int32 = 0
    /// Where the rest of the name lies in `tails`.
    var tail: Int32 = 0
  }

  private let entries: [Entry]
  private let tails: [UInt64]
  private let shift: UInt64
  private let factor: UInt64

  init(_ tree: MemberTree) {
    // At most an eighth of the table is used, so that most misses need one look.
    var bits: UInt64 = 4
    while (1 << bits) < tree.nodes.count * 8 { bits += 1 }
    let shift = 64 - bits
    var tails: [UInt64] = []
    var members: [Entry] = []
    for (node, member) in tree.nodes.enumerated().dropFirst() {
      var words: [UInt64] = []
      for start in stride(from: 0, to: member.name.count, by: 8) {
        words.append(Tape.word(member.name[start..<min(start + 8, member.name.count)]))
      }
      members.append(
        Entry(
          word: words.first ?? 0, key: Self.key(member.parent, member.name.count), below: member.below,
          node: Int32(node), tail: Int32(tails.count)))
      tails.append(contentsOf: words.dropFirst())
    }
    self.tails = tails
    // Some factor leaves no two names in one place, mostly; the one that comes nearest is as right as any.
    var best: (collisions: Int, factor: UInt64) = (.max, 0)
    var factor: UInt64 = 0xD6E8_FEB8_6659_FD93
    for _ in 0..<64 where best.collisions > 0 {
      let slots = Set(members.map { Self.slot($0.word, $0.key, factor, shift) })
      if members.count - slots.count < best.collisions { best = (members.count - slots.count, factor) }
      factor = factor &* 0x9E37_79B9_7F4A_7C15 | 1
    }
    self.factor = best.factor
    var entries = Array(repeating: Entry(), count: 1 << bits)
    for member in members {
      var slot = Self.slot(member.word, member.key, best.factor, shift)
      while entries[slot].node != 0 { slot = (slot + 1) & (entries.count - 1) }
      entries[slot] = member
    }
    self.entries = entries
    self.shift = shift
  }

  /// The part of the look-up that all members of one object share.
  @inline(__always)
  static func key(_ parent: Int, _ count: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: parent) &<< 32 | UInt64(truncatingIfNeeded: count)
  }

  /// The member with this name; its node is 0 if the profile does not look at it.
  @inline(__always)
  func member(parent: Int, nameAt offset: Int, strings: RawSpan) -> Entry {
    let (count, word) = Tape.stringStart(strings, at: offset)
    let key = Self.key(parent, count)
    let slot = Self.slot(word, key, factor, shift)
    let entry = entries[slot]
    if entry.node == 0 || (entry.word == word && entry.key == key && count <= 8) { return entry }
    return probe(from: slot, word: word, key: key, count: count, at: offset &+ 4, strings: strings)
  }

  @inline(never)
  private func probe(
    from start: Int, word: UInt64, key: UInt64, count: Int, at offset: Int, strings: RawSpan
  ) -> Entry {
    var slot = start
    while entries[slot].node != 0 {
      if entries[slot].word == word, entries[slot].key == key,
        tailEquals(Int(entries[slot].tail), count: count, at: offset, strings: strings)
      {
        break
      }
      slot = (slot &+ 1) & (entries.count &- 1)
    }
    return entries[slot]
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

  @inline(__always)
  private static func slot(_ word: UInt64, _ key: UInt64, _ factor: UInt64, _ shift: UInt64) -> Int {
    // Fibonacci hashing (Knuth, 6.4): the high bits of the product depend on all bits of the factors.
    let mixed = (word ^ key &* 0x9E37_79B9_7F4A_7C15) &* factor
    return Int(truncatingIfNeeded: mixed &>> shift)
  }
}
