public import Base

extension CommandEncoder {
  /// Adds the retained message of a room's snapshot, or the empty one that clears it. Cost: some
  /// microseconds.
  public func encode(
    _ snapshot: RoomSnapshot, of buffer: borrowing CommandBuffer, into outgoing: inout OutgoingMessages
  ) {
    let texts = buffer.bytes
    outgoing.append(at: snapshot.at, isRetained: true) { output in
      layout.append("snapshot", room: texts.span.extracting(snapshot.room.range), to: &output)
    } payload: { output in
      guard snapshot.isThere else { return }
      Self.put(#"{"v":1,"room":"#, &output)
      JSONWriter.append(string: texts.span.extracting(snapshot.room.range), to: &output)
      Self.put(#","epoch":"#, snapshot.epoch, &output)
      Self.put(#","at":"#, snapshot.at, &output)
      Self.put(#","now":"#, snapshot.now, &output)
      Self.put(#","tracks":["#, &output)
      for (index, track) in buffer.snapshotTracks[snapshot.tracks].enumerated() {
        Self.put(index == 0 ? #"{"track":"gift/"# : #",{"track":"gift/"#, Int64(index), &output)
        Self.append(track, texts, to: &output)
      }
      Self.put(#"],"fold":{"seq":"#, Int64(snapshot.foldSequence), &output)
      Self.append(stageOf: snapshot, texts, to: &output)
      Self.put(#"},"comment":{"seq":"#, Int64(snapshot.commentSequence), &output)
      Self.put(#","items":["#, &output)
      Self.append(buffer.snapshotComments, snapshot.comments, texts, to: &output)
      Self.append(likesOf: snapshot, to: &output)
      Self.put(#"},"click":{"seq":"#, Int64(snapshot.clickSequence), &output)
      Self.put(#"},"waiting":"#, Int64(snapshot.waiting), &output)
      Self.put(#","paused":{"#, &output)
      for (place, pause) in snapshot.paused.enumerated() {
        Self.put(place == 0 ? "\"" : ",\"", &output)
        Self.put(pause.part.rawValue, &output)
        Self.put("\":", pause.since, &output)
      }
      Self.put("}}", &output)
    }
  }

  private static func append(_ track: SnapshotTrack, _ texts: [UInt8], to output: inout [UInt8]) {
    put(#"","seq":"#, Int64(track.sequence), &output)
    put(#","state":""#, &output)
    put(track.state.rawValue, &output)
    guard let group = track.group else { return put("\"}", &output) }
    put(#"","since":"#, track.since, &output)
    put(#","durationMs":"#, track.until - track.since, &output)
    put(#","number":"#, Int64(group.count), &output)
    put(#","show":{"group":"#, Int64(group.number), &output)
    append(group.sender, group.gift, group.receiver, texts, to: &output)
    put(group.combo ? #","combo":true,"base":"# : #","combo":false,"base":"#, Int64(group.base), &output)
    put(#","priority":"#, Int64(group.priority), &output)
    put(#","durationMs":"#, group.showDuration, &output)
    put(#","until":"#, group.showUntil, &output)
    put(group.isTest ? #","test":true}"# : "}", &output)
    switch track.state {
    case .counting:
      put(#","count":{"from":"#, Int64(group.runFrom), &output)
      put(#","to":"#, Int64(group.count), &output)
      put(#","durationMs":"#, track.until - track.since, &output)
      put(#","until":"#, track.holdUntil, &output)
      put("}", &output)
    case .holding:
      put(#","hold":{"count":"#, Int64(group.count), &output)
      put(#","until":"#, track.holdUntil, &output)
      put("}", &output)
    case .idle, .showing, .hiding: break
    }
    put("}", &output)
  }

  private static func append(stageOf snapshot: RoomSnapshot, _ texts: [UInt8], to output: inout [UInt8]) {
    put(#"},"stage":{"seq":"#, Int64(snapshot.stageSequence), &output)
    put(#","waiting":"#, Int64(snapshot.playsWaiting), &output)
    guard let play = snapshot.play else { return }
    put(#","play":{"group":"#, Int64(play.number), &output)
    append(play.sender, play.gift, play.receiver, texts, to: &output)
    put(#","count":"#, Int64(play.count), &output)
    put(#","asset":"#, &output)
    JSONWriter.append(string: texts.span.extracting(play.asset.range), to: &output)
    put(#","durationMs":"#, play.duration, &output)
    put(#","deadline":"#, play.deadline, &output)
    put(play.isTest ? #","test":true}"# : "}", &output)
  }

  private static func append(likesOf snapshot: RoomSnapshot, to output: inout [UInt8]) {
    put(#"]},"like":{"seq":"#, Int64(snapshot.likeSequence), &output)
    put(#","total":"#, Int64(snapshot.likeTotal), &output)
    guard let burst = snapshot.burst else { return }
    put(#","burst":{"count":"#, Int64(burst.count), &output)
    put(#","particles":"#, Int64(burst.particles), &output)
    put(#","until":"#, burst.until, &output)
    put(burst.isTest ? #","test":true}"# : "}", &output)
  }

  private static func append(
    _ sender: Party, _ gift: Gift, _ receiver: Party, _ texts: [UInt8], to output: inout [UInt8]
  ) {
    output.append(UInt8(ascii: ","))
    let limit = fixedBytes + sender.stringBytes + gift.stringBytes + receiver.stringBytes
    output.append(atMost: limit) { space, end in
      CommandWords.put(sender: sender, gift: gift, receiver: receiver, texts.span, &space, &end)
    }
  }

  private static func put(_ literal: String, _ output: inout [UInt8]) {
    JSONWriter.append(literal: literal, to: &output)
  }

  private static func put(_ literal: String, _ value: Int64, _ output: inout [UInt8]) {
    JSONWriter.append(literal: literal, to: &output)
    JSONWriter.append(value, to: &output)
  }
}
