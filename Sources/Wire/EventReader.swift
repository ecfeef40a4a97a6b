internal import Base

/// Turns one element, whose members are indexed, into an event: the rules of the design, section 3.
struct EventReader {
  /// Bytes of an id.
  static let maxIDBytes = 256
  /// Bytes of an address that is passed through.
  static let maxAddressBytes = 2000
  static let countRange: ClosedRange<Int64> = 1...1_000_000
  /// 2^53: every integer up to it is one in any language.
  static let likeTotalRange: ClosedRange<Int64> = 0...(1 << 53)
  static let priceRange: ClosedRange<Int64> = 0...1_000_000_000_000

  private let givenKind: EventKind?
  let profile: CompiledProfile
  let maxNameBytes: Int
  let maxTextBytes: Int

  init(kind: EventKind?, profile: CompiledProfile, limits: RoomLimits) {
    givenKind = kind
    self.profile = profile
    maxNameBytes = limits.maxNameBytes
    maxTextBytes = limits.maxTextBytes
  }

  /// The event of an element at a position of the payload's array. Texts that cannot stay where they are go to the
  /// end of the arena.
  func event(
    _ position: Int, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>,
    arena: inout [UInt8]
  ) throws(Refusal) -> Event {
    let kind = try kind(element, tape, strings, arena: &arena)
    var event = Event(kind: kind, index: position)
    try readSender(element, tape, strings, into: &event, arena: &arena)
    switch kind {
    case .gift: try readGift(element, tape, strings, into: &event, arena: &arena)
    case .comment: try readText(element, tape, strings, into: &event, arena: &arena)
    case .like: break
    }
    event.id = try id(value(.id, kind, element, tape), tape, strings, arena: &arena)
    let time = value(.time, kind, element, tape)
    if time != 0 { event.time = Self.integer(time, tape) }
    switch kind {
    case .gift:
      try readGiftCount(element, tape, into: &event)
      try readPrice(element, tape, into: &event)
    case .comment: break
    case .like: try readLikeCount(element, tape, into: &event)
    }
    return event
  }

  private func kind(
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>, arena: inout [UInt8]
  ) throws(Refusal) -> EventKind {
    if let givenKind { return givenKind }
    let index = profile.kindNode == 0 ? 0 : element.value(at: profile.kindNode, profile)
    guard index != 0, Tape.type(tape[index]) != Tape.null else {
      throw Refusal(.unknownType, "found no type, expected one where the profile says")
    }
    if Tape.type(tape[index]) == Tape.string {
      for name in profile.kindWords where Tape.isEqual(name.word, toStringAt: Tape.offset(tape[index]), strings) {
        return name.kind
      }
    } else if let text = text(ofInteger: index, tape, arena: &arena) {
      // Sources that number their types: the words are decimal texts.
      for name in profile.kindWords where name.word.elementsEqual(arena[text.range]) { return name.kind }
    }
    throw Refusal(.unknownType, "found a type that is none of the profile's words")
  }
}

// MARK: - People and gifts

extension EventReader {
  private func readSender(
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>, into event: inout Event,
    arena: inout [UInt8]
  ) throws(Refusal) {
    let kind = event.kind
    event.sender = try party(.sender(kind), element, tape, strings, arena: &arena)
    let isAnonymous = isTrue(value(.senderAnonymous, kind, element, tape), tape)
    if isAnonymous { event.merges = false }
    if event.sender.id.isAbsent {
      guard isAnonymous else {
        throw Refusal(.missingSender, "found no sender with an id, expected a string or an integer")
      }
      event.sender.id = arena.append(text: "anonymous".utf8)
      event.sender.name = name(value(.senderName, kind, element, tape), tape, strings, arena: &arena)
      if event.sender.name.isAbsent { event.sender.name = event.sender.id }
    }
  }

  /// Which fields make a party.
  private struct PartyFields {
    let kind: EventKind
    let plain: EventField
    let id: EventField
    let name: EventField
    let level: EventField
    let avatar: EventField

    @inline(__always)
    static func sender(_ kind: EventKind) -> PartyFields {
      PartyFields(
        kind: kind, plain: .sender, id: .senderID, name: .senderName, level: .senderLevel, avatar: .senderAvatar)
    }

    @inline(__always)
    static func receiver(_ kind: EventKind) -> PartyFields {
      PartyFields(
        kind: kind, plain: .receiver, id: .receiverID, name: .receiverName, level: .receiverLevel,
        avatar: .receiverAvatar)
    }
  }

  /// A person; without an id if the element gives none that is usable.
  @inline(__always)
  private func party(
    _ fields: PartyFields, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>,
    arena: inout [UInt8]
  ) throws(Refusal) -> Party {
    var party = Party()
    (party.id, party.name) = try identity(
      fields.plain, fields.id, fields.name, fields.kind, element, tape, strings, arena: &arena)
    let level = value(fields.level, fields.kind, element, tape)
    if level != 0 { party.level = Self.integer(level, tape) }
    party.avatar = address(value(fields.avatar, fields.kind, element, tape), tape, strings)
    return party
  }

  private func readGift(
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>, into event: inout Event,
    arena: inout [UInt8]
  ) throws(Refusal) {
    (event.gift.id, event.gift.name) = try identity(
      .gift, .giftID, .giftName, .gift, element, tape, strings, arena: &arena)
    guard !event.gift.id.isAbsent else {
      throw Refusal(.missingGift, "found no gift with an id, expected a string or an integer")
    }
    event.gift.icon = address(value(.giftIcon, .gift, element, tape), tape, strings)
    if element.mayHave(profile.receiverMask) {
      event.receiver = try party(.receiver(.gift), element, tape, strings, arena: &arena)
      if event.receiver.id.isAbsent { event.receiver = Party() }
    }
    guard element.mayHave(profile.rareGiftMask) else { return }
    event.streak = try id(value(.streak, .gift, element, tape), tape, strings, arena: &arena)
    event.endsStreak = isTrue(value(.end, .gift, element, tape), tape)
    if isFalse(value(.combo, .gift, element, tape), tape) { event.merges = false }
  }

  /// Id and display name of a person or a gift; both absent if there is no usable id.
  private func identity(
    _ plainField: EventField, _ idField: EventField, _ nameField: EventField, _ kind: EventKind,
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>, arena: inout [UInt8]
  ) throws(Refusal) -> (id: TextSlice, name: TextSlice) {
    let plain = value(plainField, kind, element, tape)
    let idIndex = value(idField, kind, element, tape)
    var id = try id(idIndex, tape, strings, arena: &arena)
    if id.isAbsent { id = try self.id(plain, tape, strings, arena: &arena) }
    if id.isAbsent { return (id, id) }
    // A name that is no string, or of which nothing is left, is the id, as far as that can be drawn.
    var name = name(value(nameField, kind, element, tape), tape, strings, arena: &arena)
    if name.isAbsent { name = self.name(plain, tape, strings, arena: &arena) }
    if name.isAbsent { name = self.name(idIndex, tape, strings, arena: &arena) }
    if name.isAbsent { name = id }
    return (id, name)
  }

  private func readText(
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: Span<UInt64>, into event: inout Event,
    arena: inout [UInt8]
  ) throws(Refusal) {
    let index = value(.text, .comment, element, tape)
    guard index != 0, Tape.type(tape[index]) == Tape.string else {
      throw Refusal(.missingText, "found no text, expected a string")
    }
    event.text = cleaned(index, limit: maxTextBytes, tape, strings, arena: &arena)
    guard !event.text.isAbsent else {
      throw Refusal(.missingText, "found a text without a visible character")
    }
  }
}
