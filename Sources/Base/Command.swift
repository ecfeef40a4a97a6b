/// A track of a room: one topic, one sequence of numbers.
public enum Track: Equatable, Hashable, Sendable {
  /// Gift track n, from 0.
  case gift(Int)
  /// Fold commands.
  case fold
  /// The comment list.
  case comment
  /// Bursts of likes.
  case like
}

/// Why a group left its track.
public enum HideReason: String, Sendable {
  /// Its combo window ended.
  case expired
  /// It was overdue and others waited.
  case cut
}

/// One line of a `fold`: a key with the counts that will not be shown one by one.
public struct FoldItem: Equatable, Sendable {
  /// Who gave.
  public var sender: Party
  /// What.
  public var gift: Gift
  /// To whom; its id is absent if the gifts named none.
  public var receiver: Party
  /// How many.
  public var count: Int

  /// A line of a fold.
  @inlinable
  public init(sender: Party, gift: Gift, receiver: Party, count: Int) {
    self.sender = sender
    self.gift = gift
    self.receiver = receiver
    self.count = count
  }
}

/// One new line of the comment list.
public struct CommentItem: Equatable, Sendable {
  /// The source's id, or one that is unique in the room.
  public var id: TextSlice
  /// Who wrote.
  public var sender: Party
  /// The name's colour, as configured (`#RRGGBB`).
  public var color: TextSlice
  /// What.
  public var text: TextSlice

  /// A line of the comment list.
  @inlinable
  public init(id: TextSlice, sender: Party, color: TextSlice, text: TextSlice) {
    self.id = id
    self.sender = sender
    self.color = color
    self.text = text
  }
}

/// What a renderer is told to do. Lengths are milliseconds, `until` is an instant.
public enum Operation: Equatable, Sendable {
  /// A group appears. `base` is the number shown before; `combo` is false if nothing can join it.
  case show(
    group: Int, sender: Party, gift: Gift, receiver: Party, combo: Bool, base: Int, priority: Int,
    duration: Int64, until: Instant)
  /// The number runs from `from` to `to`.
  case count(group: Int, from: Int, to: Int, duration: Int64, until: Instant)
  /// The combo window: a gift that arrives before `until` joins.
  case hold(group: Int, count: Int, until: Instant)
  /// The group disappears.
  case hide(group: Int, count: Int, reason: HideReason, duration: Int64)
  /// `items` are indices into `CommandBuffer.foldItems`; `groups` counts groups, not items.
  case fold(groups: Int, gifts: Int, senders: Int, items: Range<Int>)
  /// `items` are indices into `CommandBuffer.commentItems`, oldest first.
  case append(items: Range<Int>, evicted: Int, skipped: Int)
  /// A shower of likes.
  case burst(count: Int, total: Int, particles: Int, until: Instant)
  /// The shower ends.
  case stop(total: Int)
}

/// One instruction to renderers.
public struct Command: Equatable, Sendable {
  /// The room's name.
  public var room: TextSlice
  /// The track, and with it the topic.
  public var track: Track
  /// The instant at which the room's engine was born.
  public var epoch: Instant
  /// Rises by 1 per topic, from 1, in an epoch.
  public var sequence: Int
  /// The instant at which the command is due.
  public var at: Instant
  /// What to do.
  public var operation: Operation

  /// A command.
  @inlinable
  public init(
    room: TextSlice, track: Track, epoch: Instant, sequence: Int, at: Instant, operation: Operation
  ) {
    self.room = room
    self.track = track
    self.epoch = epoch
    self.sequence = sequence
    self.at = at
    self.operation = operation
  }
}
