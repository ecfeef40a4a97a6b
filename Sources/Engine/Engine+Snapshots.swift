public import Base

extension Engine {
  /// Writes the snapshots that the broker keeps once more, as the rooms are now, of some rooms at a time. It
  /// changes nothing: it is for a broker that may have lost them.
  ///
  /// - Parameters:
  ///   - place: Where to go on: 0 at first, then what the call before returned.
  ///   - limit: The most rooms that are looked at.
  ///   - present: The instant of writing, for renderers that estimate our clock.
  /// - Returns: Where to go on; nil if all rooms were.
  public func appendSnapshots(
    from place: Int, limit: Int, present: Instant, output: inout CommandBuffer
  ) -> Int? {
    let end = min(rooms.count, place + limit)
    guard place < end else { return nil }
    for room in rooms[place..<end] where !room.isVacant && room.snapshots.isPublished {
      let turn = Turn(now: now, room: output.bytes.append(text: room.name), epoch: room.epoch)
      room.appendSnapshot(turn: turn, now: max(now, present), output: &output)
    }
    return end < rooms.count ? end : nil
  }
}
