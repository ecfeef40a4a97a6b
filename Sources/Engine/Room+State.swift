import Base

extension Room {
  /// Appends the whole room but its plan as a chunk that can be read by itself.
  func save(to bytes: inout [UInt8]) {
    StateChunk.append(.room, to: &bytes) { writer in
      writer.write(text: name)
      writer.write(count: order)
      writer.write(signed: birth)
      writer.write(count: Int(epoch - birth))
      writer.write(instant: lastActivity)
      writer.origin = lastActivity
      writer.write(count: Int(awayMilliseconds))
      gifts.save(to: &writer)
      comments.save(to: &writer)
      likes.save(to: &writer)
      stage.save(to: &writer)
      muted.save(to: &writer)
      writer.write(count: clickSequence.last)
      snapshots.save(to: &writer)
      streaks.save(to: &writer)
      recentIDs.save(to: &writer)
    }
  }

  /// Reads a room from a chunk. `plan` is asked for the plan of its name.
  init(from chunk: [UInt8], plan: ([UInt8]) -> RoomPlan) throws(StateFault) {
    self = try StateChunk.read(.room, from: chunk) { (reader) throws(StateFault) in
      try Room(from: &reader, plan: plan)
    }
  }

  private init(from reader: inout StateReader, plan: ([UInt8]) -> RoomPlan) throws(StateFault) {
    let name = Array(reader.bytes[try reader.text()])
    // A room without a name is a vacant place.
    guard !name.isEmpty else { throw reader.fault(.outOfRange) }
    let order = try reader.count()
    let birth = try reader.instant()
    self.init(name: name, plan: plan(name), birth: birth, order: order)
    resume(epoch: birth + Int64(try reader.count()))
    lastActivity = try reader.instant()
    reader.origin = lastActivity
    awayMilliseconds = Int64(try reader.count())
    gifts = try GiftTracks(from: &reader, plan: self.plan.gift)
    comments = try CommentList(from: &reader)
    likes = try Likes(from: &reader)
    stage = try Stage(from: &reader)
    muted = try MutedSenders(from: &reader)
    clickSequence = Sequence(last: try reader.count())
    snapshots = try SnapshotTimes(from: &reader)
    streaks = try Streaks(from: &reader)
    recentIDs = try RecentIDs(from: &reader)
  }
}
