import Base
import Bridge
import Store
import Wire

// Time passes for the rooms while the connection IN is there, everything recorded is handled, and the outbox
// has room.
extension Journal {
  /// Lets time pass. The engine never passes the lease, which is committed before it is passed: so no command
  /// has two contents, whatever happens to the process and to the system's clock.
  func advance(to now: Instant, into outgoing: inout OutgoingMessages) throws(StoreError) {
    guard mayHandle, !isBehind else { return }
    // What was due before time stood still is due even so.
    let target = min(now, stillSince ?? now)
    guard target > bridge.now else { return }
    if store != nil, target > lease { try commit(at: now) }
    let start = outgoing.messages.count
    bridge.advance(to: target, into: &outgoing)
    note(&outgoing, from: start)
  }

  /// Time stands still from now on: the connection IN is away, and what would arrive cannot.
  func freeze(at now: Instant) {
    if stillSince == nil { stillSince = instant(now) }
  }

  /// Where time stands; the present while it runs.
  func stillInstant(_ now: Instant) -> Instant {
    stillSince.map { max($0, bridge.now) } ?? instant(now)
  }

  /// Time goes on. The span since it stood still is a row: timers move by it, silences do not count it.
  func thaw(at now: Instant, into outgoing: inout OutgoingMessages) throws(StoreError) {
    guard let since = stillSince else { return }
    let span = AwaySpan(from: max(since, bridge.now), to: instant(now))
    if lastRow > 0 || bridge.roomCount > 0, span.to > span.from {
      let start = outgoing.messages.count
      record.addAway(span)
      try commitAndHandle(at: now) { $0.skip(from: span.from, to: span.to, into: &outgoing) }
      observer?.wasAway(from: span.from, to: span.to)
      if !isBehind { note(&outgoing, from: start, passing: handledRow) }
    }
    stillSince = nil
  }

  /// When something is due: rows that wait, a timer of a room, or what earlier turns led to must be
  /// committed.
  var nextDeadline: Instant? {
    [nextInRooms, flushDeadline, savingDeadline].compactMap { $0 }.min()
  }

  private var savingDeadline: Instant? {
    store == nil ? nil : saving.nextStep(row: handledRow, journalBytes: byteCount, configuration)
  }

  private var nextInRooms: Instant? {
    guard mayHandle else { return nil }
    // They are late already.
    if isBehind { return bridge.now }
    guard let timer = bridge.nextDeadline, timer <= stillSince ?? .max else { return nil }
    return timer
  }

  /// Takes note of the messages from a place on, and takes out of them what an earlier run has said and the
  /// broker taken. `row`: they end with what that row led to.
  func note(_ outgoing: inout OutgoingMessages, from place: Int, passing row: Int64? = nil) {
    guard store != nil else { return }
    output.add(outgoing, from: place)
    if row != nil { output.passRow() }
    guard let replay else { return }
    replay.removeKnown(from: &outgoing, row: row ?? .max)
    if handledRow >= replay.lastRow, bridge.now > replay.lease { self.replay = nil }
  }
}
