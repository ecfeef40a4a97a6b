import Base

extension GiftTracks {
  /// Writes the tracks with their groups, the queue in its order, and what is remembered.
  ///
  /// Which group a key joins is told by the groups, and their places are given anew on reading.
  func save(to writer: inout StateWriter) {
    writer.write(count: groupNumbers.last)
    writer.write(instant: pausedSince)
    writer.write(count: tracks.count)
    for track in tracks {
      writer.write(count: track.sequence.last)
      track.phase.save(to: &writer)
      guard track.phase != .idle else { continue }
      writer.write(instant: track.since)
      writer.write(count: track.base)
      writer.write(count: Int(track.showLength))
      writer.write(instant: track.showUntil)
      writer.write(count: track.runFrom)
      writer.write(count: track.priority)
      groups[track.group].save(to: &writer, texts: texts)
    }
    writer.write(count: waiting.count)
    waiting.forEach(in: groups) { groups[$0].save(to: &writer, texts: texts) }
    leftNumbers.save(to: &writer)
    folds.save(to: &writer, texts: texts)
  }

  /// Reads what was saved. A track for which the plan has no place keeps its group until it is done.
  init(from reader: inout StateReader, plan: GiftPlan) throws(StateFault) {
    groupNumbers = Sequence(last: try reader.count())
    pausedSince = try reader.optionalInstant()
    let trackCount = try reader.count(ofThings: 2)
    tracks = Array(repeating: GiftTrack(), count: max(trackCount, plan.trackMinPriorities.count))
    for track in 0..<trackCount {
      tracks[track].sequence = Sequence(last: try reader.count())
      tracks[track].phase = try GiftPhase(from: &reader)
      guard tracks[track].phase != .idle else { continue }
      tracks[track].since = try reader.instant()
      tracks[track].base = try reader.count()
      tracks[track].showLength = Int64(try reader.count())
      tracks[track].showUntil = try reader.instant()
      tracks[track].runFrom = try reader.count()
      tracks[track].priority = try reader.count(upTo: 9)
      tracks[track].group = try readGroup(on: track, from: &reader)
    }
    let waitingCount = try reader.count(ofThings: Group.leastSavedBytes)
    var previous = (priority: 0, number: 0)
    for _ in 0..<waitingCount {
      let start = reader.offset
      let place = try readGroup(on: nil, from: &reader)
      let current = (priority: groups[place].priority, number: groups[place].number)
      guard current > previous, groups[place].pending > 0 else { throw StateFault(.contradiction, at: start) }
      waiting.append(place, in: &groups)
      previous = current
    }
    leftNumbers = try LeftNumbers(from: &reader)
    folds = try Folds(from: &reader, texts: &texts)
  }

  private mutating func readGroup(
    on track: Int?, from reader: inout StateReader
  ) throws(StateFault) -> Int {
    let start = reader.offset
    let group = try Group(from: &reader, track: track, texts: &texts)
    guard group.number <= groupNumbers.last else { throw StateFault(.contradiction, at: start) }
    let place = groups.insert(group)
    guard group.merges else { return place }
    if let track, case .hiding = tracks[track].phase { return place }
    guard joinable.find(group.key) == nil else { throw StateFault(.contradiction, at: start) }
    joinable.insert(group.key, Int32(place))
    return place
  }
}

extension GiftPhase {
  fileprivate func save(to writer: inout StateWriter) {
    switch self {
    case .idle: writer.bytes.append(0)
    case .showing(let until):
      writer.bytes.append(1)
      writer.write(instant: until)
    case .counting(let until):
      writer.bytes.append(2)
      writer.write(instant: until)
    case .holding(let since, let until):
      writer.bytes.append(3)
      writer.write(instant: since)
      writer.write(instant: until)
    case .hiding(let until):
      writer.bytes.append(4)
      writer.write(instant: until)
    }
  }

  fileprivate init(from reader: inout StateReader) throws(StateFault) {
    let start = reader.offset
    switch try reader.byte() {
    case 0: self = .idle
    case 1: self = .showing(until: try reader.instant())
    case 2: self = .counting(until: try reader.instant())
    case 3: self = .holding(since: try reader.instant(), until: try reader.instant())
    case 4: self = .hiding(until: try reader.instant())
    default: throw StateFault(.outOfRange, at: start)
    }
  }
}
