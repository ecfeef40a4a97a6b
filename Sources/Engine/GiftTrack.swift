import Base

/// What a gift track is doing (rules 4–7). Every phase but `idle` ends at an instant.
enum GiftPhase: Equatable {
  case idle
  /// A group appears.
  case showing(until: Instant)
  /// A run of its number.
  case counting(until: Instant)
  /// The combo window, since the last run ended.
  case holding(since: Instant, until: Instant)
  /// It disappears, and takes no more gifts.
  case hiding(until: Instant)

  /// When the phase ends; nil if it is idle.
  var deadline: Instant? {
    switch self {
    case .idle: nil
    case .showing(let until), .counting(let until), .holding(_, let until), .hiding(let until): until
    }
  }

  /// The same phase, later by a length.
  func shifted(by milliseconds: Int64) -> GiftPhase {
    switch self {
    case .idle: .idle
    case .showing(let until): .showing(until: until + milliseconds)
    case .counting(let until): .counting(until: until + milliseconds)
    case .holding(let since, let until):
      .holding(since: since + milliseconds, until: until + milliseconds)
    case .hiding(let until): .hiding(until: until + milliseconds)
    }
  }
}

/// A place where one group is shown at a time.
struct GiftTrack {
  /// What it is doing.
  var phase = GiftPhase.idle
  /// True during a combo window.
  var isHolding: Bool { if case .holding = phase { true } else { false } }
  /// True while a group is there and does not hide.
  var isTaken: Bool {
    switch phase {
    case .idle, .hiding: false
    case .showing, .counting, .holding: true
    }
  }
  /// The place of its group; meaningless while idle.
  var group = -1
  /// The numbers of its commands.
  var sequence = Sequence()
  /// True from the end of a run until the settle that follows has said `hold`, with the window as shortened.
  var holdIsUnsent = false
  /// When the phase began; meaningless while idle.
  var since: Instant = 0
  /// What `show` told of its group, for who joins late: the number before, the priority, its length and its
  /// end.
  var base = 0
  var priority = 0
  var showLength: Int64 = 0
  var showUntil: Instant = 0
  /// The number from which the last run began.
  var runFrom = 0
}
