import Testing

@testable import EventLoop

struct TimerQueueTests {
  @Test func timersFireByDeadlineThenByOrderOfScheduling() {
    var queue = TimerQueue()
    var fired: [String] = []
    for (name, deadline) in [("c", 30), ("a", 10), ("b", 20), ("b2", 20)] as [(String, Int64)] {
      _ = queue.schedule(at: deadline) { fired.append(name) }
    }
    #expect(queue.earliestDeadline == 10)
    let last = queue.lastScheduled
    while let handler = queue.takeDue(at: 20, upTo: last) { handler() }
    #expect(fired == ["a", "b", "b2"])
    #expect(queue.earliestDeadline == 30)
  }

  @Test func aTimerIsDueAtItsInstantAndNotBefore() {
    var queue = TimerQueue()
    _ = queue.schedule(at: 100) {}
    #expect(queue.takeDue(at: 99, upTo: queue.lastScheduled) == nil)
    #expect(queue.takeDue(at: 100, upTo: queue.lastScheduled) != nil)
    #expect(queue.earliestDeadline == nil)
  }

  @Test func aCancelledTimerDoesNotFire() {
    var queue = TimerQueue()
    let first = queue.schedule(at: 1) {}
    _ = queue.schedule(at: 2) {}
    queue.cancel(first)
    queue.cancel(first)
    #expect(queue.earliestDeadline == 2)
  }

  @Test func aTimerScheduledMeanwhileWaitsForTheNextTurn() {
    var queue = TimerQueue()
    _ = queue.schedule(at: 1) {}
    let last = queue.lastScheduled
    _ = queue.schedule(at: 0) {}
    #expect(queue.takeDue(at: 5, upTo: last) != nil)
    #expect(queue.takeDue(at: 5, upTo: last) == nil)
    #expect(queue.earliestDeadline == 0)
  }
}
