public import Base
public import Wire

/// A line of the comment list.
public struct CommentLine: Equatable, Sendable {
  /// Its id.
  public var id: String
  /// Who wrote.
  public var sender: String
  /// The name's colour, as configured (`#RRGGBB`).
  public var color: String
  /// What.
  public var text: String
  /// True for a test of an operator's.
  public var isTest: Bool

  init(_ item: JSONValue) {
    id = item.text("id")
    sender = item.name("sender") ?? "?"
    color = item.text("color")
    text = item.text("text")
    isTest = item.flag("test")
  }
}

/// What plays full-screen.
public struct PlayPicture: Equatable, Sendable {
  /// The group's integer.
  public var group: Int64
  /// Who gives what.
  public var giving: Giving
  /// How many.
  public var count: Int64
  /// What plays.
  public var asset: String
  /// How long at most, in milliseconds.
  public var milliseconds: Int64
  /// Until when at most.
  public var deadline: Instant

  init(_ play: JSONValue) {
    group = play.number("group")
    giving = Giving(play)
    count = play.number("count")
    asset = play.text("asset")
    milliseconds = play.number("durationMs")
    deadline = play.number("deadline")
  }
}

/// A shower of likes.
public struct BurstPicture: Equatable, Sendable {
  /// The likes of its last burst.
  public var count: Int64
  /// The particles of its last burst.
  public var particles: Int64
  /// When it ends.
  public var until: Instant

  init(_ burst: JSONValue) {
    count = burst.number("count")
    particles = burst.number("particles")
    until = burst.number("until")
  }
}

/// The last summary of groups that were not shown one by one.
public struct FoldPicture: Equatable, Sendable {
  /// How long it is to be seen.
  public static let visibleMilliseconds: Int64 = 5000
  /// Lines that are kept of it.
  private static let mostItems = 20

  /// When it was due.
  public var at: Instant
  /// How many groups.
  public var groups: Int64
  /// How many gifts.
  public var gifts: Int64
  /// How many senders.
  public var senders: Int64
  /// The first of its lines.
  public var items: [(giving: Giving, count: Int64)]

  init(_ fold: JSONValue) {
    at = fold.number("at")
    groups = fold.number("groups")
    gifts = fold.number("gifts")
    senders = fold.number("senders")
    items = (fold["items"]?.array ?? []).prefix(Self.mostItems).map { (Giving($0), $0.number("count")) }
  }

  /// Two are equal if they say the same.
  public static func == (a: FoldPicture, b: FoldPicture) -> Bool {
    (a.at, a.groups, a.gifts, a.senders) == (b.at, b.groups, b.gifts, b.senders)
      && a.items.elementsEqual(b.items, by: ==)
  }
}

/// What became of a message.
public enum PictureChange: Equatable, Sendable {
  /// It is taken in.
  case taken
  /// It is no news: seen before, or of an epoch that is over.
  case old
  /// It is taken in, but something before it is missing: a snapshot is needed.
  case gap
  /// It is taken in, and with it the room began anew: a snapshot is needed.
  case newEpoch
  /// It is no command and no snapshot.
  case notOurs
}

/// What a room shows: snapshots and commands in, tracks, comments, likes, stage and folds out. A pure value;
/// the instants are those of the daemon's clock, and are passed in.
///
/// Source: DESIGN.md section 4, Snapshot. It takes a snapshot, applies the commands of higher number, and
/// tells when one is missing.
public struct RoomPicture: Equatable, Sendable {
  /// Comments that are kept.
  public static let mostComments = 200
  /// Comments of a snapshot.
  static let snapshotComments = 50
  /// Gift tracks that are kept; no configuration has as many.
  private static let mostTracks = 1000

  /// The epoch of what is seen; nil: nothing was.
  public private(set) var epoch: Instant?
  /// True if a snapshot was taken in this epoch.
  public private(set) var hasSnapshot = false
  /// True if all was seen since a snapshot that was made while we watched: what is missing from then on was
  /// lost.
  private var follows = false
  /// The gift tracks.
  public private(set) var tracks: [TrackPicture] = []
  /// The comments, oldest first.
  public private(set) var comments: [CommentLine] = []
  /// What was folded last.
  public private(set) var fold: FoldPicture?
  /// Gifts that were folded while we watched.
  public private(set) var foldedGifts: Int64 = 0
  /// All likes so far.
  public private(set) var likeTotal: Int64 = 0
  /// Groups that wait for a track, as the last snapshot tells.
  public private(set) var waiting: Int64 = 0
  /// Plays that wait for the stage, as the last snapshot tells.
  public private(set) var playsWaiting: Int64 = 0
  /// What stands still, but for the gift tracks, which tell themselves.
  public private(set) var paused: [RoomPart: Instant] = [:]
  /// Commands that were missing.
  public private(set) var missing: Int64 = 0

  /// Numbers of the last commands of all but the gift tracks; absent: none is known.
  private var sequences: [String: Int64] = [:]
  private var play: PlayPicture?
  private var burst: BurstPicture?
  /// True if all comments of the list are here, so that what is evicted is.
  private var listIsWhole = true
  /// True if comments are missing that a snapshot may bring.
  private var listIsBroken = false

  /// A room of which nothing is known.
  public init() {}

  /// What plays at an instant; nil: nothing.
  public func play(at now: Instant) -> PlayPicture? {
    let time = paused[.stage].map { min($0, now) } ?? now
    return play.flatMap { time >= $0.deadline + TrackPicture.orphanMilliseconds ? nil : $0 }
  }

  /// The shower of likes at an instant; nil: none falls.
  public func burst(at now: Instant) -> BurstPicture? {
    let time = paused[.like].map { min($0, now) } ?? now
    return burst.flatMap { time >= $0.until + TrackPicture.orphanMilliseconds ? nil : $0 }
  }

  /// The fold that is to be seen at an instant; nil: none.
  public func fold(at now: Instant) -> FoldPicture? {
    fold.flatMap { now >= $0.at + FoldPicture.visibleMilliseconds ? nil : $0 }
  }

  /// The number of the last command of `fold`, `comment`, `like` or `stage`; 0: there was none.
  public func sequence(of part: String) -> Int64 { sequences[part] ?? 0 }

  /// True if it looks different a moment later without a command.
  public func isMoving(at now: Instant) -> Bool {
    tracks.contains { $0.isMoving(at: now) } || play(at: now) != nil || burst(at: now) != nil
      || fold(at: now) != nil
  }

  // MARK: Commands

  /// Takes a command in.
  public mutating func take(command: JSONValue) -> PictureChange {
    guard let operation = command["op"]?.string, let track = command["track"]?.string,
      let sequence = command.optionalNumber("seq"), let epoch = command.optionalNumber("epoch"),
      sequence > 0
    else { return .notOurs }
    guard let place = Place(track) else { return .notOurs }
    // It came late, or the daemon's clock was set back: only a snapshot can tell.
    if let known = self.epoch, epoch < known { return .gap }
    let isNew = epoch != self.epoch
    if isNew { begin(epoch) }
    let last = self.sequence(at: place)
    guard sequence > last ?? 0 else { return .old }
    let lost = sequence - (last ?? 0) - 1
    // Before that nothing is missing that the next one would not bring.
    if follows { missing = Self.sum(missing, lost) }
    if lost > 0, case .other("comment") = place { listIsBroken = true }
    set(sequence, at: place)
    apply(operation, command, at: place)
    if isNew { return .newEpoch }
    return lost > 0 ? .gap : .taken
  }

  private mutating func apply(_ operation: String, _ command: JSONValue, at place: Place) {
    switch place {
    case .gift(let index): tracks[index].apply(operation, command)
    case .other("fold"):
      guard operation == "fold" else { break }
      fold = FoldPicture(command)
      foldedGifts = Self.sum(foldedGifts, command.number("gifts"))
    case .other("comment"): applyComment(operation, command)
    case .other("like"):
      switch operation {
      case "burst":
        likeTotal = command.number("total")
        burst = BurstPicture(command)
      case "stop":
        likeTotal = command.number("total")
        burst = nil
      default: setPause(of: .like, operation, command)
      }
    case .other:
      switch operation {
      case "play": play = PlayPicture(command)
      case "end": if play?.group == command.number("group") { play = nil }
      default: setPause(of: .stage, operation, command)
      }
    }
  }

  private mutating func applyComment(_ operation: String, _ command: JSONValue) {
    switch operation {
    case "append":
      if listIsWhole { comments.removeFirst(min(comments.count, Int(command.number("evicted")))) }
      comments += (command["items"]?.array ?? []).map(CommentLine.init)
      if comments.count > Self.mostComments {
        comments.removeFirst(comments.count - Self.mostComments)
        listIsWhole = false
      }
    case "remove":
      let ids = Set((command["ids"]?.array ?? []).compactMap(\.string))
      comments.removeAll { ids.contains($0.id) }
    default: setPause(of: .comment, operation, command)
    }
  }

  private mutating func setPause(of part: RoomPart, _ operation: String, _ command: JSONValue) {
    if operation == "pause" { paused[part] = paused[part] ?? command.number("at") }
    if operation == "resume" { paused[part] = nil }
  }

  /// Far from where a sum would overflow, whoever published the numbers.
  private static func sum(_ a: Int64, _ b: Int64) -> Int64 { min(a + b, 1 << 60) }

  private mutating func begin(_ epoch: Instant) {
    let (missing, foldedGifts) = (missing, foldedGifts)
    self = RoomPicture()
    self.epoch = epoch
    self.missing = missing
    self.foldedGifts = foldedGifts
  }

  // MARK: Snapshot

  /// Takes a snapshot in; of a track of which a later command was seen nothing is taken. `isKept`: the broker
  /// had kept it from before we subscribed, so that it may be of an epoch that is over.
  public mutating func take(snapshot: JSONValue, isKept: Bool) -> PictureChange {
    guard let list = snapshot["tracks"]?.array, let epoch = snapshot.optionalNumber("epoch") else {
      return .notOurs
    }
    if isKept, let known = self.epoch, epoch < known { return .old }
    if epoch != self.epoch { begin(epoch) }
    hasSnapshot = true
    follows = !isKept
    let pauses = snapshot["paused"] ?? .null
    for (index, track) in list.prefix(Self.mostTracks).enumerated() {
      if index == tracks.count { tracks.append(TrackPicture()) }
      guard track.number("seq") >= tracks[index].sequence else { continue }
      tracks[index] = TrackPicture(track, pausedSince: pauses.optionalNumber("gift"))
    }
    // A configuration with fewer tracks was read, and those beyond have emptied.
    if list.count < tracks.count { tracks.removeSubrange(list.count...) }
    take(.comment, of: snapshot) { picture, comment in
      let items = comment["items"]?.array ?? []
      picture.listIsBroken = false
      picture.listIsWhole = items.count < Self.snapshotComments
      picture.comments = items.suffix(Self.mostComments).map(CommentLine.init)
    }
    take(.like, of: snapshot) { picture, like in
      picture.likeTotal = like.number("total")
      picture.burst = like["burst"].map(BurstPicture.init)
    }
    take(.stage, of: snapshot) { picture, stage in picture.play = stage["play"].map(PlayPicture.init) }
    sequences["fold"] = max(sequences["fold"] ?? 0, snapshot["fold"]?.number("seq") ?? 0)
    waiting = snapshot.number("waiting")
    playsWaiting = snapshot["stage"]?.number("waiting") ?? 0
    return .taken
  }

  private mutating func take(
    _ part: RoomPart, of snapshot: JSONValue, _ take: (inout RoomPicture, JSONValue) -> Void
  ) {
    guard let member = snapshot[part.rawValue] else { return }
    let known = sequences[part.rawValue]
    let sequence = member.number("seq")
    guard sequence >= known ?? 0 else { return }
    sequences[part.rawValue] = sequence
    paused[part] = snapshot["paused"]?.optionalNumber(part.rawValue)
    // Who has all of the list knows more of it than the snapshot says.
    if part == .comment, sequence == known, !listIsBroken { return }
    take(&self, member)
  }

  // MARK: Places

  /// Where a command is for.
  private enum Place {
    case gift(Int)
    case other(String)

    init?(_ track: String) {
      switch track {
      case "gift/fold": self = .other("fold")
      case "comment", "like", "stage": self = .other(track)
      default:
        guard track.hasPrefix("gift/"), let index = Int(track.dropFirst(5)),
          (0..<RoomPicture.mostTracks).contains(index)
        else { return nil }
        self = .gift(index)
      }
    }
  }

  private func sequence(at place: Place) -> Int64? {
    switch place {
    case .gift(let index): tracks.indices.contains(index) ? tracks[index].sequence : hasSnapshot ? 0 : nil
    case .other(let name): sequences[name]
    }
  }

  private mutating func set(_ sequence: Int64, at place: Place) {
    switch place {
    case .gift(let index):
      while tracks.count <= index { tracks.append(TrackPicture()) }
      tracks[index].sequence = sequence
    case .other(let name): sequences[name] = sequence
    }
  }
}
