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

  /// When the next step is due; nil while nothing is being saved.
  var nextStep: Instant? {
    switch phase {
    case .resting: nil
    case .writing, .cutting: lastStep + SnapshotSaving.stepMilliseconds
    case .waiting: lastStep + SnapshotSaving.waitMilliseconds
    }
  }

  /// True if it is time for a new snapshot: after so many rows, or so much time with rows.
  func isDue(row handled: Int64, at now: Instant, _ configuration: Configuration) -> Bool {
    guard phase == .resting, handled > row else { return false }
    return handled - row >= Int64(configuration.snapshotRows)
      || now - beganAt >= Int64(configuration.snapshotSeconds) * 1000
  }

  /// The state is known to be complete to a row.
  mutating func began(row: Int64, at now: Instant) {
    self.row = row
    beganAt = now
    lastStep = now
  }

  mutating func enter(_ phase: Phase) { self.phase = phase }

  mutating func stepped(at now: Instant) { lastStep = now }

  /// The header of a snapshot: the configuration in force, framed by its length, and the engine's own.
  static func join(configuration: String, engine: [UInt8]) -> [UInt8] {
    let text = Array(configuration.utf8)
    var header: [UInt8] = []
    for shift: UInt32 in stride(from: 0, to: 32, by: 8) {
      header.append(UInt8(truncatingIfNeeded: UInt32(text.count) >> shift))
    }
    return header + text + engine
  }

  /// Takes a header apart again.
  static func split(_ header: [UInt8]) throws -> (configuration: String, engine: [UInt8]) {
    guard header.count >= 4 else { throw RecoveryFault.badState("its header is too short") }
    let count = (0..<4).reduce(0) { $0 | Int(header[$1]) << (8 * $1) }
    guard header.count - 4 >= count else { throw RecoveryFault.badState("its header is cut off") }
    return (String(decoding: header[4..<4 + count], as: UTF8.self), Array(header[(4 + count)...]))
  }
}

extension Journal {
  /// Does a piece of the saving, if one is due: a few milliseconds at most.
  ///
  /// - Parameters:
  ///   - published: Messages handed to the publisher so far, all that was caused until now among them.
  ///   - confirmed: Messages of these that the broker has taken.
  func saveStep(published: Int, confirmed: Int, at now: Instant) throws(StoreError) {
    guard let store else { return }
    if saving.isDue(row: handledRow, at: now, configuration) {
      beginSaving(published: published, at: now)
    } else if let next = saving.nextStep, now < next {
      return
    }
    saving.stepped(at: now)
    switch saving.phase {
    case .resting: return
    case .writing: try writeRooms(at: now)
    case .waiting:
      // A command from before that is not confirmed must be made again by a replay: so its rows are needed still.
      guard confirmed >= saving.published else { return }
      record.finishSnapshot(row: saving.row, header: saving.header.span)
      saving.enter(.cutting)
      // A replay will not see the rows before it again: what they add to the ledger must be in by now.
      try flush(at: now, always: true)
      try commit(at: now)
      counters.snapshots += 1
    case .cutting:
      if try !store.tidy(TidyPlan(limit: 100)) { saving.enter(.resting) }
    }
  }

  private func beginSaving(published: Int, at now: Instant) {
    var engineHeader: [UInt8] = []
    let gone = bridge.beginSaving(everything: false, header: &engineHeader)
    saving.began(row: handledRow, at: now)
    saving.header = SnapshotSaving.join(configuration: configuration.canonicalText, engine: engineHeader)
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
