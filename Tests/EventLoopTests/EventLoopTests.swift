import Base
import EventLoop
import Glibc
import TestSupport
import Testing

struct EventLoopTests {
  @Test func theClockBeginsAtItsStartAndDoesNotRunBackwards() {
    let clock = WallClock(startingAt: 5000)
    var last = clock.now
    #expect((5000...5010).contains(last))
    for _ in 0..<1000 {
      let now = clock.now
      #expect(now >= last)
      last = now
    }
  }

  @Test func systemTimeIsOfThisCentury() {
    #expect(WallClock.systemTime > 1_700_000_000_000)
  }

  @Test func aTimerNeverFiresBeforeItsInstant() throws {
    let loop = try EventLoop.forTest()
    var lateness: [Int64] = []
    for _ in 0..<20 {
      let deadline = loop.clock.now + 7
      loop.schedule(at: deadline) {
        lateness.append(loop.clock.now - deadline)
        loop.stop()
      }
      loop.run()
    }
    #expect(lateness.count == 20)
    #expect(lateness.allSatisfy { $0 >= 0 })
  }

  @Test func aTimerInThePastFiresAtOnceAndOneFarAwayDoesNot() throws {
    let loop = try EventLoop.forTest()
    var fired: [String] = []
    loop.schedule(at: .max) { fired.append("never") }
    loop.schedule(at: 0) { fired.append("past") }
    #expect(loop.turn(within: 1000) { !fired.isEmpty })
    #expect(fired == ["past"])
  }

  @Test func aTimerThatIsAlwaysDueLetsDescriptorsHaveTheirTurn() throws {
    let loop = try EventLoop.forTest()
    var isHeard = false
    let bell = try loop.makeWakeUp { isHeard = true }
    func again() { loop.schedule(at: 0, again) }
    again()
    bell.wake()
    #expect(loop.turn(within: 1000) { isHeard })
  }

  @Test func hooksRunOnceATurnWorkBeforeOutput() throws {
    let loop = try EventLoop.forTest()
    var order: [String] = []
    loop.addHook(.output) { order.append("output") }
    loop.addHook(.work) { order.append("work 1") }
    let second = loop.addHook(.work) { order.append("work 2") }
    loop.addHook(.output) { loop.stop() }
    loop.run()
    loop.removeHook(second)
    loop.run()
    #expect(order == ["work 1", "work 2", "output", "work 1", "output"])
  }

  @Test func aDescriptorIsReportedForAsLongAsItIsReadable() throws {
    let loop = try EventLoop.forTest()
    let ends = makePair()
    defer { for end in ends { close(end) } }
    var reports: [Readiness] = []
    try loop.register(ends[0], for: .read) { reports.append($0) }
    writeByte(to: ends[1])
    #expect(loop.turn(within: 1000) { reports.count >= 3 })
    #expect(reports.allSatisfy { $0 == .readable })
    try loop.change(ends[0], to: .write)
    reports.removeAll()
    #expect(loop.turn(within: 1000) { !reports.isEmpty })
    #expect(reports.first == .writable)
    loop.unregister(ends[0])
    loop.unregister(ends[0])
    reports.removeAll()
    loop.turn(for: 20)
    #expect(reports.isEmpty)
  }

  @Test func aHandlerMayCloseAnotherDescriptorWhoseEventIsPending() throws {
    let loop = try EventLoop.forTest()
    let pairs = [makePair(), makePair()]
    for pair in pairs { writeByte(to: pair[1]) }
    defer { for end in pairs.flatMap(\.self) { close(end) } }
    var heard: [Int] = []
    for index in 0..<2 {
      try loop.register(pairs[index][0], for: .read) { _ in
        heard.append(index)
        for pair in pairs { loop.unregister(pair[0]) }
      }
    }
    loop.turn(for: 20)
    #expect(heard.count == 1)
  }

  @Test func anotherThreadWakesTheLoop() throws {
    let loop = try EventLoop.forTest()
    var rings = 0
    let bell = try loop.makeWakeUp { rings += 1 }
    var thread = pthread_t()
    let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      guard let argument = unsafe argument else { return nil }
      unsafe Unmanaged<WakeUp>.fromOpaque(argument).takeRetainedValue().wake()
      return nil
    }
    let created = unsafe pthread_create(&thread, nil, body, Unmanaged.passRetained(bell).toOpaque())
    #expect(created == 0)
    #expect(loop.turn(within: 2000) { rings == 1 })
    pthread_join(thread, nil)
    loop.remove(bell)
    bell.wake()
    loop.turn(for: 20)
    #expect(rings == 1)
  }

  @Test func signalsAreHandledOnTheLoop() throws {
    let loop = try EventLoop.forTest()
    var heard: [Int32] = []
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try loop.handleSignals([SIGHUP, SIGTERM]) { heard.append($0) }
    // Sent to this thread alone: other tests run in others, and do not block the signal.
    #expect(pthread_kill(pthread_self(), SIGHUP) == 0)
    #expect(loop.turn(within: 2000) { heard == [SIGHUP] })
  }

  /// Two sockets that are connected with each other.
  private func makePair() -> [Int32] {
    var ends: [Int32] = [-1, -1]
    let code = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    #expect(code == 0)
    return ends
  }

  private func writeByte(to descriptor: Int32) {
    let count = unsafe write(descriptor, "x", 1)
    #expect(count == 1)
  }
}
