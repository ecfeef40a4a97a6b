internal import Base

/// Where the members of one element lie on the tape. Reused from element to element without being emptied.
///
/// Of a member given twice the last counts, so a member is there only if it was met after its parent was met last.
/// For the first 63 nodes of a profile a bit says so; for others their places do, since indices on the tape only
/// rise: what an earlier element, or an earlier value of the parent, left behind is lower than the parent's.
struct ElementIndex {
  /// For each node of the profile where it was met last.
  private var found: [UInt32] = []
  /// Bits of the nodes that are there in this element.
  private var seen: UInt64 = 0

  /// Prepares for a payload.
  mutating func begin(_ profile: CompiledProfile) {
    found.removeAll(keepingCapacity: true)
    found.append(contentsOf: repeatElement(0, count: profile.nodes.count))
  }

  /// Walks over the members of the object at `element`.
  mutating func read(
    _ element: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: RawSpan
  ) {
    var seen: UInt64 = 0
    found[0] = UInt32(truncatingIfNeeded: element)
    var places = found.mutableSpan
    Self.walk(element, node: 0, profile, tape, strings, &places, &seen)
    self.seen = seen
  }

  private static func walk(
    _ object: Int, node: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: RawSpan,
    _ found: inout MutableSpan<UInt32>, _ seen: inout UInt64
  ) {
    var index = object &+ 1
    let end = Tape.end(tape[object]) &- 1
    while index < end {
      let member = profile.names.member(parent: node, nameAt: Tape.offset(tape[index]), strings: strings)
      index &+= 1
      let value = tape[index]
      if member.node != 0 {
        let child = Int(member.node)
        found[child] = UInt32(truncatingIfNeeded: index)
        seen = seen & ~member.below | MemberNode.bit(of: child)
        // Not deeper than the paths of the profile.
        if member.below != 0, Tape.type(value) == Tape.object {
          walk(index, node: child, profile, tape, strings, &found, &seen)
        }
      }
      index = Tape.index(after: index, word: value)
    }
  }

  /// The value of a field; 0 if it is absent or null.
  @inline(__always)
  func value(_ place: FieldPlace, _ profile: CompiledProfile, _ tape: Span<UInt64>) -> Int {
    guard mayHave(place) else { return 0 }
    if place.firstBit & seen != 0 {
      let index = Int(found[Int(place.first)])
      if Tape.type(tape[index]) != Tape.null { return index }
    }
    return anyValue(place, profile, tape)
  }

  /// True if a field may be there.
  @inline(__always)
  func mayHave(_ place: FieldPlace) -> Bool { place.mask & seen != 0 }

  /// The value at a node; 0 if this element has none.
  func value(at node: Int, _ profile: CompiledProfile) -> Int {
    guard MemberNode.bit(of: node) & seen != 0 else { return 0 }
    if node < MemberNode.firstShared { return Int(found[node]) }
    var child = node
    while child != 0 {
      let parent = profile.nodes[child].parent
      guard found[child] > found[parent] else { return 0 }
      child = parent
    }
    return Int(found[node])
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
