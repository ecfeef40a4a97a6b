public import Base
import Wire

/// Who gives what to whom, by the names that viewers see.
public struct Giving: Equatable, Sendable {
  /// Who gives.
  public var sender: String
  /// What.
  public var gift: String
  /// To whom; nil: to the room.
  public var receiver: String?
  /// True for a test of an operator's.
  public var isTest: Bool

  /// Reads the members of a command or of a line of one.
  init(_ message: JSONValue) {
    sender = message.name("sender") ?? "?"
    gift = message.name("gift") ?? "?"
    receiver = message.name("receiver")
    isTest = message.flag("test")
  }
}

/// What a gift track shows.
public struct Banner: Equatable, Sendable {
  /// The group's integer.
  public var group: Int64
  /// Who gives what.
  public var giving: Giving
  /// The highest priority of its events.
  public var priority: Int64
  /// The number from which the last run began.
  public var from: Int64
  /// The number with which it ends.
  public var number: Int64
  /// Until when it stays if nothing more comes.
  public var end: Instant
}

/// A gift track as a renderer sees it: what its last commands said, played by their own instants.
public struct TrackPicture: Equatable, Sendable {
  /// How long a banner stays that no command ends: the daemon may be gone.
  public static let orphanMilliseconds: Int64 = 3000

  /// The number of its last command.
  public internal(set) var sequence: Int64 = 0
  /// When it was paused; nil: it was not. Its instants are to be read as if it were that one.
  public internal(set) var pausedSince: Instant?
  private var phase = TrackState.idle
  private var phaseStart: Instant = 0
  private var phaseEnd: Instant = 0
  private var shown: Banner?

  /// A track on which nothing was.
  init() {}

  /// What it does at an instant.
  public func state(at now: Instant) -> TrackState { banner(at: now) == nil ? .idle : phase }

  /// What it shows at an instant; nil: nothing.
  public func banner(at now: Instant) -> Banner? {
    guard phase != .idle, let shown else { return nil }
    let now = time(at: now)
    if phase == .hiding, now >= phaseEnd { return nil }
    return now >= max(shown.end, phaseEnd) + Self.orphanMilliseconds ? nil : shown
  }

  /// The phase's beginning and end at an instant; nil while nothing is shown.
  public func span(at now: Instant) -> (start: Instant, end: Instant)? {
    banner(at: now).map { _ in (phaseStart, phaseEnd) }
  }

  /// The number on screen at an instant: the first step of a run is seen at once, the last for as long as the
  /// others.
  public func number(at now: Instant) -> Int64 {
    guard let shown = banner(at: now) else { return 0 }
    let (elapsed, length) = (time(at: now) - phaseStart, phaseEnd - phaseStart)
    guard phase == .counting, elapsed < length, shown.number > shown.from else { return shown.number }
    let share = Double(max(0, elapsed)) / Double(length)
    let steps = Int64(Double(shown.number - shown.from) * share)
    return min(shown.number, shown.from + steps + 1)
  }

  /// How much of the combo window is left at an instant, from 1 to 0: all of it until it runs.
  public func window(at now: Instant) -> Double {
    guard banner(at: now) != nil else { return 0 }
    switch phase {
    case .idle, .hiding: return 0
    case .showing, .counting: return 1
    case .holding:
      guard phaseEnd > phaseStart else { return 0 }
      return min(1, max(0, Double(phaseEnd - time(at: now)) / Double(phaseEnd - phaseStart)))
    }
  }

  /// Milliseconds of the combo window that are left at an instant, if it runs.
  public func windowMilliseconds(at now: Instant) -> Int64? {
    state(at: now) == .holding ? max(0, phaseEnd - time(at: now)) : nil
  }

  /// True if it looks different a moment later without a command.
  public func isMoving(at now: Instant) -> Bool { pausedSince == nil && banner(at: now) != nil }

  /// The instant at which it stands: it stands still while it is paused.
  private func time(at now: Instant) -> Instant { pausedSince.map { min($0, now) } ?? now }

  // MARK: Commands

  /// Does what a command says, whose number was looked at. A group that was not seen to appear is left alone:
  /// the snapshot that was asked for brings it.
  mutating func apply(_ operation: String, _ command: JSONValue) {
    // What an operator takes off while the track stands still begins to hide where it stands.
    let said = command.number("at")
    let at = operation == "resume" ? said : time(at: said)
    switch operation {
    case "pause": pausedSince = pausedSince ?? at
    case "resume":
      if let since = pausedSince { shift(by: max(0, at - since)) }
      pausedSince = nil
    case "show":
      let base = command.number("base")
      shown = Banner(
        group: command.number("group"), giving: Giving(command), priority: command.number("priority"),
        from: base, number: base, end: command.number("until"))
      begin(.showing, at: at, until: at + command.number("durationMs"))
    default:
      guard phase != .idle, shown?.group == command.number("group") else { return }
      go(on: operation, command, at: at)
    }
  }

  private mutating func go(on operation: String, _ command: JSONValue, at: Instant) {
    switch operation {
    case "count":
      shown?.from = command.number("from")
      shown?.number = command.number("to")
      shown?.end = command.number("until")
      begin(.counting, at: at, until: at + command.number("durationMs"))
    case "hold":
      let until = command.number("until")
      shown?.number = command.number("count")
      shown?.end = until
      guard phase == .holding else { return begin(.holding, at: at, until: until) }
      // A window that is said again ends earlier, since others wait, or was moved as a whole.
      phaseStart = Self.later(phaseStart, by: max(0, until - phaseEnd))
      phaseEnd = until
    case "hide":
      shown?.number = command.number("count")
      shown?.end = at + command.number("durationMs")
      begin(.hiding, at: at, until: at + command.number("durationMs"))
    default: break
    }
  }

  private mutating func begin(_ phase: TrackState, at start: Instant, until end: Instant) {
    self.phase = phase
    phaseStart = start
    phaseEnd = end
  }

  private mutating func shift(by milliseconds: Int64) {
    phaseStart = Self.later(phaseStart, by: milliseconds)
    phaseEnd = Self.later(phaseEnd, by: milliseconds)
    if let end = shown?.end { shown?.end = Self.later(end, by: milliseconds) }
  }

  /// Far from where a sum would overflow, whoever published the instants.
  private static func later(_ instant: Instant, by milliseconds: Int64) -> Instant {
    min(instant + milliseconds, 1 << 60)
  }

  // MARK: Snapshot

  /// Reads a member of a snapshot's `tracks`.
  init(_ track: JSONValue, pausedSince: Instant?) {
    sequence = track.number("seq")
    self.pausedSince = pausedSince
    guard let state = track["state"]?.string.flatMap(TrackState.init), state != .idle,
      let show = track["show"]
    else { return }
    let start = track.number("since")
    let end = start + track.number("durationMs")
    let number = track.number("number")
    shown = Banner(
      group: show.number("group"), giving: Giving(show), priority: show.number("priority"),
      from: track["count"]?.optionalNumber("from") ?? number, number: number,
      end: track["count"]?.optionalNumber("until") ?? track["hold"]?.optionalNumber("until")
        ?? (state == .hiding ? end : show.number("until")))
    begin(state, at: start, until: end)
  }
}
