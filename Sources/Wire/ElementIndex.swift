internal import Base

/// Where the members of one element lie on the tape. Reused from element to element without being emptied.
///
/// Of a member given twice the last counts, so a member is there only if it was met after its parent was
/// met last. For the first 63 nodes of a profile a bit says so; for others their places do, since indices
/// on the tape only rise: what an earlier element, or an earlier value of the parent, left behind is lower
/// than the parent's.
struct ElementIndex {
  /// Where a node lies.
  private struct Place {
    /// Its value, met last.
    var index: UInt32 = 0
    /// Where its object ends, if the walk went in.
    var end: UInt32 = 0
  }

  /// For each node of the profile where it was met last.
  private var places: [Place] = []
  /// Bits of the nodes that are there in this element.
  private var seen: UInt64 = 0

  /// Prepares for a payload.
  mutating func begin(_ profile: CompiledProfile) {
    places.removeAll(keepingCapacity: true)
    places.append(contentsOf: repeatElement(Place(), count: profile.nodes.count))
  }

  /// Walks over the members of the object at `element`, and of those objects in it that the profile looks
  /// into.
  mutating func read(
    _ element: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: RawSpan
  ) {
    var places = places.mutableSpan
    let seen = Self.walk(element, profile, tape, strings, &places)
    self.seen = seen
  }

  private static func walk(
    _ element: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: RawSpan,
    _ places: inout MutableSpan<Place>
  ) -> UInt64 {
    let entries = profile.names.entries
    let table = entries.span
    var seen: UInt64 = 0
    var node = 0
    var index = element &+ 1
    var end = Tape.end(tape[element]) &- 1
    places[0] = Place(index: UInt32(truncatingIfNeeded: element), end: UInt32(truncatingIfNeeded: end))
    while true {
      if index >= end {
        if node == 0 { return seen }
        // Past the end of this object, on with its parent.
        index = end &+ 1
        node = profile.nodes[node].parent
        end = Int(places[node].end)
        continue
      }
      let slot = profile.names.slot(parent: node, nameAt: Tape.offset(tape[index]), strings, table)
      index &+= 1
      let value = tape[index]
      let type = Tape.type(value)
      let child = Int(table[slot].node)
      if child != 0 {
        places[child].index = UInt32(truncatingIfNeeded: index)
        let below = table[slot].below
        let bit = table[slot].bit
        // What was in an earlier value is gone with it, and null counts as absent.
        seen &= ~(below | bit) | MemberNode.sharedBit
        if type != Tape.null { seen |= bit }
        if below != 0, type == Tape.object {
          node = child
          end = Tape.end(value) &- 1
          places[child].end = UInt32(truncatingIfNeeded: end)
          index &+= 1
          continue
        }
      }
      index = Tape.index(after: index, word: value)
    }
  }

  /// The value of a field; 0 if it is absent or null.
  @inline(__always)
  func value(_ place: FieldPlace, _ profile: CompiledProfile, _ tape: Span<UInt64>) -> Int {
    guard mayHave(place) else { return 0 }
    if place.firstBit & seen != 0 { return Int(places[Int(place.first)].index) }
    return anyValue(place, profile, tape)
  }

  /// True if a field may be there.
  @inline(__always)
  func mayHave(_ place: FieldPlace) -> Bool { place.mask & seen != 0 }

  /// The value at a node; 0 if this element has none.
  @inline(__always)
  func value(at node: Int, _ profile: CompiledProfile) -> Int {
    guard MemberNode.bit(of: node) & seen != 0 else { return 0 }
    return node < MemberNode.firstShared ? Int(places[node].index) : sharedValue(at: node, profile)
  }

  @inline(never)
  private func sharedValue(at node: Int, _ profile: CompiledProfile) -> Int {
    var child = node
    while child != 0 {
      let parent = profile.nodes[child].parent
      guard places[child].index > places[parent].index else { return 0 }
      child = parent
    }
    return Int(places[node].index)
  }

  @inline(never)
  private func anyValue(_ place: FieldPlace, _ profile: CompiledProfile, _ tape: Span<UInt64>) -> Int {
    for position in place.nodes {
      let index = value(at: profile.candidates[Int(position)], profile)
      if index != 0, Tape.type(tape[index]) != Tape.null { return index }
    }
    return 0
  }
}
