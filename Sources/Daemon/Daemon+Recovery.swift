import Base
import Bridge
import Configuration
import EventLoop
import Store
import Telemetry

extension Daemon {
  /// Goes on from what an earlier run left: its saved state, and the rows since then handled again. Commands
  /// that the broker had not confirmed go out again, the same bytes.
  func recover(from state: StateDirectory) throws {
    let now = loop.clock.now
    if let reason = try state.start(instance: configuration.instance, at: now) { tellEpoch(reason) }
    for row in try journal.recover(from: state.before, at: now) {
      log.write(
        .error, "a message ended the process twice: it is kept out", LogField("row", LogValue(Int(row))),
        at: now)
    }
    while try catchUp() {}
    try journal.advance(to: loop.clock.now, into: &outgoing)
    if journal.counters.rowsReplayed > 0 {
      log.write(
        .notice, "recovered", LogField("rows", LogValue(journal.counters.rowsReplayed)),
        LogField("rooms", LogValue(journal.bridge.roomCount)),
        LogField("milliseconds", LogValue(Int(loop.clock.now - now))), at: loop.clock.now)
    }
    if journal.proof == .other || (journal.proof == .none && state.isOfAnotherVersion) {
      try journal.beginEpoch(at: loop.clock.now)
      tellEpoch(.otherWords)
    }
    if let before = try journal.use(configuration, at: loop.clock.now, into: &outgoing) {
      log.write(.notice, "the configuration has changed since the last run", at: loop.clock.now)
      // The broker's session still has the filters of that run.
      let filters = configuration.filters
      intake.obsoleteFilters = before.filters.filter { !filters.contains($0) }
    }
    handOver()
  }

  /// Handles some of the recorded rows that wait. True if more wait and may be handled.
  func catchUp() throws -> Bool {
    try journal.catchUp { outgoing in
      Trial.pass(.recovery)
      publisher.publish(outgoing)
      return publisher.queuedBytes <= outboxMark.limit
    }
  }

  private func tellEpoch(_ reason: EpochReason) {
    log.write(
      .warning, "a new epoch begins: commands are numbered from 1 again",
      LogField("reason", .text(reason.rawValue)), at: loop.clock.now)
  }
}
