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
  /// The full-screen track for big gifts.
  case stage
  /// Renderers' clicks, with the groups that they hit.
  case click
}

/// Why a group left its track.
public enum HideReason: String, Sendable {
  /// Its combo window ended.
  case expired
  /// It was overdue and others waited.
  case cut
  /// An operator took it off.
  case skipped
  /// An operator cleared the room.
  case cleared
}

/// Why a play on the stage ended.
public enum EndReason: String, CaseIterable, Sendable {
  /// The leading renderer says that it is over.
  case done
  /// The leading renderer cannot play it.
  case failed
  /// Its deadline came.
  case expired
  /// An operator took it off.
  case skipped
  /// An operator cleared the room.
  case cleared
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
  /// True for a test of an operator's.
  public var isTest: Bool

  /// A line of a fold.
  @inlinable
  public init(sender: Party, gift: Gift, receiver: Party, count: Int, isTest: Bool = false) {
    self.sender = sender
    self.gift = gift
    self.receiver = receiver
    self.count = count
    self.isTest = isTest
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
  /// What sort of comment it is; absent: said by a viewer.
  public var style: TextSlice
  /// True for a test of an operator's.
  public var isTest: Bool

  /// A line of the comment list.
  @inlinable
  public init(
    id: TextSlice, sender: Party, color: TextSlice, text: TextSlice, style: TextSlice = .absent,
    isTest: Bool = false
  ) {
    self.id = id
    self.sender = sender
    self.color = color
    self.text = text
    self.style = style
    self.isTest = isTest
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
  /// Lines leave the comment list; `ids` are indices into `CommandBuffer.commentIDs`.
  case remove(ids: Range<Int>)
  /// A gift plays full-screen, at most until `deadline`.
  case play(
    group: Int, sender: Party, gift: Gift, receiver: Party, count: Int, asset: TextSlice, duration: Int64,
    deadline: Instant)
  /// The play is over.
  case end(group: Int, reason: EndReason)
  /// The track stands still.
  case pause
  /// It goes on, all its times later by the length of the pause.
  case resume
  /// A viewer clicked on a group. The renderer is absent if it did not say its name.
  case click(group: Int, sender: Party, gift: Gift, receiver: Party, count: Int, renderer: TextSlice)
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
  /// True if it shows a test of an operator's.
  public var isTest: Bool

  /// A command.
  @inlinable
  public init(
    room: TextSlice, track: Track, epoch: Instant, sequence: Int, at: Instant, operation: Operation,
    isTest: Bool = false
  ) {
    self.room = room
    self.track = track
    self.epoch = epoch
    self.sequence = sequence
    self.at = at
    self.operation = operation
    self.isTest = isTest
  }
}
