public import Base
import CLinux
import Glibc

/// When in a turn a hook runs. All hooks of one phase run before those of the next.
public enum TurnPhase: Sendable {
  /// The daemon's own work on what the turn brought: commit, advance, publish.
  case work
  /// What the work has queued is written out.
  case output
}

/// Names a hook, so that it can be removed. Never used twice.
public struct HookID: Equatable, Sendable {
  let number: UInt64
}

/// One thread's loop over epoll: descriptors (level-triggered), timers, signals, wake-ups and hooks.
///
/// A turn: `work` hooks, `output` hooks, wait, timers that are due, descriptors that are ready. It belongs to
/// the thread that runs it; only `WakeUp.wake` may be called from another. Handlers may register, unregister,
/// schedule and cancel whatever they like; what they hold is released when they are removed.
public final class EventLoop {
  /// The clock that timers are measured by.
  public let clock: WallClock

  private struct Registration {
    let token: UInt64
    var interest: Interest
    let handler: (Readiness) -> Void
  }
  private struct Hook {
    let id: HookID
    let phase: TurnPhase
    let handler: () -> Void
  }

  private let poll: Poll
  private let alarm: Alarm
  private var registrations: [Int32: Registration] = [:]
  private var lastGeneration: UInt32 = 0
  private var timers = TimerQueue()
  private var hooks: [Hook] = []
  private var lastHook: UInt64 = 0
  private var signalDescriptor: Int32?
  private var isStopping = false

  /// The token of the alarm; descriptors' generations start at 1.
  private static let alarmToken: UInt64 = 0

  /// A loop with nothing registered. Fails when the process has no descriptors left.
  public init(clock: WallClock) throws(EventLoopFault) {
    self.clock = clock
    poll = try Poll()
    alarm = try Alarm()
    try poll.add(alarm.descriptor, .read, token: Self.alarmToken)
  }

  deinit {
    if let signalDescriptor { close(signalDescriptor) }
  }

  /// Turns until `stop` is called. May be called again afterwards.
  public func run() {
    isStopping = false
    while true {
      runHooks(.work)
      runHooks(.output)
      if isStopping { return }
      alarm.set(nanoseconds: timers.earliestDeadline.map(clock.bootNanoseconds) ?? 0)
      let count = poll.wait()
      fireTimers()
      for index in 0..<count { dispatch(poll.report(index)) }
    }
  }

  /// Makes `run` return before it waits again. For the loop's own thread.
  public func stop() { isStopping = true }

  // MARK: Descriptors

  /// Watches a descriptor. The caller keeps it open, and unregisters it before it is closed.
  public func register(
    _ descriptor: Int32, for interest: Interest, handler: @escaping (Readiness) -> Void
  ) throws(EventLoopFault) {
    precondition(registrations[descriptor] == nil, "a descriptor is registered twice")
    lastGeneration = lastGeneration == .max ? 1 : lastGeneration + 1
    let token = UInt64(lastGeneration) << 32 | UInt64(UInt32(bitPattern: descriptor))
    try poll.add(descriptor, interest, token: token)
    registrations[descriptor] = Registration(token: token, interest: interest, handler: handler)
  }

  /// Changes what is wanted of a registered descriptor; no system call if that is what it was.
  public func change(_ descriptor: Int32, to interest: Interest) throws(EventLoopFault) {
    guard let registration = registrations[descriptor] else {
      preconditionFailure("the interest of a descriptor changes that is not registered")
    }
    guard registration.interest != interest else { return }
    try poll.modify(descriptor, interest, token: registration.token)
    registrations[descriptor]?.interest = interest
  }

  /// Forgets a descriptor; events that it already had are dropped. Nothing happens if it is not registered.
  public func unregister(_ descriptor: Int32) {
    guard registrations.removeValue(forKey: descriptor) != nil else { return }
    poll.remove(descriptor)
  }

  // MARK: Timers and hooks

  /// Calls `handler` once, in the first turn that ends at `deadline` or later; at most 1 ms late when idle.
  @discardableResult
  public func schedule(at deadline: Instant, _ handler: @escaping () -> Void) -> TimerID {
    timers.schedule(at: deadline, handler: handler)
  }

  /// Cancels a timer; nothing happens if it has fired.
  public func cancel(_ timer: TimerID) { timers.cancel(timer) }

  /// Calls `handler` once in every turn, before the loop waits; of one phase in the order of adding.
  @discardableResult
  public func addHook(_ phase: TurnPhase, _ handler: @escaping () -> Void) -> HookID {
    lastHook += 1
    let id = HookID(number: lastHook)
    hooks.append(Hook(id: id, phase: phase, handler: handler))
    return id
  }

  /// Removes a hook; it is not called again.
  public func removeHook(_ id: HookID) { hooks.removeAll { $0.id == id } }

  // MARK: Other threads and signals

  /// Makes a bell for other threads that calls `handler` here. Lasts until `remove`.
  public func makeWakeUp(_ handler: @escaping () -> Void) throws(EventLoopFault) -> WakeUp {
    let wakeUp = try WakeUp()
    // The handler owns the bell, so that its descriptor is open for as long as it is watched.
    try register(wakeUp.descriptor, for: .read) { _ in
      wakeUp.clear()
      handler()
    }
    return wakeUp
  }

  /// Stops listening to a bell. It may be rung still; nobody hears it.
  public func remove(_ wakeUp: WakeUp) { unregister(wakeUp.descriptor) }

  /// Takes the given signals out of their usual course and calls `handler` with the number of each.
  ///
  /// Call once, before the first thread is started: threads inherit the mask that this sets.
  public func handleSignals(
    _ signals: [Int32], _ handler: @escaping (Int32) -> Void
  ) throws(EventLoopFault) {
    precondition(signalDescriptor == nil, "signals are handled already")
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    for signal in signals { unsafe sigaddset(&mask, signal) }
    let code = unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    guard code == 0 else { throw EventLoopFault("pthread_sigmask", code: code) }
    let descriptor = unsafe signalfd(-1, &mask, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
    guard descriptor >= 0 else { throw EventLoopFault("signalfd") }
    signalDescriptor = descriptor
    try register(descriptor, for: .read) { _ in
      var record = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      while unsafe read(descriptor, &record, size) == size { handler(Int32(record.ssi_signo)) }
    }
  }

  // MARK: One turn

  private func runHooks(_ phase: TurnPhase) {
    // The list is copied, because a hook may add or remove hooks; one that was removed meanwhile is not
    // called.
    for hook in hooks where hook.phase == phase && hooks.contains(where: { $0.id == hook.id }) {
      hook.handler()
    }
  }

  private func fireTimers() {
    let now = clock.now
    // A timer that a handler schedules waits for the next turn: one that is always due must not keep this
    // one.
    let last = timers.lastScheduled
    while let handler = timers.takeDue(at: now, upTo: last) { handler() }
  }

  private func dispatch(_ report: (token: UInt64, readiness: Readiness)) {
    guard report.token != Self.alarmToken else {
      alarm.silence()
      return
    }
    // An earlier handler of this turn may have closed the descriptor, and another may have got its number.
    let descriptor = Int32(truncatingIfNeeded: report.token)
    guard let registration = registrations[descriptor], registration.token == report.token else { return }
    registration.handler(report.readiness)
  }
}
