internal import Base

// MARK: - Numbers

extension EventReader {
  func readGiftCount(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, into event: inout Event
  ) throws(Refusal) {
    let total = element.value(places.total, profile, tape)
    if total != 0 {
      event.total = try Self.integer(
        total, tape, in: Self.countRange,
        else: Refusal(.badCount, "found a total that is no integer from 1 to 1000000"))
      return
    }
    event.count = try count(places, element, tape) ?? 1
  }

  func readLikeCount(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, into event: inout Event
  ) throws(Refusal) {
    event.count = try count(places, element, tape)
    let total = element.value(places.total, profile, tape)
    if total != 0 {
      event.total = try Self.integer(
        total, tape, in: Self.likeTotalRange,
        else: Refusal(.badCount, "found a total that is no integer from 1 to 2^53"))
    } else if event.count == nil {
      event.count = 1
    }
  }

  private func count(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>
  ) throws(Refusal) -> Int? {
    let index = element.value(places.count, profile, tape)
    if index == 0 { return nil }
    return try Self.integer(
      index, tape, in: Self.countRange,
      else: Refusal(.badCount, "found a count that is no integer from 1 to 1000000"))
  }

  func readPrice(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, into event: inout Event
  ) throws(Refusal) {
    let index = element.value(places.giftPrice, profile, tape)
    if index == 0 { return }
    event.gift.price = Int64(
      try Self.integer(
        index, tape, in: Self.priceRange,
        else: Refusal(.badPrice, "found a price that is no integer from 0 to 10^12")))
  }

  /// The value of an integer that fits `Int64`; nil for anything else.
  @inline(__always)
  static func integer(_ index: Int, _ tape: Span<UInt64>) -> Int64? {
    Tape.type(tape[index]) == Tape.signed ? Int64(bitPattern: tape[index &+ 1]) : nil
  }

  @inline(__always)
  private static func integer(
    _ index: Int, _ tape: Span<UInt64>, in range: ClosedRange<Int64>, else refusal: @autoclosure () -> Refusal
  ) throws(Refusal) -> Int {
    guard let value = integer(index, tape), range.contains(value) else { throw refusal() }
    return Int(value)
  }

  /// True for `true`, and for the 1 that some sources write.
  @inline(__always)
  static func isTrue(_ index: Int, _ tape: Span<UInt64>) -> Bool {
    index != 0 && (Tape.type(tape[index]) == Tape.yes || integer(index, tape) == 1)
  }

  /// True for `false`, and for the 0 that some sources write.
  @inline(__always)
  static func isFalse(_ index: Int, _ tape: Span<UInt64>) -> Bool {
    index != 0 && (Tape.type(tape[index]) == Tape.no || integer(index, tape) == 0)
  }
}

// MARK: - Texts

extension EventReader {
  /// An id: a string, or an integer's decimal text. Absent if the value is neither.
  @inline(__always)
  func id(
    _ index: Int, _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]
  ) throws(Refusal) -> TextSlice {
    if index == 0 { return .absent }
    guard Tape.type(tape[index]) == Tape.string else {
      return text(ofInteger: index, tape, arena: &arena) ?? .absent
    }
    let text = string(index, tape, strings)
    guard text.count <= Self.maxIDBytes else {
      throw Refusal(.idTooLong, "found an id of more than 256 bytes")
    }
    return text
  }

  /// The decimal text of an integer; nil if the value is none.
  @inline(never)
  func text(ofInteger index: Int, _ tape: Span<UInt64>, arena: inout [UInt8]) -> TextSlice? {
    let start = arena.count
    switch Tape.type(tape[index]) {
    case Tape.signed: JSONWriter.append(Int64(bitPattern: tape[index + 1]), to: &arena)
    case Tape.unsigned: JSONWriter.append(tape[index + 1], to: &arena)
    default: return nil
    }
    return TextSlice(start: start, count: arena.count - start)
  }

  /// A name, safe to draw; absent if the value is no string.
  @inline(__always)
  func name(_ index: Int, _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]) -> TextSlice {
    guard index != 0, Tape.type(tape[index]) == Tape.string else { return .absent }
    return cleaned(index, limit: maxNameBytes, tape, strings, arena: &arena)
  }

  /// A name or a text, safe to draw.
  @inline(__always)
  func cleaned(
    _ index: Int, limit: Int, _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]
  ) -> TextSlice {
    TextCleaner.clean(string(index, tape, strings), limit: limit, strings: strings, arena: &arena)
  }

  /// The address of a picture, passed through as it is.
  @inline(__always)
  func address(_ index: Int, _ tape: Span<UInt64>, _ strings: RawSpan) -> TextSlice {
    guard index != 0, Tape.type(tape[index]) == Tape.string else { return .absent }
    let text = string(index, tape, strings)
    return text.count <= Self.maxAddressBytes ? text : .absent
  }

  /// Where a string lies, which is the same in the buffer of strings and in the arena.
  @inline(__always)
  private func string(_ index: Int, _ tape: Span<UInt64>, _ strings: RawSpan) -> TextSlice {
    let offset = Tape.offset(tape[index])
    return TextSlice(start: offset &+ 4, count: Tape.stringCount(strings, at: offset))
  }
}
