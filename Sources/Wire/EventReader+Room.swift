internal import Base

extension EventReader {
  /// The room of an element, where the payload says it: a string or an integer that can be a room's name.
  /// `other` is the place of the one that the payload has beside its elements; 0: none.
  @inline(never)
  func room(
    _ element: borrowing ElementIndex, else other: Int, _ tape: Span<UInt64>, _ strings: RawSpan,
    arena: inout [UInt8]
  ) throws(Refusal) -> TextSlice {
    var index = element.value(at: profile.roomNode, profile)
    if index == 0 || Tape.type(tape[index]) == Tape.null { index = other }
    let name = try id(index, tape, strings, arena: &arena)
    guard !name.isAbsent, TopicLayout.isRoomName(arena.span, name.range) else {
      throw Refusal(
        .badRoom,
        "found no room where the input says: expected 1-128 bytes without control characters and + # /")
    }
    return name
  }
}
