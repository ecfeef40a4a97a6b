/// What a gift track is doing.
public enum TrackState: String, CaseIterable, Sendable {
  case idle, showing, counting, holding, hiding
}

/// The group of a track as `show` told of it, and what became of it since.
public struct SnapshotGroup: Equatable, Sendable {
  /// Its integer.
  public var number: Int
  /// Who gives.
  public var sender: Party
  /// What.
  public var gift: Gift
  /// To whom; its id is absent if the gifts named none.
  public var receiver: Party
  /// False: nothing joins it.
  public var combo: Bool
  /// The number shown before.
  public var base: Int
  /// The highest priority of its events.
  public var priority: Int
  /// How long it took to appear, in milliseconds.
  public var showDuration: Int64
  /// `until` of its `show`.
  public var showUntil: Instant
  /// The number from which the last run began.
  public var runFrom: Int
  /// The number on screen: what the last run ended with, or will.
  public var count: Int
  /// True for a test of an operator's.
  public var isTest: Bool

  /// A group on a track.
  public init(
    number: Int, sender: Party, gift: Gift, receiver: Party, combo: Bool, base: Int, priority: Int,
    showDuration: Int64, showUntil: Instant, runFrom: Int, count: Int, isTest: Bool
  ) {
    self.number = number
    self.sender = sender
    self.gift = gift
    self.receiver = receiver
    self.combo = combo
    self.base = base
    self.priority = priority
    self.showDuration = showDuration
    self.showUntil = showUntil
    self.runFrom = runFrom
    self.count = count
    self.isTest = isTest
  }
}

/// A gift track in a snapshot.
public struct SnapshotTrack: Equatable, Sendable {
  /// The number of its last command; 0: there was none in this epoch.
  public var sequence: Int
  /// What it is doing.
  public var state: TrackState
  /// When that began; meaningless while idle.
  public var since: Instant
  /// When that ends; meaningless while idle.
  public var until: Instant
  /// Until when a gift may still join if nothing more comes; meaningless while idle.
  public var holdUntil: Instant
  /// Its group; nil while idle.
  public var group: SnapshotGroup?

  /// A track.
  public init(
    sequence: Int, state: TrackState, since: Instant, until: Instant, holdUntil: Instant,
    group: SnapshotGroup?
  ) {
    self.sequence = sequence
    self.state = state
    self.since = since
    self.until = until
    self.holdUntil = holdUntil
    self.group = group
  }
}

/// What plays on the stage.
public struct SnapshotPlay: Equatable, Sendable {
  /// Its integer.
  public var number: Int
  /// Who gives.
  public var sender: Party
  /// What.
  public var gift: Gift
  /// To whom; its id is absent if the gifts named none.
  public var receiver: Party
  /// How many.
  public var count: Int
  /// What plays.
  public var asset: TextSlice
  /// How long at most, in milliseconds.
  public var duration: Int64
  /// Until when at most.
  public var deadline: Instant
  /// True for a test of an operator's.
  public var isTest: Bool

  /// A play.
  public init(
    number: Int, sender: Party, gift: Gift, receiver: Party, count: Int, asset: TextSlice, duration: Int64,
    deadline: Instant, isTest: Bool
  ) {
    self.number = number
    self.sender = sender
    self.gift = gift
    self.receiver = receiver
    self.count = count
    self.asset = asset
    self.duration = duration
    self.deadline = deadline
    self.isTest = isTest
  }
}

/// A shower of likes that falls.
public struct SnapshotBurst: Equatable, Sendable {
  /// The likes of its last burst.
  public var count: Int
  /// The particles of its last burst.
  public var particles: Int
  /// When it ends.
  public var until: Instant
  /// True if the last burst was of tests only.
  public var isTest: Bool

  /// A shower.
  public init(count: Int, particles: Int, until: Instant, isTest: Bool) {
    self.count = count
    self.particles = particles
    self.until = until
    self.isTest = isTest
  }
}

/// A part of a room that stands still.
public struct SnapshotPause: Equatable, Sendable {
  /// Which.
  public var part: RoomPart
  /// Since when: its times are to be read as if it were that instant.
  public var since: Instant

  /// A pause.
  public init(part: RoomPart, since: Instant) {
    self.part = part
    self.since = since
  }
}

/// A room's visible state: all that a renderer needs to look the same as one that was there. Texts lie in the
/// arena of the `CommandBuffer`, as do its lists.
public struct RoomSnapshot: Equatable, Sendable {
  /// How many commands of the buffer came before it.
  public var place: Int
  /// The room's name.
  public var room: TextSlice
  /// The instant at which it is due.
  public var at: Instant
  /// The instant at which it was written: `at`, or later if it is sent again.
  public var now: Instant
  /// The room's epoch.
  public var epoch: Instant
  /// False: the room has left, and nothing is kept of it. Then all that follows is meaningless.
  public var isThere: Bool
  /// Indices into `CommandBuffer.snapshotTracks`.
  public var tracks = 0..<0
  /// Indices into `CommandBuffer.snapshotComments`, oldest first.
  public var comments = 0..<0
  /// The number of the last fold command.
  public var foldSequence = 0
  /// The number of the last command of the stage.
  public var stageSequence = 0
  /// The number of the last command of the comment list.
  public var commentSequence = 0
  /// The number of the last command of the likes.
  public var likeSequence = 0
  /// The number of the last command of the clicks.
  public var clickSequence = 0
  /// What plays on the stage.
  public var play: SnapshotPlay?
  /// Plays that wait.
  public var playsWaiting = 0
  /// All likes so far.
  public var likeTotal = 0
  /// The shower that falls.
  public var burst: SnapshotBurst?
  /// Groups that wait for a track.
  public var waiting = 0
  /// What stands still.
  public var paused: [SnapshotPause] = []

  /// A snapshot without content.
  public init(
    place: Int, room: TextSlice, at: Instant, now: Instant, epoch: Instant, isThere: Bool
  ) {
    self.place = place
    self.room = room
    self.at = at
    self.now = now
    self.epoch = epoch
    self.isThere = isThere
  }
}
