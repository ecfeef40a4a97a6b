/// A hash table from (parent, name) to the node of a member. Names that no profile asks for miss at the first look.
struct MemberNames: Sendable {
  private struct Entry: Sendable {
    /// The first eight bytes of the name; all of most names.
    var word: UInt64 = 0
    /// Parent and length of the name; no name of ours is that long where the entry is empty.
    var key: UInt64 = .max
    var node = 0
    /// Where the rest of the name lies in `tails`.
    var tail = 0
  }

  private let entries: [Entry]
  private let tails: [UInt64]
  private let shift: UInt64

  init(_ tree: MemberTree) {
    // At most a quarter of the table is used, so that most misses need one look.
    var bits: UInt64 = 3
    while (1 << bits) < tree.children.count * 4 { bits += 1 }
    shift = 64 - bits
    var entries = Array(repeating: Entry(), count: 1 << bits)
    var tails: [UInt64] = []
    for (member, node) in tree.children {
      var words: [UInt64] = []
      for start in stride(from: 0, to: member.name.count, by: 8) {
        let bytes = member.name[start..<min(start + 8, member.name.count)]
        words.append(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
      let entry = Entry(
        word: words.first ?? 0, key: Self.key(member.parent, member.name.count), node: node, tail: tails.count)
      tails.append(contentsOf: words.dropFirst())
      var slot = Self.slot(entry.word, entry.key, shift)
      while entries[slot].node != 0 { slot = (slot + 1) & (entries.count - 1) }
      entries[slot] = entry
    }
    self.entries = entries
    self.tails = tails
  }

  /// The node of the member with this name; 0 if the profile does not look at it.
  @inline(__always)
  func node(parent: Int, nameAt offset: Int, strings: Span<UInt64>) -> Int {
    let (count, word) = Tape.stringStart(strings, at: offset)
    let key = Self.key(parent, count)
    var slot = Self.slot(word, key, shift)
    while entries[slot].node != 0 {
      if entries[slot].word == word, entries[slot].key == key,
        count <= 8 || tailEquals(entries[slot].tail, count: count, at: offset &+ 4, strings: strings)
      {
        return entries[slot].node
      }
      slot = (slot &+ 1) & (entries.count &- 1)
    }
    return 0
  }

  private func tailEquals(_ tail: Int, count: Int, at start: Int, strings: Span<UInt64>) -> Bool {
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
  private static func key(_ parent: Int, _ count: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: parent) &<< 32 | UInt64(truncatingIfNeeded: count)
  }

  @inline(__always)
  private static func slot(_ word: UInt64, _ key: UInt64, _ shift: UInt64) -> Int {
    // Fibonacci hashing (Knuth, 6.4): the high bits of the product depend on all bits of the factors.
    let mixed = (word ^ key &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: mixed &>> shift)
  }
}
