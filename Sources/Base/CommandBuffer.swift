/// What an engine says in one turn: commands, refusals and counters, with the arena of their texts. Reused.
public struct CommandBuffer: Sendable {
  /// The commands, in the order in which they are due.
  public var commands: [Command] = []
  /// The items of all `fold` commands.
  public var foldItems: [FoldItem] = []
  /// The items of all `append` commands.
  public var commentItems: [CommentItem] = []
  /// The rooms' snapshots, each with its place among the commands.
  public var snapshots: [RoomSnapshot] = []
  /// The gift tracks of all snapshots.
  public var snapshotTracks: [SnapshotTrack] = []
  /// The comments of all snapshots.
  public var snapshotComments: [CommentItem] = []
  /// The ids of all `remove` commands.
  public var commentIDs: [TextSlice] = []
  /// The arena of all texts.
  public var bytes: [UInt8] = []
  /// Events that the engine refused (`too-many-streaks`), of the batch handled last.
  public var rejections: [Rejection] = []
  /// The gifts that the batch handled last added, for the ledger.
  public var accepted: [AcceptedCount] = []
  /// How long each group that left the queue had waited, in milliseconds, whether it was shown or folded.
  public var waits: [Int64] = []
  /// What became of each event and group, where `keepsTrace` is true.
  public var trace: [TraceStep] = []
  /// True: `trace` is kept.
  public var keepsTrace = false
  /// What happened so far. Not emptied by `removeAll`.
  public var counters = EngineCounters()

  /// An empty buffer.
  public init() {}

  /// Empties it, and keeps its memory and its counters.
  @inlinable
  public mutating func removeAll() {
    commands.removeAll(keepingCapacity: true)
    foldItems.removeAll(keepingCapacity: true)
    commentItems.removeAll(keepingCapacity: true)
    commentIDs.removeAll(keepingCapacity: true)
    snapshots.removeAll(keepingCapacity: true)
    snapshotTracks.removeAll(keepingCapacity: true)
    snapshotComments.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    rejections.removeAll(keepingCapacity: true)
    accepted.removeAll(keepingCapacity: true)
    waits.removeAll(keepingCapacity: true)
    trace.removeAll(keepingCapacity: true)
  }
}

/// What one gift event added, after deduplication and counting.
public struct AcceptedCount: Equatable, Sendable {
  /// The event's place in `EventBatch.events`.
  public var place: Int
  /// How many gifts it added.
  public var count: Int
  /// price × count, in the room's unit; saturates.
  public var value: Int64

  /// What an event added.
  @inlinable
  public init(place: Int, count: Int, value: Int64) {
    self.place = place
    self.count = count
    self.value = value
  }
}

/// What the engine counts. Every bound that drops or refuses something has its counter here.
public struct EngineCounters: Equatable, Sendable {
  /// Events handled, by kind, duplicates and refused ones not included.
  public var giftEvents = 0
  /// Comments handled.
  public var commentEvents = 0
  /// Like events handled.
  public var likeEvents = 0
  /// Removals of comments that a source sent.
  public var removeEvents = 0
  /// Sum of the accepted gift counts: the left side of the conservation law.
  public var giftsAccepted = 0
  /// Sum of the gift counts of operators' tests, which the conservation law counts beside the accepted ones.
  public var giftsTested = 0
  /// Sum of the accepted gift counts that are not shown since their senders are muted.
  public var giftsMuted = 0
  /// Sum of `to − from` over all `count` commands.
  public var giftsShown = 0
  /// Sum of the counts in all `fold` commands and in folds not sent yet.
  public var giftsFolded = 0
  /// Gift frames that added nothing: repeats and closing frames of a cumulative source, or out of order.
  public var framesWithoutGift = 0
  /// Events dropped because their id was seen.
  public var duplicateIDs = 0
  /// Gift ids that left the set before their hour, for want of room: a late duplicate would count twice.
  public var youngGiftIDsEvicted = 0
  /// Groups that folded because they had waited `foldAfterMs`.
  public var groupsFoldedByWait = 0
  /// Groups that folded because more than `maxWaiting` waited.
  public var groupsFoldedByBound = 0
  /// Groups that folded because an operator skipped or cleared them.
  public var groupsFoldedByControl = 0
  /// Groups that hid because they were overdue.
  public var groupsCut = 0
  /// Streaks refused because the memory was full of live ones.
  public var streaksRejected = 0
  /// Streaks forgotten, past their gap, for want of room.
  public var streaksEvicted = 0
  /// Left-behind numbers forgotten before their time, for want of room.
  public var leftNumbersEvicted = 0
  /// Comments that never reached the list because more than `maxItems` collected.
  public var commentsSkipped = 0
  /// Comments dropped because their senders are muted.
  public var commentsMuted = 0
  /// Comments that an operator removed.
  public var commentsRemoved = 0
  /// Like events dropped because their senders are muted.
  public var likesMuted = 0
  /// Senders whose colour was forgotten for want of room.
  public var colorsEvicted = 0
  /// Plays of the stage that began.
  public var stagePlays = 0
  /// Plays that left the stage's queue unseen because more than `maxWaiting` waited.
  public var stagePlaysDropped = 0
  /// Feedback `done` and `failed` of renderers that do not lead the stage.
  public var feedbackOfOthers = 0
  /// Feedback `done` and `failed` of the leader for a play that is not on.
  public var feedbackOutOfPlace = 0
  /// Clicks that came out.
  public var clicks = 0
  /// Clicks on a group that is not on screen any more.
  public var clicksMissed = 0
  /// Renderers' wishes for a snapshot.
  public var resyncs = 0
  /// Snapshots written.
  public var snapshots = 0
  /// Rooms made.
  public var roomsOpened = 0
  /// Rooms that left because they were idle.
  public var roomsClosed = 0
  /// How long the combo window was open that a group's end closed.
  public var holds = Histogram.ofMilliseconds

  /// All zero.
  public init() {}
}
