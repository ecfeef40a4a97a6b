import Base
import Bridge
import Configuration
import MQTT
import Store
import Wire

/// What comes in is recorded before it is handled, and what goes out is a function of what was recorded.
///
/// It owns the bridge and, where the daemon has a state directory, the store. Without a store it works the same and
/// forgets everything at the end of the process.
final class Journal {
  /// What it counts.
  struct Counters: Equatable {
    /// Messages recorded.
    var messages = 0
    /// Messages that the broker sent again and that were recorded before.
    var redeliveries = 0
    /// Times that the broker had forgotten our session: a possible loss.
    var sessionsLost = 0
    /// Commits that failed.
    var commitFaults = 0
    /// Rows handled again at the start.
    var rowsReplayed = 0
    /// Snapshots that count.
    var snapshots = 0
    /// How long the store took for each commit, in microseconds.
    var commits = Histogram.ofMicroseconds
    /// When a message was recorded last.
    var lastMessage: Instant?
  }

  /// The bridge, with the rooms.
  var bridge: Bridge
  var counters = Counters()
  /// When the store was last seen to take a commit.
  var committedAt: Instant = .min
  let configuration: Configuration
  let store: (any Store)?
  let poisonGuard: PoisonGuard?
  var record = TurnRecord()
  var pairs = RedeliveryPairs()
  var saving = SnapshotSaving()
  /// Confirmed positions that are not committed yet.
  private var confirmed: [[UInt8]: OutputPosition] = [:]
  private var lastFlush: Instant = 0
  /// The turn's messages that are recorded and not handled.
  private var recorded: [RecordedMessage] = []
  private var recordedAt: Instant = .min
  /// The last row that was handled; ledger and commands are complete to it.
  var handledRow: Int64 = 0
  var lastRow: Int64 = 0
  var lease: Instant = .min
  /// How far the engine lived before this run.
  var livedUntil: Instant = .min
  private var hadConnection = false
  /// True while nobody may let time pass: the connection IN is away.
  private(set) var isFrozen = true

  private struct RecordedMessage {
    var row: Int64
    var id: UInt16
    var topic: TextSlice
    var payload: TextSlice
    var digest: Digest
  }

  /// How far ahead of the present the lease lies.
  private static let leaseMilliseconds: Int64 = 1000
  /// What earlier turns led to is committed with a turn, but no more often than this.
  private static let flushMilliseconds: Int64 = 100

  init(
    configuration: Configuration, store: (any Store)?, poisonGuard: PoisonGuard?
  ) throws(TopicFilterFault) {
    self.configuration = configuration
    self.store = store
    self.poisonGuard = poisonGuard
    bridge = try Bridge(configuration: configuration)
    keepLedger()
  }

  /// A bridge tallies for the ledger where there is one.
  func keepLedger() {
    if store != nil { bridge.ledger = LedgerTally(dayOffsetMinutes: configuration.dayOffsetMinutes) }
  }

  // MARK: Taking in

  /// The connection IN was opened. `sessionPresent`: the broker kept our session.
  func connectionOpened(sessionPresent: Bool, at now: Instant) throws(StoreError) -> Bool {
    let isLoss = !sessionPresent && (hadConnection || !pairs.isEmpty)
    hadConnection = true
    if isLoss {
      counters.sessionsLost += 1
      record.addSessionLost(at: instant(now))
      try commit(at: now)
      handledRow = lastRow
    }
    pairs.connectionOpened(sessionPresent: sessionPresent)
    return isLoss
  }

  /// Records the messages of a turn in one transaction. Only when it returns may they be acknowledged; when it throws
  /// nothing of them is recorded.
  func take(
    _ received: borrowing MessageArena, at now: Instant
  ) throws(StoreError) {
    recorded.removeAll(keepingCapacity: true)
    let at = instant(now)
    recordedAt = at
    let nothing: [UInt8] = []
    let bytes = received.bytes
    let arena = bytes.span
    for message in received.messages {
      // The broker kept it from another time; it is nobody's batch.
      if message.isRetained {
        bridge.ignoreRetained()
        continue
      }
      let topic = arena.extracting(message.topic.range)
      let payload = arena.extracting(message.payload.range)
      let digest = Digest(topic: topic, payload: payload)
      if pairs.isRedelivery(id: message.id, digest: digest) {
        counters.redeliveries += 1
        continue
      }
      record.addMessage(
        at: at, topic: topic, payload: payload, messageID: message.id, digest: digest,
        properties: nothing.span)
      recorded.append(
        RecordedMessage(
          row: 0, id: message.id, topic: message.topic, payload: message.payload, digest: digest))
    }
    guard !recorded.isEmpty else { return }
    let rows: Range<Int64>
    do throws(StoreError) {
      rows = try commit(at: now)
    } catch {
      recorded.removeAll(keepingCapacity: true)
      throw error
    }
    counters.messages += recorded.count
    counters.lastMessage = now
    for place in recorded.indices {
      recorded[place].row = rows.lowerBound + Int64(place)
      pairs.append(id: recorded[place].id, digest: recorded[place].digest)
    }
  }

  /// Handles the messages that were taken last, which lie in an arena, at the instant that was recorded.
  func handleTaken(in received: borrowing MessageArena, into outgoing: inout OutgoingMessages) {
    let bytes = received.bytes
    let at = recordedAt
    for message in recorded {
      poisonGuard?.begin(row: message.row, digest: message.digest)
      let arena = bytes.span
      bridge.receive(
        topic: arena.extracting(message.topic.range), payload: arena.extracting(message.payload.range),
        at: at,
        into: &outgoing)
      poisonGuard?.end()
      handledRow = message.row
    }
    recorded.removeAll(keepingCapacity: true)
  }

  /// Bytes of the rows that a start would have to go through.
  var byteCount: Int { Int(store?.state.journalBytes ?? 0) }

  // MARK: Time

  /// Lets time pass. The engine never passes the lease, which is committed before it is passed: so no command has two
  /// contents, whatever happens to the process and to the system's clock.
  func advance(to now: Instant, into outgoing: inout OutgoingMessages) throws(StoreError) {
    guard !isFrozen else { return }
    if store != nil, now > lease { try commit(at: now) }
    bridge.advance(to: now, into: &outgoing)
  }

  /// Time stands still from now on: the connection IN is away, and what would arrive cannot.
  func freeze() { isFrozen = true }

  /// Time goes on. The span since it stood still is a row: timers move by it, silences do not count it.
  func thaw(at now: Instant, into outgoing: inout OutgoingMessages) throws(StoreError) {
    guard isFrozen else { return }
    let from = max(bridge.now, livedUntil)
    let to = instant(now)
    if lastRow > 0 || bridge.roomCount > 0, to > from {
      record.addAway(AwaySpan(from: from, to: to))
      try commit(at: now)
      bridge.skip(from: from, to: to, into: &outgoing)
      handledRow = lastRow
    }
    isFrozen = false
  }

  /// When something is due: a timer of a room, or what earlier turns led to must be committed.
  var nextDeadline: Instant? {
    let timer = isFrozen ? nil : bridge.nextDeadline
    let flush = hasUnflushed ? lastFlush + Journal.flushMilliseconds : nil
    return [timer, flush, saving.nextStep].compactMap { $0 }.min()
  }

  /// Commits what earlier turns led to, if that is due.
  func flush(at now: Instant, always: Bool = false) throws(StoreError) {
    guard hasUnflushed, always || now >= lastFlush + Journal.flushMilliseconds else { return }
    moveUnflushedToRecord(at: now)
    try commit(at: now)
  }

  /// The broker has taken a command.
  func confirm(_ position: OutputPosition, topic: ArraySlice<UInt8>) {
    guard store != nil else { return }
    confirmed[Array(topic)] = position
  }

  /// Ends a run cleanly: everything is committed.
  func close(at now: Instant) throws(StoreError) {
    try flush(at: now, always: true)
    try store?.stopCleanly()
  }

  private var hasUnflushed: Bool {
    store != nil && (!confirmed.isEmpty || !(bridge.ledger?.isEmpty ?? true))
  }

  /// The engine's time never goes back.
  func instant(_ now: Instant) -> Instant { max(now, bridge.now, livedUntil) }

  // MARK: Committing

  /// Commits the record. Rows that fail come again from the broker; the rest of the record waits for the next try.
  @discardableResult
  func commit(at now: Instant) throws(StoreError) -> Range<Int64> {
    guard let store else {
      defer { record.removeAll() }
      let first = lastRow + 1
      lastRow += Int64(record.rowCount)
      return first..<lastRow + 1
    }
    if now >= lastFlush + Journal.flushMilliseconds { moveUnflushedToRecord(at: now) }
    record.lease = max(lease, instant(now) + Journal.leaseMilliseconds)
    do throws(StoreError) {
      let rows = try timed(at: now) { () throws(StoreError) in try store.commit(record) }
      lease = record.lease ?? lease
      record.removeAll()
      if !rows.isEmpty { lastRow = rows.upperBound - 1 }
      return rows
    } catch {
      record.removeRows()
      throw error
    }
  }

  private func moveUnflushedToRecord(at now: Instant) {
    lastFlush = now
    if let tally = bridge.ledger, !tally.isEmpty {
      record.completedRow = handledRow
      let arena = tally.bytes.span
      for line in tally.lines {
        record.addLedger(
          room: arena.extracting(line.room.range), day: line.day, sender: arena.extracting(line.sender.range),
          gift: arena.extracting(line.gift.range), receiver: arena.extracting(line.receiver.range),
          count: line.count, value: line.value)
      }
      bridge.ledger?.removeAll()
    }
    for (topic, position) in confirmed {
      record.addPosition(topic: topic.span, epoch: position.epoch, sequence: Int64(position.sequence))
    }
    confirmed.removeAll(keepingCapacity: true)
  }
}
