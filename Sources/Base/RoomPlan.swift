/// Everything that decides how a room behaves. Immutable and shared by the rooms that have the same settings.
///
/// All lengths are milliseconds. The defaults are those of the design; `Configuration` fills it from YAML.
public final class RoomPlan: Sendable {
  /// Gift tracks, queue, folds, streaks and priorities.
  public let gift: GiftPlan
  /// What the operator says of single gifts.
  public let catalogue: GiftCatalogue
  /// The comment list.
  public let comment: CommentPlan
  /// Bursts of likes.
  public let like: LikePlan
  /// Big gifts, full-screen.
  public let stage: StagePlan
  /// The room's visible state, for who joins late.
  public let snapshot: SnapshotPlan
  /// What is bounded.
  public let limits: RoomLimits

  /// A plan of the given parts; without arguments the defaults.
  public init(
    gift: GiftPlan = GiftPlan(), catalogue: GiftCatalogue = GiftCatalogue(),
    comment: CommentPlan = CommentPlan(), like: LikePlan = LikePlan(),
    stage: StagePlan = StagePlan(), snapshot: SnapshotPlan = SnapshotPlan(),
    limits: RoomLimits = RoomLimits()
  ) {
    self.gift = gift
    self.catalogue = catalogue
    self.comment = comment
    self.like = like
    self.stage = stage
    self.snapshot = snapshot
    self.limits = limits
  }
}

/// How gifts are queued and shown.
public struct GiftPlan: Equatable, Sendable {
  /// One entry a track: the lowest priority (0 … 9) that may use it. More than 0 makes a VIP track.
  public var trackMinPriorities = [0, 0, 0]
  /// How long a group takes to appear.
  public var showMilliseconds: Int64 = 300
  /// How long one step of a combo takes.
  public var stepMilliseconds: Int64 = 400
  /// The most that a run of many steps takes.
  public var catchUpMilliseconds: Int64 = 2000
  /// The combo window.
  public var holdMilliseconds: Int64 = 3000
  /// The combo window while others wait for the track.
  public var holdBusyMilliseconds: Int64 = 800
  /// How long a group takes to disappear.
  public var hideMilliseconds: Int64 = 300
  /// How long a group may keep a track that another could use; 0: for ever.
  public var maxGroupMilliseconds: Int64 = 8000
  /// The least that lengths are multiplied by when many wait, in thousandths.
  public var minPacePermille: Int64 = 500
  /// True: a run is one step (the seeds' behaviour); false: it takes all that is pending.
  public var countsPerStep = false
  /// True: a group that hides before its combo window ended leaves its number for the next of its key.
  public var leavesNumber = true
  /// How many groups may wait; the next folds.
  public var maxWaiting = 200
  /// A waiting group gains one of priority in the fill for each of these; 0: never.
  public var agingMilliseconds: Int64 = 3000
  /// A waiting group folds after this; 0: never.
  public var foldAfterMilliseconds: Int64 = 10_000
  /// Groups of this priority or more do not fold by waiting.
  public var protectPriority = 5
  /// The least time between two fold commands.
  public var foldEveryMilliseconds: Int64 = 1000
  /// Items that make a fold command go out at once.
  public var maxFoldItems = 100
  /// A cumulative source's silence after which a streak without an id is a new one.
  public var streakGapMilliseconds: Int64 = 10_000
  /// Streaks remembered.
  public var maxStreaks = 10_000
  /// Left-behind numbers remembered.
  public var maxLeftNumbers = 10_000
  /// First match gives the priority; none: 0.
  public var rules: [PriorityRule] = []

  /// The defaults of the design.
  public init() {}

  /// The behaviour of the four articles: one step a run, no shortening, no pace, no cut, no fold.
  public static var classic: GiftPlan {
    var plan = GiftPlan()
    plan.countsPerStep = true
    plan.holdBusyMilliseconds = plan.holdMilliseconds
    plan.minPacePermille = 1000
    plan.leavesNumber = false
    plan.maxGroupMilliseconds = 0
    plan.foldAfterMilliseconds = 0
    plan.maxWaiting = 100_000
    return plan
  }
}

/// Gives a gift a priority, and perhaps the stage. All conditions that are given must hold.
public struct PriorityRule: Equatable, Sendable {
  /// The priority of a gift that matches, 0 … 9.
  public var priority: Int
  /// Sender's level at least.
  public var minLevel: Int64?
  /// Sender's id is one of these; empty: any.
  public var senders: [[UInt8]]
  /// Gift's id is one of these; empty: any.
  public var gifts: [[UInt8]]
  /// price × count at least.
  public var minValue: Int64?
  /// What a gift that matches also plays full-screen; empty: nothing.
  public var asset: [UInt8]
  /// How long that plays at most.
  public var durationMilliseconds: Int64

  /// A rule; without conditions it matches every gift.
  public init(
    priority: Int, minLevel: Int64? = nil, senders: [[UInt8]] = [], gifts: [[UInt8]] = [],
    minValue: Int64? = nil, asset: [UInt8] = [], durationMilliseconds: Int64 = 6000
  ) {
    self.priority = priority
    self.minLevel = minLevel
    self.senders = senders
    self.gifts = gifts
    self.minValue = minValue
    self.asset = asset
    self.durationMilliseconds = durationMilliseconds
  }
}

/// How big gifts have the stage.
public struct StagePlan: Equatable, Sendable {
  /// Plays that may wait.
  public var maxWaiting = 50
  /// The name of the renderer whose feedback ends a play; empty: none, and each ends at its deadline.
  public var leader: [UInt8] = []

  /// The defaults of the design.
  public init() {}
}

/// When a room's snapshot is written.
public struct SnapshotPlan: Equatable, Sendable {
  /// The most that it is behind while the room changes; 0: it is written only when a renderer asks.
  public var everyMilliseconds: Int64 = 2000

  /// The defaults of the design.
  public init() {}
}

/// How comments are listed.
public struct CommentPlan: Equatable, Sendable {
  /// Length of the list.
  public var maxItems = 1000
  /// The least time between two `append` commands.
  public var flushMilliseconds: Int64 = 100
  /// The name colours, taken in turn (source: the comment article).
  public var colors: [[UInt8]] = [
    "#00AEFF", "#00A61C", "#5400E6", "#FF3377", "#FF8800", "#FF5E00", "#CA2EE6",
  ].map { Array($0.utf8) }
  /// Senders whose colour is remembered.
  public var maxSenders = 10_000

  /// The defaults of the design.
  public init() {}
}

/// How likes are shown.
public struct LikePlan: Equatable, Sendable {
  /// The least time between two bursts.
  public var burstMilliseconds: Int64 = 250
  /// How long a burst lasts without a new one.
  public var showerMilliseconds: Int64 = 2000
  /// The most particles that a burst asks for.
  public var maxParticles = 30

  /// The defaults of the design.
  public init() {}
}

/// What is bounded in a room and in its payloads.
public struct RoomLimits: Equatable, Sendable {
  /// Bytes of a payload.
  public var maxBatchBytes = 1 << 20
  /// Elements of a payload.
  public var maxEvents = 10_000
  /// Nesting of a payload: `[{"a":{}}]` is 3 deep.
  public var maxDepth = 32
  /// Bytes of a name; longer ones are cut at a character.
  public var maxNameBytes = 256
  /// Bytes of a comment's text; longer ones are cut at a character.
  public var maxTextBytes = 2000
  /// Bytes of an encoded command; `append` and `fold` are split to fit.
  public var maxCommandBytes = 256 << 10
  /// Gift ids remembered for deduplication.
  public var maxGiftIDs = 100_000
  /// Ids of comments and likes remembered for deduplication.
  public var maxOtherIDs = 20_000
  /// How long a gift's id is remembered.
  public var giftIDMilliseconds: Int64 = 3_600_000
  /// Senders that may be muted at a time.
  public var maxMuted = 10_000
  /// After being away for longer, what waits folds instead of being shown late.
  public var awayMaxMilliseconds: Int64 = 600_000
  /// A room in which nothing waits or shows leaves after this much silence.
  public var roomIdleMilliseconds: Int64 = 7_200_000

  /// The defaults of the design.
  public init() {}
}
