import Base
import Daemon
import EventLoop
import PrivateBroker
import TestSupport
import Testing
import Wire

/// When the outbox is full the broker keeps what comes in.
@Suite struct HoldingBackTests {
  /// A gift of a sender of its own, without an id, among comments that fill the outbox.
  private func batch(_ number: Int) -> String {
    let text = String(repeating: "x", count: 1900)
    let comments = (0..<20).map { #"{"type":"comment","sender":"c\#($0)","text":"\#(text)"}"# }
    return #"[{"type":"gift","sender":"s\#(number)","gift":"g"},\#(comments.joined(separator: ","))]"#
  }

  @Test func aFullOutboxMakesUsLeaveAndNothingIsLostOrCountedTwice() throws {
    let studio = try Studio("\(quickGifts)\nlimits: {outboxMaxBytes: 1048576}\ncomment: {flushMs: 0}")
    try studio.open()
    studio.relay.block(Studio.publisher)
    var sent = 0
    func publish(_ count: Int) {
      for _ in 0..<count {
        sent += 1
        studio.source.publish(batch(sent), to: "im/r\(sent % 4)/batch")
      }
    }
    #expect(
      studio.loop.turn(within: 20_000) {
        if studio.source.isDone { publish(5) }
        return studio.log.count("the outbox is full") == 1
      })
    #expect(studio.loop.turn { !studio.daemon.isServing })
    // What comes now is the broker's to keep.
    publish(20)
    #expect(studio.loop.turn { studio.source.isDone })
    #expect(studio.log.count("there is room") == 0)
    studio.relay.unblock(Studio.publisher)
    #expect(studio.loop.turn(within: 20_000) { studio.viewer.renderer.giftCount >= sent })
    #expect(studio.loop.turn { studio.daemon.isServing })
    studio.loop.turn(for: 200)
    #expect(studio.log.count("there is room") >= 1)
    #expect(studio.viewer.renderer.giftCount == Int64(sent))
    #expect(studio.viewer.renderer.faults == [])
    #expect(studio.viewer.states() == ["online"])
  }

  /// The broker sends at full speed at the moment at which we leave, and what it sent may lie unread.
  @Test func leavingInTheMidstOfABurstCountsNothingTwice() throws {
    let studio = try Studio(
      "\(quickGifts)\nlimits: {outboxMaxBytes: 1048576}\ncomment: {flushMs: 0}",
      broker: "receiveMaximum: 20, publishWindow: 1", isDirect: true)
    try studio.open()
    for number in 1...300 { studio.source.publish(batch(number), to: "im/r\(number % 4)/batch") }
    #expect(studio.loop.turn(within: 30_000) { studio.viewer.renderer.giftCount >= 300 })
    #expect(studio.loop.turn { studio.daemon.isServing })
    studio.loop.turn(for: 200)
    #expect(studio.log.count("left the broker") >= 1)
    #expect(studio.viewer.renderer.giftCount == 300)
    #expect(studio.viewer.renderer.faults == [])
  }
}
