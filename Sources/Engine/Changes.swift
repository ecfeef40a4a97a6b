extension Room {
  /// How what was saved of a room stands to what it is.
  enum Saving {
    /// It is saved as it is.
    case saved
    /// It changed since it was saved, or never was.
    case changed
    /// The saving that goes on has yet to write it, and must before it changes.
    case awaited
  }
}

/// What a store does not have yet of an engine's state: rooms that changed and rooms that left.
///
/// Lists of places may name one whose room left meanwhile, or one twice; what counts is what the room there
/// says.
struct Changes: Sendable {
  /// Places of the rooms that changed since the last saving began.
  var changed: [Int32] = []
  /// Numbers of the rooms that left since the last saving began.
  var gone: [Int] = []
  /// Places of the rooms that the saving still has to write.
  var awaited: [Int32] = []
  /// Rooms of the saving that were about to change, and were written then.
  var aside: [(number: Int, chunk: [UInt8])] = []

  /// True if a saving goes on.
  var isSaving: Bool { !awaited.isEmpty || !aside.isEmpty }
}
