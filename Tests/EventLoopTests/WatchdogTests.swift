import Base
import EventLoop
import TestSupport
import Testing

@Suite struct WatchdogTests {
  @Test func itTellsAtOnceAndThenTwiceInEachLimit() throws {
    let loop = try EventLoop.forTest()
    var told: [Instant] = []
    let watchdog = Watchdog(limitMilliseconds: 20, loop: loop) { told.append(loop.clock.now) }
    #expect(told.isEmpty)
    watchdog.start()
    #expect(told.count == 1)
    let isDone = loop.turn { told.count == 4 }
    #expect(isDone)
    for (earlier, later) in zip(told, told.dropFirst()) { #expect(later - earlier >= 10) }
  }

  @Test func aTurnThatLastsLongerThanTheLimitTellsNothingMeanwhile() throws {
    let loop = try EventLoop.forTest()
    var told: [Instant] = []
    let watchdog = Watchdog(limitMilliseconds: 4, loop: loop) { told.append(loop.clock.now) }
    watchdog.start()
    var hang: (from: Instant, to: Instant) = (0, 0)
    loop.schedule(at: loop.clock.now + 1) {
      hang.from = loop.clock.now
      while loop.clock.now < hang.from + 40 {}
      hang.to = loop.clock.now
    }
    let isDone = loop.turn { hang.to > 0 && (told.last ?? 0) >= hang.to }
    #expect(isDone)
    #expect(!told.contains { $0 > hang.from && $0 < hang.to })
  }

  @Test func oneThatIsLetGoTellsNothingMore() throws {
    let loop = try EventLoop.forTest()
    var count = 0
    var watchdog: Watchdog? = Watchdog(limitMilliseconds: 2, loop: loop) { count += 1 }
    watchdog?.start()
    watchdog = nil
    var isLater = false
    loop.schedule(at: loop.clock.now + 10) { isLater = true }
    let isDone = loop.turn { isLater }
    #expect(isDone)
    #expect(count == 1)
  }
}
