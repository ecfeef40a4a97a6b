import Base
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// The journal is the buffer: what comes in is taken however slow OUT is, and said later, in order, in the
/// same words.
@Suite struct BacklogTests {
  private static let settings = """
    \(quickGifts)
    limits: {outboxMaxBytes: 1048576}
    comment: {flushMs: 0}
    """

  /// A gift of a sender of its own, without an id, among comments that fill the outbox: 40 KB of commands.
  private func batch(_ number: Int) -> String {
    let text = String(repeating: "x", count: 1900)
    let comments = (0..<20).map { #"{"type":"comment","sender":"c\#($0)","text":"\#(text)"}"# }
    return #"[{"type":"gift","sender":"s\#(number)","gift":"g"},\#(comments.joined(separator: ","))]"#
  }

  private func publish(_ studio: Studio, _ numbers: ClosedRange<Int>) {
    for number in numbers { studio.source.publish(batch(number), to: "im/r\(number % 4)/batch") }
  }

  @Test func whileOutIsBlockedEverythingIsTakenAndLaterSaidInOrder() throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(Self.settings, recordsIn: folder)
    try studio.open()
    studio.relay.block(Studio.publisher)
    publish(studio, 1...150)
    // All of it is acknowledged to the source and taken from the broker, though far more than the outbox
    // holds.
    #expect(studio.loop.turn(within: 20_000) { studio.source.isDone })
    #expect(studio.loop.turn { studio.log.count("what comes in is recorded") == 1 })
    studio.relay.unblock(Studio.publisher)
    #expect(studio.loop.turn(within: 30_000) { studio.viewer.renderer.giftCount >= 150 })
    #expect(studio.loop.turn { studio.daemon.isServing })
    studio.loop.turn(for: 200)
    #expect(studio.viewer.renderer.giftCount == 150)
    #expect(studio.viewer.renderer.faults == [])
    #expect(studio.log.count("left the broker") == 0)
    #expect(studio.log.count("the outbox has room") >= 1)
    #expect(studio.log.count("client=\(Studio.intake)") == studio.log.count("subscribed"))
  }

  /// Journal and outbox at their smallest: IN leaves once for a fill, and comes back when half is gone.
  @Test func aFullJournalMakesInLeaveOnceAndNothingIsLost() throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(
      Self.settings + "\nstate: {journalMaxBytes: 1048576, snapshotSeconds: 1}", recordsIn: folder)
    try studio.open()
    studio.relay.block(Studio.publisher)
    publish(studio, 1...120)
    #expect(studio.loop.turn(within: 20_000) { studio.log.count("the journal is full") == 1 })
    #expect(studio.loop.turn { studio.source.isDone && studio.log.count("left the broker") == 1 })
    publish(studio, 121...140)
    #expect(studio.loop.turn { studio.source.isDone })
    #expect(studio.log.count("left the broker") == 1)
    studio.relay.unblock(Studio.publisher)
    #expect(studio.loop.turn(within: 40_000) { studio.viewer.renderer.giftCount >= 140 })
    #expect(
      studio.loop.turn { studio.log.count("there is room") == studio.log.count("left the broker") })
    #expect(studio.viewer.renderer.giftCount == 140)
    #expect(studio.viewer.renderer.faults == [])
    #expect(studio.log.count("the journal is full") == studio.log.count("left the broker"))
  }

  /// The journal can be cut only at a saved state: a full one does not wait for the time of the next.
  @Test func aFullJournalIsSavedAndCutAtOnce() throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(
      Self.settings + "\nstate: {journalMaxBytes: 1048576, snapshotSeconds: 86400, snapshotRows: 100000000}",
      recordsIn: folder)
    try studio.open()
    studio.relay.block(Studio.publisher)
    publish(studio, 1...60)
    #expect(studio.loop.turn(within: 20_000) { studio.log.count("the journal is full") == 1 })
    studio.relay.unblock(Studio.publisher)
    #expect(studio.loop.turn(within: 20_000) { studio.viewer.renderer.giftCount >= 60 })
    #expect(studio.loop.turn { studio.daemon.isServing })
    #expect(studio.viewer.renderer.giftCount == 60)
    #expect(studio.viewer.renderer.faults == [])
  }

  /// The library gives a silent OUT up after a keepalive and a half, and connects again; nothing of IN is
  /// touched.
  @Test func outThatStallsForThreeKeepalivesRedeliversNothingOfIn() throws {
    let folder = try TemporaryFolder()
    let studio = try Studio(
      quickGifts, broker: "receiveMaximum: 500, keepAliveSeconds: 5", recordsIn: folder)
    try studio.open()
    let start = studio.loop.clock.now
    studio.relay.block(Studio.publisher)
    var sent = 0
    func publish() {
      sent += 1
      studio.source.publish(#"[{"sender":"s\#(sent % 9)","gift":"g"}]"#, to: "im/r\(sent % 3)/gift")
    }
    #expect(
      studio.loop.turn(within: 60_000) {
        if studio.source.isDone { publish() }
        return studio.loop.clock.now - start > 15_000
      })
    studio.relay.unblock(Studio.publisher)
    #expect(
      studio.loop.turn(within: 30_000) { studio.source.isDone && studio.viewer.renderer.giftCount >= sent })
    studio.daemon.stop()
    #expect(studio.loop.turn { studio.stops == 1 })
    #expect(studio.viewer.renderer.giftCount == Int64(sent))
    #expect(studio.viewer.renderer.faults == [])
    #expect(studio.log.count("redelivered=0") == 1)
    // A command may be under way when OUT is given up, and comes again then: once.
    #expect(studio.viewer.renderer.repeats <= studio.viewer.renderer.commands.count)
  }

  /// What is left behind by a daemon that ends with rows it has recorded and not handled is said by the next.
  @Test func aBacklogOutlivesTheDaemon() throws {
    let folder = try TemporaryFolder()
    let broker = try PrivateBroker()
    do {
      let studio = try Studio(Self.settings, recordsIn: folder, on: broker)
      try studio.open()
      studio.relay.block(Studio.publisher)
      publish(studio, 1...100)
      #expect(studio.loop.turn(within: 20_000) { studio.source.isDone })
      #expect(studio.loop.turn { studio.log.count("what comes in is recorded") == 1 })
    }
    let studio = try Studio(Self.settings, recordsIn: folder, on: broker)
    #expect(studio.loop.turn { studio.viewer.isReady })
    try studio.daemon.start()
    #expect(studio.loop.turn(within: 30_000) { studio.viewer.renderer.giftCount >= 100 })
    studio.loop.turn(for: 200)
    #expect(studio.viewer.renderer.giftCount == 100)
    #expect(studio.viewer.renderer.faults == [])
  }
}
