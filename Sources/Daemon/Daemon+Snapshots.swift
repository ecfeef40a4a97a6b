import Base
import Bridge
import EventLoop
import Wire

// A broker that takes our commands again may have lost what it kept: each time that OUT opens, the rooms'
// snapshots are said once more, a few at a time, and only while the outbox has room.
extension Daemon {
  /// Rooms looked at in one step: about a millisecond.
  private static let snapshotsAtOnce = 100
  /// The time between two steps.
  private static let snapshotsMilliseconds: Int64 = 20

  /// Says the snapshots of all rooms again, from a place on. A second call begins anew; the first then ends.
  func sayAllSnapshots(from place: Int = 0) {
    if place == 0 { snapshotRound += 1 }
    let round = snapshotRound
    guard isRunning, publisher.isOnline else { return }
    var next: Int? = place
    if publisher.queuedBytes < outboxMark.limit / 2 {
      var snapshots = OutgoingMessages()
      next = journal.bridge.snapshotAll(
        from: place, limit: Daemon.snapshotsAtOnce, present: loop.clock.now, into: &snapshots)
      publisher.publish(snapshots)
    }
    guard let next else { return }
    loop.schedule(at: loop.clock.now + Daemon.snapshotsMilliseconds) { [weak self] in
      guard let self, round == snapshotRound else { return }
      sayAllSnapshots(from: next)
    }
  }
}
