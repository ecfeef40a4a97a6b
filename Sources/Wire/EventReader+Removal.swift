internal import Base

// A removal is rare, so nothing here is measured by its speed.
extension EventReader {
  /// Fills in all of a removal but its ids: whose comments leave, if it names none.
  @inline(never)
  func readRemoval(
    _ places: FieldPlaces, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into event: inout Event, arena: inout [UInt8]
  ) throws(Refusal) {
    event.id = try id(element.value(places.id, profile, tape), tape, strings, arena: &arena)
    let time = element.value(places.time, profile, tape)
    if time != 0 { event.time = Self.integer(time, tape) }
    if element.value(places.ids, profile, tape) != 0 { return }
    event.sender.id = try id(element.value(places.senderID, profile, tape), tape, strings, arena: &arena)
    if event.sender.id.isAbsent {
      event.sender.id = try id(element.value(places.sender, profile, tape), tape, strings, arena: &arena)
    }
    event.sender.name = event.sender.id
    guard !event.sender.id.isAbsent else {
      throw Refusal(.missingSender, "found a removal without ids and without a sender, expected one of them")
    }
  }

  /// Appends the ids that a removal names, one or an array of them.
  @inline(never)
  func readRemovedIDs(
    of event: inout Event, _ element: borrowing ElementIndex, _ tape: Span<UInt64>, _ strings: RawSpan,
    into ids: inout [TextSlice], arena: inout [UInt8]
  ) throws(Refusal) {
    let start = ids.count
    let value = element.value(profile.remove.ids, profile, tape)
    if value == 0 { return }
    if Tape.type(tape[value]) == Tape.array {
      var index = value + 1
      while index < Tape.end(tape[value]) - 1 {
        ids.append(try removedID(index, tape, strings, arena: &arena))
        index = Tape.index(after: index, word: tape[index])
      }
    } else {
      ids.append(try removedID(value, tape, strings, arena: &arena))
    }
    guard ids.count > start else {
      throw Refusal(.missingSender, "found a removal whose list of ids is empty, expected one id at least")
    }
    event.removedIDs = Int32(start)..<Int32(ids.count)
  }

  private func removedID(
    _ index: Int, _ tape: Span<UInt64>, _ strings: RawSpan, arena: inout [UInt8]
  ) throws(Refusal) -> TextSlice {
    let id = try id(index, tape, strings, arena: &arena)
    guard !id.isAbsent else {
      throw Refusal(.missingSender, "found a removal with an id that is no string and no integer")
    }
    return id
  }
}
