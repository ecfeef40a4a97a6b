/// A part of a room that can be paused and cleared by itself.
public enum RoomPart: String, CaseIterable, Sendable {
  /// The gift tracks with their queue and folds.
  case gift
  /// The stage.
  case stage
  /// The comment list.
  case comment
  /// The likes.
  case like
}

/// What an operator wants of a room. A part that is nil stands for all of them.
public enum ControlOperation: Equatable, Sendable {
  /// Timers stand still, and what arrives is kept.
  case pause(RoomPart?)
  /// Goes on where it stood still.
  case resume(RoomPart?)
  /// What waits or is shown hides; counts fold.
  case clear(RoomPart?)
  /// What is on a gift track or on the stage hides at once; what is pending folds.
  case skip(Track)
  /// Nothing of the sender with this id is shown from now on.
  case mute(sender: [UInt8])
  /// What this sender sends from now on is shown again.
  case unmute(sender: [UInt8])
  /// The comments with these ids leave the list.
  case remove(ids: [[UInt8]])
  /// All comments of the sender with this id leave the list.
  case removeAll(sender: [UInt8])
  /// The events beside it are shown, marked, and counted nowhere.
  case test

  /// True if it may be the first thing that happens in a room.
  public var opensRoom: Bool {
    switch self {
    case .pause, .mute, .test: true
    default: false
    }
  }
}

/// Why an operator's command does nothing. The raw value is the word in the answer.
public enum ControlFault: String, Error, CaseIterable, Sendable {
  /// It came after its `expires`.
  case expired
  /// The payload is no JSON object.
  case notJSON = "not-json"
  /// There is no such `op`.
  case unknownOperation = "unknown-op"
  /// A member that it needs is missing or is not what it should be.
  case badMember = "bad-member"
  /// The room's name is none, or is not in allowRooms.
  case badRoom = "bad-room"
  /// The member `room` names another than the topic.
  case wrongRoom = "wrong-room"
  /// Nothing has happened in the room, so there is nothing to command.
  case noSuchRoom = "no-such-room"
  /// The room has no such track.
  case noSuchTrack = "no-such-track"
  /// There are maxRooms rooms already.
  case tooManyRooms = "too-many-rooms"
  /// The room has limits.maxMuted muted senders already.
  case tooManyMuted = "too-many-muted"
  /// The event of a test is none.
  case badEvent = "bad-event"
}

/// What a renderer says.
public enum FeedbackOperation: Equatable, Sendable {
  /// The play of this group is over.
  case done(group: Int)
  /// The play of this group cannot be shown.
  case failed(group: Int)
  /// A viewer clicked on this group.
  case click(group: Int)
  /// It needs a snapshot.
  case resync
}
