import Base

/// Names a timer that was scheduled, so that it can be cancelled. Never used twice.
public struct TimerID: Equatable, Sendable {
  let number: UInt64
}

/// The timers of a loop, in the order in which they fire: by deadline, then by when they were scheduled.
///
/// A sorted array: a daemon has some ten timers, and the earliest is the one that is asked for all the time.
struct TimerQueue {
  private struct Entry {
    let deadline: Instant
    let id: TimerID
    let handler: () -> Void
  }

  /// The latest first, so that the earliest leaves from the end.
  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  /// The instant at which the next timer fires.
  var earliestDeadline: Instant? { entries.last?.deadline }

  /// The timer that was scheduled last; those after it belong to the next turn.
  var lastScheduled: TimerID { TimerID(number: lastNumber) }

  /// Adds a one-shot timer. Linear in the number of timers.
  mutating func schedule(at deadline: Instant, handler: @escaping () -> Void) -> TimerID {
    lastNumber += 1
    let entry = Entry(deadline: deadline, id: TimerID(number: lastNumber), handler: handler)
    let place = entries.firstIndex { $0.deadline <= deadline } ?? entries.endIndex
    entries.insert(entry, at: place)
    return entry.id
  }

  /// Removes a timer; nothing happens if it has fired or was cancelled.
  mutating func cancel(_ id: TimerID) {
    entries.removeAll { $0.id == id }
  }

  /// Takes out the next timer that is due at `now` and was scheduled no later than `last`.
  mutating func takeDue(at now: Instant, upTo last: TimerID) -> (() -> Void)? {
    let isDue = { (entry: Entry) in entry.deadline <= now && entry.id.number <= last.number }
    guard let place = entries.lastIndex(where: isDue) else { return nil }
    return entries.remove(at: place).handler
  }
}
