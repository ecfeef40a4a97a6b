import Base

/// What every command of one handling of a room has in common.
struct Turn {
  /// The instant that the part of the room has reached. While it is paused, that is where it stands.
  var now: Instant
  /// The instant at which the commands are due.
  let at: Instant
  /// The room's name, in the command buffer's arena.
  var room: TextSlice
  /// When the room's engine was born.
  var epoch: Instant

  init(now: Instant, room: TextSlice, epoch: Instant) {
    self.now = now
    at = now
    self.room = room
    self.epoch = epoch
  }

  /// The turn as a part has it that is paused since an instant, if it is.
  func standing(at pausedSince: Instant?) -> Turn {
    var turn = self
    if let pausedSince { turn.now = pausedSince }
    return turn
  }
}

/// The numbers of a topic's commands: 1, 2, 3, ….
struct Sequence: Equatable {
  /// The number given last.
  private(set) var last = 0

  /// The next number.
  mutating func next() -> Int {
    last += 1
    return last
  }
}

extension CommandBuffer {
  /// Appends a command of a track.
  mutating func emit(
    _ turn: Turn, _ track: Track, _ sequence: inout Sequence, _ operation: Operation, isTest: Bool = false
  ) {
    commands.append(
      Command(
        room: turn.room, track: track, epoch: turn.epoch, sequence: sequence.next(), at: turn.at,
        operation: operation, isTest: isTest))
  }
}
