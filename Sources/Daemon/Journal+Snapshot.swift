import Base
import Bridge
import Configuration
import Store

/// How far the saving of the state is.
struct SnapshotSaving {
  enum Phase: Equatable {
    /// Nothing is being saved.
    case resting
    /// Rooms are being written.
    case writing
    /// All are written; what was published before the beginning must be confirmed before the snapshot counts.
    case waiting
    /// It counts; the journal behind it is being cut.
    case cutting
  }

  private(set) var phase = Phase.resting
  /// The last row that was handled when it began; a replay starts after it.
  private(set) var row: Int64 = 0
  /// What belongs to no room.
  var header: [UInt8] = []
  /// How many messages had been handed to the publisher when it began.
  var published = 0
  private var beganAt: Instant = 0
  private var lastStep: Instant = 0

  private static let stepMilliseconds: Int64 = 20
  private static let waitMilliseconds: Int64 = 200
  /// Rooms written in a step: about two milliseconds of work.
  static let roomsPerStep = 50

  /// When the next step is due; nil if there is nothing to save.
  ///
  /// - Parameter journalBytes: A journal that is nearly full can be cut only at a snapshot, so that does not
  ///   wait. What is kept behind one takes up to half, so it is not nearly full of that alone.
  func nextStep(row handled: Int64, journalBytes: Int, _ configuration: Configuration) -> Instant? {
    switch phase {
    case .resting where handled <= row: nil
    case .resting where journalBytes > configuration.journalMaxBytes / 4 * 3:
      lastStep + SnapshotSaving.stepMilliseconds
    case .resting: beganAt + Int64(configuration.snapshotSeconds) * 1000
    case .writing, .cutting: lastStep + SnapshotSaving.stepMilliseconds
    case .waiting: lastStep + SnapshotSaving.waitMilliseconds
    }
  }

  /// True if it is time for a new snapshot: after so many rows, or so much time with rows.
  func isDue(row handled: Int64, journalBytes: Int, at now: Instant, _ configuration: Configuration) -> Bool {
    guard phase == .resting,
      let next = nextStep(row: handled, journalBytes: journalBytes, configuration)
    else { return false }
    return now >= next || handled - row >= Int64(configuration.snapshotRows)
  }

  /// The state is known to be complete to a row.
  mutating func began(row: Int64, at now: Instant) {
    self.row = row
    beganAt = now
    lastStep = now
  }

  mutating func enter(_ phase: Phase) { self.phase = phase }

  mutating func stepped(at now: Instant) { lastStep = now }
}

extension Journal {
  /// Does a piece of the saving, if one is due: a few milliseconds at most.
  ///
  /// - Parameters:
  ///   - published: Messages handed to the publisher so far, all that was caused until now among them.
  ///   - confirmed: Messages of these that the broker has taken.
  func saveStep(published: Int, confirmed: Int, at now: Instant) throws(StoreError) {
    guard let store else { return }
    if saving.isDue(row: handledRow, journalBytes: byteCount, at: now, configuration) {
      beginSaving(published: published, at: now)
    } else if let next = saving.nextStep(row: handledRow, journalBytes: byteCount, configuration), now < next
    {
      return
    }
    saving.stepped(at: now)
    if saving.phase != .resting { Trial.pass(.snapshot) }
    switch saving.phase {
    case .resting: return
    case .writing: try writeRooms(at: now)
    case .waiting:
      // A command from before that is not confirmed must be made again by a replay: so its rows are needed
      // still.
      guard confirmed >= saving.published else { return }
      try finishSaving(at: now)
    case .cutting:
      if try !store.tidy(tidyPlan(at: now)) { saving.enter(.resting) }
    }
  }

  /// Saves the state of this moment at once, unless it takes too long: then the one before counts.
  func saveAll(at now: Instant, isLate: () -> Bool) throws(StoreError) {
    guard store != nil, handledRow > 0 else { return }
    // One that goes on is of an earlier moment, but counts as well; another is made on top of it.
    while saving.phase == .writing, !isLate() { try writeRooms(at: now) }
    if saving.phase == .waiting { try finishSaving(at: now) }
    guard saving.phase != .writing, handledRow > saving.row else { return }
    beginSaving(published: 0, at: now)
    while saving.phase == .writing, !isLate() { try writeRooms(at: now) }
    if saving.phase == .waiting { try finishSaving(at: now) }
  }

  private func finishSaving(at now: Instant) throws(StoreError) {
    record.finishSnapshot(row: saving.row, header: saving.header.span)
    saving.enter(.cutting)
    // A replay will not see the rows before it again: what they add to the ledger must be in by now.
    try flush(at: now, always: true)
    try commit(at: now)
    counters.snapshots += 1
  }

  /// Rows are kept for `journalKeepHours`, as long as they leave the other half of the journal to what must
  /// be there.
  private func tidyPlan(at now: Instant) -> TidyPlan {
    let keeps = byteCount <= configuration.journalMaxBytes / 2
    let from = keeps ? now - Int64(configuration.journalKeepHours) * 3_600_000 : .max
    return TidyPlan(
      journalFrom: configuration.journalKeepHours > 0 ? from : .max, ledgerFromDay: firstLedgerDay(at: now),
      limit: 100)
  }

  /// The first day that the ledger keeps; nil: all.
  private func firstLedgerDay(at now: Instant) -> Int32? {
    guard configuration.ledgerKeepDays > 0 else { return nil }
    let today = Day(of: instant(now), offsetMinutes: configuration.dayOffsetMinutes).number
    return today - Int32(configuration.ledgerKeepDays - 1)
  }

  private func beginSaving(published: Int, at now: Instant) {
    var engineHeader: [UInt8] = []
    let gone = bridge.beginSaving(everything: false, header: &engineHeader)
    saving.began(row: handledRow, at: now)
    saving.header =
      SnapshotHeader(
        configuration: bridge.configuration.canonicalText, outputDigest: output.now,
        engine: engineHeader
      ).bytes
    saving.published = published
    saving.enter(.writing)
    for number in gone { record.removeChunk(room: Journal.key(of: number).span, row: saving.row) }
  }

  private func writeRooms(at now: Instant) throws(StoreError) {
    var chunk: [UInt8] = []
    for _ in 0..<SnapshotSaving.roomsPerStep {
      guard let number = bridge.saveNext(into: &chunk) else {
        saving.enter(.waiting)
        break
      }
      record.addChunk(room: Journal.key(of: number).span, row: saving.row, content: chunk.span)
    }
    try commit(at: now)
  }

  private static func key(of number: Int) -> [UInt8] { Array(String(number).utf8) }
}
