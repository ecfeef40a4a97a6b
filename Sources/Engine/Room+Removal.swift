import Base

extension Room {
  /// What a run of removals names: they take out in one walk over the list, however many they are.
  private struct Unwanted {
    var ids: Set<[UInt8]> = []
    /// Digests of senders.
    var authors: Set<UInt64> = []

    var isEmpty: Bool { ids.isEmpty && authors.isEmpty }

    func contains(_ id: ArraySlice<UInt8>, by author: UInt64) -> Bool {
      authors.contains(author) || (!ids.isEmpty && ids.contains(Array(id)))
    }
  }

  /// Handles the removals of a batch that follow one another from a place on; what they name leaves the
  /// comment list, as by an operator's `remove`. Returns the place after them.
  mutating func receiveRemovals(
    from start: Int, of batch: borrowing EventBatch, turn: Turn, output: inout CommandBuffer
  ) -> Int {
    var unwanted = Unwanted()
    var place = start
    while place < batch.events.count, batch.events[place].kind == .remove {
      take(batch.events[place], of: batch, into: &unwanted, turn: turn, output: &output)
      place += 1
    }
    if !unwanted.isEmpty {
      comments.remove(where: unwanted.contains, turn: turn, plan: plan, output: &output)
    }
    return place
  }

  private mutating func take(
    _ event: Event, of batch: borrowing EventBatch, into unwanted: inout Unwanted, turn: Turn,
    output: inout CommandBuffer
  ) {
    if !event.id.isAbsent {
      let id = idKey(of: event, in: batch)
      if recentIDs.contains(id, kind: .remove, now: turn.now, limits: plan.limits) {
        output.counters.duplicateIDs += 1
        output.note(.duplicate(index: event.index), room: turn.room, epoch: turn.epoch)
        return
      }
      recentIDs.insert(id, kind: .remove, now: turn.now, limits: plan.limits, counters: &output.counters)
    }
    output.counters.removeEvents += 1
    output.note(.taken(index: event.index), room: turn.room, epoch: turn.epoch)
    if event.removedIDs.isEmpty {
      unwanted.authors.insert(digest(ofSender: batch.bytes.span.extracting(event.sender.id.range)).low)
    }
    for number in event.removedIDs {
      unwanted.ids.insert(Array(batch.bytes[batch.removedIDs[Int(number)].range]))
    }
  }
}
