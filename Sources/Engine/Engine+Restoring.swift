public import Base

extension Engine {
  /// An engine as a header says, without its rooms yet: each is to be restored before anything else happens,
  /// and `finishRestoring` called after the last.
  ///
  /// Rooms beyond `maxRooms` are restored all the same; new ones find no place then.
  public init(header: [UInt8], maxRooms: Int = 100_000) throws(StateFault) {
    self.init(maxRooms: maxRooms)
    try StateChunk.read(.header, from: header) { (reader) throws(StateFault) in
      now = try reader.signed()
      appeared = try reader.count()
      missingRooms = try reader.count(upTo: appeared)
    }
  }

  /// Restores one room, in any order of the rooms. It is saved then, and has not changed.
  ///
  /// It should be under the plan under which it was saved; `adopt` then changes it. Under another it says
  /// nothing more than it would have: a track for which the plan has no place keeps its group until it is
  /// done and takes no other, a track that is new is taken when something happens in the room, what is due
  /// earlier than now is due now.
  ///
  /// - Parameter plan: Is asked for the room's plan, by the bytes of its name.
  public mutating func restoreRoom(
    _ chunk: [UInt8], plan: ([UInt8]) -> RoomPlan
  ) throws(StateFault) {
    var room = try Room(from: chunk, plan: plan)
    let digest = Engine.digest(of: room.name.span)
    guard missingRooms > 0, room.order < appeared, places.find(digest) == nil else {
      throw StateFault(.contradiction, at: 0)
    }
    missingRooms -= 1
    room.saving = .saved
    schedule(insert(room, digest: digest))
  }

  /// Throws if a room is missing, or two are the same.
  public func finishRestoring() throws(StateFault) {
    let numbers = placesInOrder.map { rooms[$0].order }
    let isTwice = zip(numbers, numbers.dropFirst()).contains { $0 == $1 }
    guard missingRooms == 0, !isTwice else { throw StateFault(.contradiction, at: 0) }
  }
}
