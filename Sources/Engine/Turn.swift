import Base

/// What every command of one handling of a room has in common.
struct Turn {
  /// The instant at which the commands are due.
  var now: Instant
  /// The room's name, in the command buffer's arena.
  var room: TextSlice
  /// When the room's engine was born.
  var epoch: Instant
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
  mutating func emit(_ turn: Turn, _ track: Track, _ sequence: inout Sequence, _ operation: Operation) {
    commands.append(
      Command(
        room: turn.room, track: track, epoch: turn.epoch, sequence: sequence.next(), at: turn.now,
        operation: operation))
  }
}
