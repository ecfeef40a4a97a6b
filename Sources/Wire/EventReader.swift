internal import Base

/// Turns one element, whose members are indexed, into an event: the rules of the design, section 3.
///
/// Texts that cannot stay where they are in the arena (cleaned ones, numbers) go to its end.
struct EventReader {
  /// Bytes of an id.
  static let maxIDBytes = 256
  /// Bytes of an address that is passed through.
  static let maxAddressBytes = 2000
  static let countRange: ClosedRange<Int64> = 1...1_000_000
  /// 2^53: every integer up to it is one in any language.
  static let likeTotalRange: ClosedRange<Int64> = 1...(1 << 53)
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

  /// What an element is.
  @inline(__always)
  func kind(
    _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]
  ) throws(Refusal) -> EventKind {
    if let givenKind { return givenKind }
    let index = profile.kindNode == 0 ? 0 : element.value(at: profile.kindNode, profile)
    if index != 0, Tape.type(tape[index]) == Tape.string {
      let offset = Tape.offset(tape[index])
      let (count, start) = Tape.stringStart(strings, at: offset)
      for position in profile.kindWords.indices {
        let word = profile.kindWords[position]
        guard word.word == start, word.count == count else { continue }
        if count <= 8 || Tape.isEqual(profile.kindTexts[position], toStringAt: offset, strings) {
          return word.kind
        }
      }
    }
    return try unusualKind(index, tape, arena: &arena)
  }

  /// The kind that is no string: the words of sources that number their types are decimal texts.
  @inline(never)
  private func unusualKind(
    _ index: Int, _ tape: Span<UInt64>, arena: inout [UInt8]
  ) throws(Refusal) -> EventKind {
    guard index != 0, Tape.type(tape[index]) != Tape.null else {
      throw Refusal(.unknownType, "found no type, expected one where the profile says")
    }
    if let text = text(ofInteger: index, tape, arena: &arena) {
      for (position, word) in profile.kindWords.enumerated()
      where profile.kindTexts[position].elementsEqual(arena[text.range]) {
        return word.kind
      }
    }
    throw Refusal(.unknownType, "found a type that is none of the profile's words")
  }

  /// Fills in all but the kind and the index.
  func fill(
    _ event: inout Event, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    arena: inout [UInt8]
  ) throws(Refusal) {
    let places = profile.places(of: event.kind)
    // The ids of a removal are read by who keeps them.
    if event.kind == .remove {
      return try readRemoval(places, element, tape, strings, into: &event, arena: &arena)
    }
    try readSender(places, element, tape, strings, into: &event, arena: &arena)
    switch event.kind {
    case .gift: try readGift(places, element, tape, strings, into: &event, arena: &arena)
    case .comment:
      try readText(places, element, tape, strings, into: &event, arena: &arena)
      if element.mayHave(places.style) {
        event.style = name(element.value(places.style, profile, tape), tape, strings, arena: &arena)
      }
    case .like, .remove: break
    }
    event.id = try id(element.value(places.id, profile, tape), tape, strings, arena: &arena)
    let time = element.value(places.time, profile, tape)
    if time != 0 { event.time = Self.integer(time, tape) }
    switch event.kind {
    case .gift:
      try readGiftCount(places, element, tape, into: &event)
      try readPrice(places, element, tape, into: &event)
    case .comment, .remove: break
    case .like: try readLikeCount(places, element, tape, into: &event)
    }
  }
}

// MARK: - People, gifts and texts

extension EventReader {
  private func readSender(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into event: inout Event, arena: inout [UInt8]
  ) throws(Refusal) {
    (event.sender.id, event.sender.name) = try identity(
      places.sender, places.senderID, places.senderName, element, tape, strings, arena: &arena)
    if element.mayHave(places.senderAnonymous),
      Self.isTrue(element.value(places.senderAnonymous, profile, tape), tape)
    {
      event.merges = false
      if event.sender.id.isAbsent {
        event.sender.id = arena.append(text: "anonymous".utf8)
        event.sender.name = name(
          element.value(places.senderName, profile, tape), tape, strings, arena: &arena)
        if event.sender.name.isAbsent { event.sender.name = event.sender.id }
      }
    }
    guard !event.sender.id.isAbsent else {
      throw Refusal(.missingSender, "found no sender with an id, expected a string or an integer")
    }
    let level = element.value(places.senderLevel, profile, tape)
    if level != 0 { event.sender.level = Self.integer(level, tape) }
    event.sender.avatar = address(element.value(places.senderAvatar, profile, tape), tape, strings)
  }

  private func readReceiver(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into event: inout Event, arena: inout [UInt8]
  ) throws(Refusal) {
    (event.receiver.id, event.receiver.name) = try identity(
      places.receiver, places.receiverID, places.receiverName, element, tape, strings, arena: &arena)
    if event.receiver.id.isAbsent { return }
    let level = element.value(places.receiverLevel, profile, tape)
    if level != 0 { event.receiver.level = Self.integer(level, tape) }
    event.receiver.avatar = address(element.value(places.receiverAvatar, profile, tape), tape, strings)
  }

  private func readGift(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into event: inout Event, arena: inout [UInt8]
  ) throws(Refusal) {
    (event.gift.id, event.gift.name) = try identity(
      places.gift, places.giftID, places.giftName, element, tape, strings, arena: &arena)
    guard !event.gift.id.isAbsent else {
      throw Refusal(.missingGift, "found no gift with an id, expected a string or an integer")
    }
    event.gift.icon = address(element.value(places.giftIcon, profile, tape), tape, strings)
    if element.mayHave(places.receiver) || element.mayHave(places.receiverID) {
      try readReceiver(places, element, tape, strings, into: &event, arena: &arena)
    }
    event.streak = try id(element.value(places.streak, profile, tape), tape, strings, arena: &arena)
    event.endsStreak = Self.isTrue(element.value(places.end, profile, tape), tape)
    if element.mayHave(places.raises) || element.mayHave(places.corrects) {
      readStreakRole(places, element, tape, into: &event)
    }
    if Self.isFalse(element.value(places.combo, profile, tape), tape) { event.merges = false }
  }

  @inline(never)
  private func readStreakRole(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, into event: inout Event
  ) {
    if Self.isTrue(element.value(places.raises, profile, tape), tape) { event.streakRole = .raises }
    if Self.isTrue(element.value(places.corrects, profile, tape), tape) { event.streakRole = .corrects }
  }

  /// Id and display name of a person or a gift; both absent if there is no usable id.
  @inline(__always)
  private func identity(
    _ plainPlace: FieldPlace, _ idPlace: FieldPlace, _ namePlace: FieldPlace,
    _ element: borrowing ElementIndex,
    _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]
  ) throws(Refusal) -> (id: TextSlice, name: TextSlice) {
    let plain = element.value(plainPlace, profile, tape)
    let idIndex = element.value(idPlace, profile, tape)
    var id = try id(idIndex, tape, strings, arena: &arena)
    if id.isAbsent { id = try self.id(plain, tape, strings, arena: &arena) }
    if id.isAbsent { return (id, id) }
    // A name that is no string, or of which nothing is left, is the id, as far as that can be drawn.
    var name = name(element.value(namePlace, profile, tape), tape, strings, arena: &arena)
    if name.isAbsent { name = self.name(plain, tape, strings, arena: &arena) }
    if name.isAbsent { name = self.name(idIndex, tape, strings, arena: &arena) }
    if name.isAbsent { name = id }
    return (id, name)
  }

  private func readText(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into event: inout Event, arena: inout [UInt8]
  ) throws(Refusal) {
    let index = element.value(places.text, profile, tape)
    guard index != 0, Tape.type(tape[index]) == Tape.string else {
      throw Refusal(.missingText, "found no text, expected a string")
    }
    event.text = cleaned(index, limit: maxTextBytes, tape, strings, arena: &arena)
    guard !event.text.isAbsent else {
      throw Refusal(.missingText, "found a text without a character that can be drawn")
    }
  }
}
