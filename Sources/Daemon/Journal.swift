import Base
import Bridge
import Configuration
import MQTT
import Store
import Wire

/// What comes in is recorded before it is handled, and what goes out is a function of what was recorded.
///
/// It owns the bridge and, where the daemon has a state directory, the store. Without a store it works the
/// same and forgets everything at the end of the process.
final class Journal {
  /// Who sees what is recorded; nil: nobody.
  var observer: (any InputObserver)?

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
    /// Rows handled later than they were recorded, since the outbox was full.
    var rowsHandledLate = 0
    /// Rows that are kept out since they ended the process.
    var rowsQuarantined = 0
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
  /// What the operator wants; rows that wait may be older.
  private(set) var configuration: Configuration
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
  /// Since when time stands still for the rooms: the connection IN is away. Nil: it runs.
  var stillSince: Instant? = .min
  /// What an earlier run said already; nil once everything of it has been handled again.
  var replay: Replay?
  /// What was said so far, in a number.
  var output = OutputDigest()
  /// Whether what was handled again led to what an earlier run had said.
  var proof = Proof.none
  /// The configuration under which rows are handled; nil before the first.
  var configurationInForce: Configuration?
  /// False while the outbox is full: what comes in is recorded only, and time does not pass.
  var mayHandle = true
  private var hadConnection = false
  /// True from a loss of the session until it is on record.
  private var lossIsUnrecorded = false

  /// Whether handling rows again leads to what was said.
  enum Proof { case none, same, other }

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

  /// True while recorded rows wait to be handled: after a start, or since the outbox was full.
  var isBehind: Bool { handledRow < lastRow }

  /// Bytes of the rows in the store.
  var byteCount: Int { Int(store?.state.journalBytes ?? 0) }

  // MARK: Taking in

  /// The connection IN was opened. `sessionPresent`: the broker kept our session. True if that is a possible
  /// loss.
  func connectionOpened(sessionPresent: Bool, at now: Instant) throws(StoreError) -> Bool {
    let isLoss = lossIsUnrecorded || !sessionPresent && (hadConnection || !pairs.isEmpty)
    if isLoss {
      // If this fails the next connection finds the session that this one made, and the loss is still to be
      // told.
      lossIsUnrecorded = true
      record.addSessionLost(at: instant(now))
      try commitAndHandle(at: now) { _ in }
      lossIsUnrecorded = false
      counters.sessionsLost += 1
    }
    hadConnection = true
    pairs.connectionOpened(sessionPresent: sessionPresent && !isLoss)
    return isLoss
  }

  /// Records the messages of a turn in one transaction. Only when it returns may they be acknowledged; when
  /// it throws nothing of them is recorded.
  func take(
    _ received: borrowing MessageArena, at now: Instant
  ) throws(StoreError) {
    recorded.removeAll(keepingCapacity: true)
    recordedAt = instant(now)
    addRows(of: received)
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
    if let observer { tell(observer, of: received) }
  }

  private func tell(_ observer: any InputObserver, of received: borrowing MessageArena) {
    let bytes = received.bytes
    let arena = bytes.span
    for message in recorded {
      observer.received(
        topic: arena.extracting(message.topic.range), payload: arena.extracting(message.payload.range),
        at: recordedAt)
    }
    observer.turnEnded()
  }

  private func addRows(of received: borrowing MessageArena) {
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
      if !Trial.has(.forgetRedelivery), pairs.isRedelivery(id: message.id, digest: digest) {
        counters.redeliveries += 1
        continue
      }
      record.addMessage(
        at: recordedAt, topic: topic, payload: payload, messageID: message.id, digest: digest,
        properties: nothing.span)
      recorded.append(
        RecordedMessage(
          row: 0, id: message.id, topic: message.topic, payload: message.payload, digest: digest))
    }
  }

  /// Handles the messages that were taken last, which lie in an arena, at the instant that was recorded;
  /// unless rows before them wait, or the outbox is full: then they are read from the store when it is their
  /// turn.
  func handleTaken(in received: borrowing MessageArena, into outgoing: inout OutgoingMessages) {
    defer { recorded.removeAll(keepingCapacity: true) }
    guard mayHandle, let first = recorded.first, first.row == handledRow + 1 else { return }
    let start = outgoing.messages.count
    let bytes = received.bytes
    for message in recorded {
      poisonGuard?.begin(row: message.row, digest: message.digest)
      let arena = bytes.span
      let payload = arena.extracting(message.payload.range)
      Trial.handle(payload)
      if store != nil { bridge.row = message.row }
      bridge.receive(
        topic: arena.extracting(message.topic.range), payload: payload, at: recordedAt, into: &outgoing)
      poisonGuard?.end()
      handledRow = message.row
    }
    note(&outgoing, from: start, passing: handledRow)
  }

  /// The broker has taken a command.
  func confirm(_ position: OutputPosition, topic: ArraySlice<UInt8>) {
    guard store != nil else { return }
    confirmed[Array(topic)] = position
  }

  // MARK: Committing

  /// Commits what earlier turns led to, if that is due.
  func flush(at now: Instant, always: Bool = false) throws(StoreError) {
    guard hasUnflushed, always || now >= lastFlush + Journal.flushMilliseconds else { return }
    moveUnflushedToRecord(at: now)
    try commit(at: now)
  }

  /// When earlier turns' results must be committed; nil if there are none.
  var flushDeadline: Instant? { hasUnflushed ? lastFlush + Journal.flushMilliseconds : nil }

  /// Ends a run cleanly: everything is committed, and the state saved if the broker has taken all that was
  /// said: then the next start has nothing to handle again.
  func close(at now: Instant, allIsConfirmed: Bool, isLate: () -> Bool) throws(StoreError) {
    try flush(at: now, always: true)
    if allIsConfirmed, !isBehind { try saveAll(at: now, isLate: isLate) }
    try store?.stopCleanly()
  }

  private var hasUnflushed: Bool {
    store != nil && (!confirmed.isEmpty || !(bridge.ledger?.isEmpty ?? true))
  }

  /// The engine's time never goes back.
  func instant(_ now: Instant) -> Instant { max(now, bridge.now, recordedAt) }

  /// Goes over to a configuration. It is a row like every input, so each row is handled under the one that
  /// was in force.
  ///
  /// - Returns: What was in force before; nil if that is the same, or not known while rows wait.
  @discardableResult
  func use(
    _ next: Configuration, at now: Instant, into outgoing: inout OutgoingMessages
  ) throws(StoreError) -> Configuration? {
    let text = next.canonicalText
    let before = configurationInForce
    if isBehind || before?.canonicalText != text {
      // While time stands still it happens where it stands: what was due since waits for the span to be
      // skipped.
      let at = lastRow > 0 ? stillInstant(now) : instant(now)
      record.addConfiguration(at: at, canonical: Array(text.utf8).span)
      let start = outgoing.messages.count
      try commitAndHandle(at: now) {
        do throws(TopicFilterFault) {
          try $0.adopt(next, at: at, into: &outgoing)
        } catch {
          preconditionFailure("the filters were checked when the configuration was read: \(error)")
        }
      }
      if !isBehind {
        note(&outgoing, from: start, passing: handledRow)
        configurationInForce = next
      }
    }
    configuration = next
    return before?.canonicalText == text ? nil : before
  }

  /// Commits the one row of the record, and handles it at once unless rows before it wait.
  func commitAndHandle(at now: Instant, _ handle: (inout Bridge) -> Void) throws(StoreError) {
    let isNext = !isBehind && mayHandle
    try commit(at: now)
    recordedAt = instant(now)
    guard isNext else { return }
    handle(&bridge)
    handledRow = lastRow
  }

  /// Commits the record. Rows that fail come again from the broker; the rest of the record waits for the next
  /// try.
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
      poisonGuard?.leased(until: lease)
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
      record.outputDigest = output.atRow
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
