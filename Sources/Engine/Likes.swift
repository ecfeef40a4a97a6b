import Base

/// The likes of a room: counts collect and go out in paced bursts.
struct Likes {
  private var new = 0
  /// How many of the new ones are tests.
  private var newTests = 0
  private var sum = 0
  /// The last total of a source that sends totals, raised by counts in between.
  private var baseline: Int?
  /// The highest total that the source sent in this broadcast.
  private var highest: Int?
  var sequence = Sequence()
  private var last: Instant?
  private(set) var burst: (count: Int, particles: Int, isTest: Bool) = (0, 0, false)
  /// When the new likes go out; nil if there are none.
  private(set) var burstDeadline: Instant?
  /// When the shower ends; nil if there is none.
  private(set) var stopDeadline: Instant?
  /// Since when they stand still; nil: they do not.
  private(set) var pausedSince: Instant?

  /// True if nothing falls and nothing waits.
  var isIdle: Bool { burstDeadline == nil && stopDeadline == nil }

  /// What renderers are told of all likes so far.
  var total: Int { highest ?? sum }

  /// Likes arrive; they go out at the end of the batch or later. Tests are in no total.
  mutating func receive(_ event: Event, isTest: Bool = false, turn: Turn, plan: LikePlan) {
    if isTest {
      let count = event.count ?? event.total ?? 1
      newTests = Likes.saturatingSum(newTests, count)
      return add(count, turn: turn, plan: plan)
    }
    let count = event.count ?? event.total.map { rise(to: $0) } ?? 1
    if let total = event.total {
      baseline = total
      if let seen = highest, total >= seen - total { highest = max(seen, total) } else { highest = total }
    } else if let before = baseline {
      baseline = before + count
    }
    // A source may send any totals up to 2^53, over and over.
    sum = Likes.saturatingSum(sum, count)
    add(count, turn: turn, plan: plan)
  }

  private mutating func add(_ count: Int, turn: Turn, plan: LikePlan) {
    let now = turn.standing(at: pausedSince).now
    new = Likes.saturatingSum(new, count)
    if new > 0, burstDeadline == nil {
      burstDeadline = last.map { max(now, $0 + plan.burstMilliseconds) } ?? now
    }
  }

  /// Sends the new likes.
  mutating func sendBurst(turn: Turn, plan: LikePlan, output: inout CommandBuffer) {
    let until = turn.now + plan.showerMilliseconds
    burst = (new, min(new, plan.maxParticles), newTests == new)
    output.emit(
      turn, .like, &sequence,
      .burst(count: burst.count, total: total, particles: burst.particles, until: until),
      isTest: burst.isTest)
    new = 0
    newTests = 0
    burstDeadline = nil
    stopDeadline = until
    last = turn.now
  }

  /// Ends the shower.
  mutating func sendStop(turn: Turn, output: inout CommandBuffer) {
    stopDeadline = nil
    output.emit(turn, .like, &sequence, .stop(total: total))
  }

  /// Moves its instants by a length and says the shower's new end.
  mutating func shift(by milliseconds: Int64, turn: Turn, output: inout CommandBuffer) {
    last? += milliseconds
    burstDeadline? += milliseconds
    guard let stop = stopDeadline else { return }
    stopDeadline = stop + milliseconds
    output.emit(
      turn, .like, &sequence,
      .burst(
        count: burst.count, total: total, particles: burst.particles, until: stop + milliseconds),
      isTest: burst.isTest)
  }

  /// What is new goes unseen into the total, and the shower ends.
  mutating func clear(turn: Turn, output: inout CommandBuffer) {
    new = 0
    newTests = 0
    burstDeadline = nil
    if stopDeadline != nil { sendStop(turn: turn, output: &output) }
  }

  /// They stand still from now on.
  mutating func pause(turn: Turn, output: inout CommandBuffer) {
    guard pausedSince == nil else { return }
    pausedSince = turn.now
    output.emit(turn, .like, &sequence, .pause)
  }

  /// They go on.
  mutating func resume(turn: Turn, output: inout CommandBuffer) {
    guard let since = pausedSince else { return }
    pausedSince = nil
    output.emit(turn, .like, &sequence, .resume)
    shift(by: turn.now - since, turn: turn, output: &output)
  }

  private static func saturatingSum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }

  /// What a total adds to the one before; the first, and one that falls, are a new baseline.
  private func rise(to total: Int) -> Int {
    guard let baseline, total >= baseline else { return 0 }
    return total - baseline
  }
}

extension Likes {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: new)
    writer.write(count: newTests)
    writer.write(count: sum)
    writer.write(baseline) { $0.write(count: $1) }
    writer.write(highest) { $0.write(count: $1) }
    writer.write(count: sequence.last)
    writer.write(count: burst.count)
    writer.write(count: burst.particles)
    writer.write(flag: burst.isTest)
    writer.write(instant: last)
    writer.write(instant: burstDeadline)
    writer.write(instant: stopDeadline)
    writer.write(instant: pausedSince)
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    new = try reader.count()
    newTests = try reader.count()
    sum = try reader.count()
    baseline = try reader.optional { (reader) throws(StateFault) in try reader.count() }
    highest = try reader.optional { (reader) throws(StateFault) in try reader.count() }
    sequence = Sequence(last: try reader.count())
    burst.count = try reader.count()
    burst.particles = try reader.count()
    burst.isTest = try reader.flag()
    last = try reader.optionalInstant()
    burstDeadline = try reader.optionalInstant()
    stopDeadline = try reader.optionalInstant()
    pausedSince = try reader.optionalInstant()
  }
}
