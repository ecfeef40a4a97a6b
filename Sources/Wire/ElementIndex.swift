internal import Base

/// Where the members of one element lie on the tape. Reused from element to element without being emptied.
///
/// A member counts only if it was found after its parent was: indices on the tape only rise, so what an earlier
/// element left behind is too low, and so is what a member given twice left behind in its first value.
struct ElementIndex {
  /// For each node of the profile where it was found last.
  private var found: [UInt32] = []
  /// Bits of the nodes met in this element.
  private var seen: UInt64 = 0

  /// Prepares for a payload.
  mutating func begin(_ profile: CompiledProfile) {
    found.removeAll(keepingCapacity: true)
    found.append(contentsOf: repeatElement(0, count: profile.parents.count))
  }

  /// Walks over the members of the object at `element`.
  mutating func read(
    _ element: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: Span<UInt64>
  ) {
    seen = 0
    found[0] = UInt32(truncatingIfNeeded: element)
    walk(element, node: 0, profile, tape, strings)
  }

  private mutating func walk(
    _ object: Int, node: Int, _ profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: Span<UInt64>
  ) {
    var index = object &+ 1
    let end = Tape.end(tape[object]) &- 1
    while index < end {
      let child = profile.names.node(parent: node, nameAt: Tape.offset(tape[index]), strings: strings)
      index &+= 1
      let value = tape[index]
      if child != 0 {
        found[child] = UInt32(truncatingIfNeeded: index)
        seen |= CompiledProfile.bit(of: child)
        // Not deeper than the paths of the profile.
        if Tape.type(value) == Tape.object, profile.hasChildren[child] {
          walk(index, node: child, profile, tape, strings)
        }
      }
      index = Tape.index(after: index, word: value)
    }
  }

  /// The value of a field; 0 if it is absent or null.
  @inline(__always)
  func value(_ field: EventField, of kind: EventKind, _ profile: CompiledProfile, _ tape: Span<UInt64>) -> Int {
    guard profile.mask(field, of: kind) & seen != 0 else { return 0 }
    var position = 0
    while let node = profile.candidate(position, of: field, kind: kind) {
      let index = value(at: node, profile)
      if index != 0, Tape.type(tape[index]) != Tape.null { return index }
      position &+= 1
    }
    return 0
  }

  /// True if a field of the list may be there.
  @inline(__always)
  func mayHave(_ mask: UInt64) -> Bool { mask & seen != 0 }

  /// The value at a node; 0 if this element has none.
  @inline(__always)
  func value(at node: Int, _ profile: CompiledProfile) -> Int {
    var child = node
    while child != 0 {
      let parent = profile.parents[child]
      guard found[child] > found[parent] else { return 0 }
      child = parent
    }
    return Int(found[node])
  }
}
