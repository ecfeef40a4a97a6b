/// What an event is.
public enum EventKind: UInt8, CaseIterable, Equatable, Sendable {
  case gift, comment, like
  /// Comments that were taken leave the list.
  case remove

  /// The word of the topics, payloads and metrics.
  @inlinable public var name: String {
    switch self {
    case .gift: "gift"
    case .comment: "comment"
    case .like: "like"
    case .remove: "remove"
    }
  }
}

/// Who gives, or is given to. Texts lie in the arena of the owner.
public struct Party: Equatable, Sendable {
  /// Identity; absent in a gift that names no receiver.
  public var id = TextSlice.absent
  /// Display name; never absent where `id` is present.
  public var name = TextSlice.absent
  /// Address of a picture, passed through.
  public var avatar = TextSlice.absent
  /// The platform's level of this user.
  public var level: Int64?

  /// A party that was not given.
  @inlinable public init() {}
}

/// What is given. Texts lie in the arena of the owner.
public struct Gift: Equatable, Sendable {
  /// Identity.
  public var id = TextSlice.absent
  /// Display name.
  public var name = TextSlice.absent
  /// Address of a picture, passed through.
  public var icon = TextSlice.absent
  /// Price of one, in the room's unit, 0 … 10^12.
  public var price: Int64?

  /// A gift that was not given.
  @inlinable public init() {}
}

/// What a gift is to its streak.
public enum StreakRole: UInt8, Equatable, Sendable {
  /// A total is a frame of the streak; a delta has nothing to do with it.
  case own
  /// A delta that counts, and raises the sum of its streak.
  case raises
  /// A total that counts only as far as it is above the sum of its streak, and never begins one.
  case corrects
}

/// One valid gift, comment, like or removal. Members that a kind does not have are absent.
public struct Event: Sendable {
  /// What it is.
  public var kind: EventKind
  /// Its place in the payload's array, counted before invalid elements are dropped.
  public var index: Int
  /// Source's id; with it the event is deduplicated.
  public var id = TextSlice.absent
  /// The source's own instant.
  public var time: Instant?
  /// Who gave, wrote or liked.
  public var sender = Party()
  /// What was given.
  public var gift = Gift()
  /// The entry of the room's catalogue that was applied to the gift; -1: there is none.
  public var catalogueEntry: Int32 = -1
  /// To whom, if the source says so.
  public var receiver = Party()
  /// How many, as a delta: 1 … 1 000 000.
  public var count: Int?
  /// How many so far: cumulative in the streak of a gift, or in the broadcast for likes.
  public var total: Int?
  /// False for a gift that never joins another: `combo: false`, or an anonymous sender.
  public var merges = true
  /// The platform's id of the streak.
  public var streak = TextSlice.absent
  /// True on the streak's closing frame.
  public var endsStreak = false
  /// What a gift is to its streak, where a source sends deltas and totals of the same gifts.
  public var streakRole = StreakRole.own
  /// The text of a comment.
  public var text = TextSlice.absent
  /// What sort of comment it is, for a renderer (`follow`, `super-chat`); absent: said by a viewer.
  public var style = TextSlice.absent
  /// Which ids of the batch a removal names; empty: all comments of its sender.
  public var removedIDs: Range<Int32> = 0..<0

  /// An event of a kind at a place of the payload, with nothing else known yet.
  @inlinable
  public init(kind: EventKind, index: Int) {
    self.kind = kind
    self.index = index
  }
}

/// The events of one message, in order, with the arena that holds their texts. Reused from message to
/// message.
public struct EventBatch: Sendable {
  /// Which input delivered them: ids of two sources are never the same id.
  public var source: UInt32 = 0
  /// The valid events, in the payload's order.
  public var events: [Event] = []
  /// The ids of comments that removals name.
  public var removedIDs: [TextSlice] = []
  /// The room of each event, where the payload says it; empty: the topic says it, or the configuration.
  public var rooms: [TextSlice] = []
  /// The arena of all their texts.
  public var bytes: [UInt8] = []

  /// An empty batch.
  public init() {}

  /// Empties it and keeps its memory.
  @inlinable
  public mutating func removeAll() {
    source = 0
    events.removeAll(keepingCapacity: true)
    removedIDs.removeAll(keepingCapacity: true)
    rooms.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
