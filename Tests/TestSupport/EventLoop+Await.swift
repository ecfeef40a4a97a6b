public import EventLoop

extension EventLoop {
  /// A loop for a test, whose clock begins at 1 000 000.
  public static func forTest() throws(EventLoopFault) -> EventLoop {
    try EventLoop(clock: WallClock(startingAt: 1_000_000))
  }

  /// Turns until the condition holds; looks once a turn. False if it does not hold in time.
  public func turn(within milliseconds: Int64 = 10_000, until condition: @escaping () -> Bool) -> Bool {
    var holds = false
    let hook = addHook(.output) { [unowned self] in
      holds = condition()
      if holds { stop() }
    }
    let timer = schedule(at: clock.now + milliseconds) { [unowned self] in stop() }
    run()
    removeHook(hook)
    cancel(timer)
    return holds
  }

  /// Turns for a while, to see that something does not happen.
  public func turn(for milliseconds: Int64) {
    _ = turn(within: milliseconds) { false }
  }
}
