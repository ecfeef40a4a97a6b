import Base

/// The stage of a room: big gifts play full-screen, one at a time.
struct Stage {
  /// A big gift that waits or plays.
  struct Play {
    /// From the same numbers as the groups of the gift tracks, so that a renderer's answer can mean one only.
    let number: Int
    /// Digest of (sender, gift, receiver).
    let key: KeyDigest
    /// Digest of the sender's id.
    let sender: UInt64
    let gift: StoredGift
    let merges: Bool
    let isTest: Bool
    var priority: Int
    var count: Int
    var asset: [UInt8]
    var duration: Int64
  }

  /// What plays now.
  private(set) var current: Play?
  /// When that ends at the latest.
  private(set) var deadline: Instant?
  /// What waits, in the order of arrival.
  private(set) var waiting: [Play] = []
  /// The texts of all plays.
  private(set) var texts = TextStore()
  var sequence = Sequence()
  /// Since when it stands still; nil: it does not.
  private(set) var pausedSince: Instant?

  /// True if nothing plays or waits.
  var isIdle: Bool { current == nil && waiting.isEmpty }

  /// A gift that has an asset.
  mutating func receive(
    _ gift: AcceptedGift, standing: GiftStanding, numbers: inout Sequence, turn: Turn, plan: StagePlan,
    output: inout CommandBuffer
  ) {
    if gift.merges, let place = waiting.firstIndex(where: { $0.merges && $0.key == gift.key }) {
      waiting[place].count += gift.count
      if standing.priority > waiting[place].priority {
        waiting[place].priority = standing.priority
        waiting[place].asset = standing.asset
        waiting[place].duration = standing.durationMilliseconds
      }
    } else {
      waiting.append(
        Play(
          number: numbers.next(), key: gift.key, sender: gift.sender.low,
          gift: StoredGift(gift.event, in: gift.bytes, store: &texts), merges: gift.merges,
          isTest: gift.isTest, priority: standing.priority, count: gift.count, asset: standing.asset,
          duration: standing.durationMilliseconds))
    }
    startNext(turn: turn.standing(at: pausedSince), output: &output)
    bound(plan: plan, counters: &output.counters)
  }

  /// The play ends, and the next begins.
  mutating func end(_ reason: EndReason, turn: Turn, output: inout CommandBuffer) {
    guard let play = current else { return }
    output.emit(turn, .stage, &sequence, .end(group: play.number, reason: reason))
    play.gift.free(in: &texts)
    current = nil
    deadline = nil
    startNext(turn: turn.standing(at: pausedSince), output: &output)
  }

  /// The renderer that leads says that a play is over. False if it is another than the one that plays: it was
  /// over before, and nothing happens.
  mutating func answer(_ reason: EndReason, group: Int, turn: Turn, output: inout CommandBuffer) -> Bool {
    guard current?.number == group else { return false }
    end(reason, turn: turn, output: &output)
    return true
  }

  /// Of more plays than may wait the eldest of lowest priority leave unseen.
  mutating func bound(plan: StagePlan, counters: inout EngineCounters) {
    while waiting.count > plan.maxWaiting {
      guard let lowest = waiting.map(\.priority).min(),
        let place = waiting.firstIndex(where: { $0.priority == lowest })
      else { return }
      counters.stagePlaysDropped += 1
      drop(place)
    }
  }

  /// What waits leaves unseen, and what plays ends.
  mutating func clear(turn: Turn, output: inout CommandBuffer) {
    while !waiting.isEmpty { drop(waiting.count - 1) }
    end(.cleared, turn: turn, output: &output)
  }

  /// Nothing of a sender stays, but for tests.
  mutating func mute(_ sender: UInt64, turn: Turn, output: inout CommandBuffer) {
    while let place = waiting.lastIndex(where: { $0.sender == sender && !$0.isTest }) { drop(place) }
    if let play = current, play.sender == sender, !play.isTest { end(.skipped, turn: turn, output: &output) }
  }

  /// It stands still from now on.
  mutating func pause(turn: Turn, output: inout CommandBuffer) {
    guard pausedSince == nil else { return }
    pausedSince = turn.now
    output.emit(turn, .stage, &sequence, .pause)
  }

  /// It goes on.
  mutating func resume(turn: Turn, output: inout CommandBuffer) {
    guard let since = pausedSince else { return }
    pausedSince = nil
    output.emit(turn, .stage, &sequence, .resume)
    shift(by: turn.now - since, turn: turn, output: &output)
    startNext(turn: turn, output: &output)
  }

  /// Moves the deadline by a length and says it.
  mutating func shift(by milliseconds: Int64, turn: Turn, output: inout CommandBuffer) {
    guard let end = deadline else { return }
    deadline = end + milliseconds
    tell(turn: turn, output: &output)
  }

  private mutating func startNext(turn: Turn, output: inout CommandBuffer) {
    guard pausedSince == nil, current == nil, let highest = waiting.map(\.priority).max(),
      let place = waiting.firstIndex(where: { $0.priority == highest })
    else { return }
    let play = waiting.remove(at: place)
    current = play
    deadline = turn.now + play.duration
    output.counters.stagePlays += 1
    tell(turn: turn, output: &output)
  }

  private mutating func tell(turn: Turn, output: inout CommandBuffer) {
    guard let play = current, let deadline else { return }
    let parties = play.gift.append(from: texts, to: &output.bytes)
    output.emit(
      turn, .stage, &sequence,
      .play(
        group: play.number, sender: parties.sender, gift: parties.gift, receiver: parties.receiver,
        count: play.count, asset: output.bytes.append(text: play.asset), duration: play.duration,
        deadline: deadline), isTest: play.isTest)
  }

  private mutating func drop(_ place: Int) {
    waiting[place].gift.free(in: &texts)
    waiting.remove(at: place)
  }
}

extension Stage {
  /// Writes it.
  func save(to writer: inout StateWriter) {
    writer.write(count: sequence.last)
    writer.write(instant: pausedSince)
    writer.write(instant: deadline)
    writer.write(flag: current != nil)
    if let current { current.save(to: &writer, texts: texts) }
    writer.write(count: waiting.count)
    for play in waiting { play.save(to: &writer, texts: texts) }
  }

  /// Reads it.
  init(from reader: inout StateReader) throws(StateFault) {
    sequence = Sequence(last: try reader.count())
    pausedSince = try reader.optionalInstant()
    deadline = try reader.optionalInstant()
    let isPlaying = try reader.flag()
    guard isPlaying == (deadline != nil) else { throw reader.fault(.contradiction) }
    if isPlaying { current = try Play(from: &reader, texts: &texts) }
    let count = try reader.count(ofThings: Play.leastSavedBytes)
    waiting.reserveCapacity(count)
    for _ in 0..<count { waiting.append(try Play(from: &reader, texts: &texts)) }
  }
}

extension Stage.Play {
  fileprivate static let leastSavedBytes = 41

  fileprivate func save(to writer: inout StateWriter, texts: TextStore) {
    writer.write(count: number)
    writer.write(key)
    writer.write(word: sender)
    writer.write(flag: merges)
    writer.write(flag: isTest)
    writer.write(count: priority)
    writer.write(count: count)
    writer.write(count: Int(duration))
    writer.write(text: asset)
    gift.save(to: &writer, texts: texts)
  }

  fileprivate init(from reader: inout StateReader, texts: inout TextStore) throws(StateFault) {
    number = try reader.count()
    key = try reader.digest()
    sender = try reader.word()
    merges = try reader.flag()
    isTest = try reader.flag()
    priority = try reader.count(upTo: WaitingQueue.levels - 1)
    count = try reader.count()
    duration = Int64(try reader.count())
    asset = Array(reader.bytes[try reader.text()])
    gift = try StoredGift(from: &reader, store: &texts)
  }
}
