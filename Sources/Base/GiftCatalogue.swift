/// What an operator says of single gifts. It wins over what payloads say of them.
public struct CatalogueEntry: Equatable, Sendable {
  /// The gift's id; or its name, for gifts of whose ids there is no entry.
  public var gift: [UInt8]
  /// Display name; empty: as the payload says.
  public var name: [UInt8] = []
  /// Address of a picture; empty: as the payload says.
  public var icon: [UInt8] = []
  /// Price of one, in the room's unit; nil: as the payload says.
  public var price: Int64?
  /// The least priority that the gift has, 0 … 9; nil: only rules give one.
  public var priority: Int?
  /// What it plays full-screen if no rule says another; empty: nothing.
  public var asset: [UInt8] = []
  /// How long that plays at most.
  public var durationMilliseconds: Int64 = 6000

  /// An entry that says nothing yet of a gift.
  public init(gift: [UInt8]) {
    self.gift = gift
  }
}

/// The entries of a room, found by the bytes of ids and names without allocating.
public struct GiftCatalogue: Equatable, Sendable {
  /// The entries, in the order of the configuration.
  public let entries: [CatalogueEntry]
  /// Places of entries by hash, and the next place where that is taken; -1: free. Twice as many as entries at
  /// least.
  private let slots: [Int32]

  /// A catalogue. Of two entries of one gift the first counts.
  public init(_ entries: [CatalogueEntry] = []) {
    self.entries = entries
    guard !entries.isEmpty else {
      slots = []
      return
    }
    var size = 4
    while size < entries.count * 2 { size *= 2 }
    var slots = [Int32](repeating: -1, count: size)
    for (number, entry) in entries.enumerated() {
      var slot = Self.hash(entry.gift.span) & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(number)
    }
    self.slots = slots
  }

  /// True if nothing is said of any gift.
  public var isEmpty: Bool { entries.isEmpty }

  /// The number of the entry of a gift, by its id or else by its name; nil: there is none.
  public func number(of gift: Gift, in bytes: [UInt8]) -> Int? {
    guard !isEmpty else { return nil }
    return number(of: bytes.span.extracting(gift.id.range))
      ?? number(of: bytes.span.extracting(gift.name.range))
  }

  private func number(of text: Span<UInt8>) -> Int? {
    var slot = Self.hash(text) & (slots.count - 1)
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if Self.isEqual(entries[number].gift, text) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. The entries are the operator's, so nobody can choose
  /// them to collide.
  private static func hash(_ text: Span<UInt8>) -> Int {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for position in text.indices { hash = (hash ^ UInt64(text[position])) &* 1_099_511_628_211 }
    return Int(truncatingIfNeeded: (hash ^ (hash >> 32)) & 0xFFFF_FFFF)
  }

  private static func isEqual(_ gift: [UInt8], _ text: Span<UInt8>) -> Bool {
    guard gift.count == text.count else { return false }
    for position in text.indices where gift[position] != text[position] { return false }
    return true
  }
}

extension EventBatch {
  /// Says of the gifts what a catalogue says of them. Their ids stay, and with them groups, streaks and the
  /// ledger's lines.
  public mutating func apply(_ catalogue: GiftCatalogue) {
    guard !catalogue.isEmpty else { return }
    for place in events.indices where events[place].kind == .gift {
      guard let number = catalogue.number(of: events[place].gift, in: bytes) else { continue }
      let entry = catalogue.entries[number]
      events[place].catalogueEntry = Int32(number)
      if !entry.name.isEmpty { events[place].gift.name = bytes.append(text: entry.name) }
      if !entry.icon.isEmpty { events[place].gift.icon = bytes.append(text: entry.icon) }
      if let price = entry.price { events[place].gift.price = price }
    }
  }
}
