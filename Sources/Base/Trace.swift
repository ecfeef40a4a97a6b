/// What became of an event or a group, for who asks why. Kept only where `CommandBuffer.keepsTrace` is true.
public struct TraceStep: Equatable, Sendable {
  /// What became of it.
  public enum Fate: Equatable, Sendable {
    /// The gift at an index of the payload added `count` to a group.
    case joined(index: Int, group: Int, count: Int)
    /// The comment or the likes at an index of the payload were taken.
    case taken(index: Int)
    /// The event at an index is of a sender whom an operator has muted: it was counted and not shown.
    case muted(index: Int)
    /// The event at an index has an id that was taken before.
    case duplicate(index: Int)
    /// The frame at an index of the payload added nothing: a repeat, a closing frame, or out of order.
    case repeated(index: Int)
    /// A group was overdue: what was pending of it went on as another.
    case cut(group: Int, rest: Int)
    /// A group left the queue unseen; the room's next `fold` tells its count.
    case folded(group: Int, count: Int)
  }

  /// What happened.
  public var fate: Fate
  /// The room's name, in the buffer's arena.
  public var room: TextSlice
  /// The room's epoch.
  public var epoch: Instant
  /// How many commands the buffer held before it.
  public var commandCount: Int

  /// A step.
  @inlinable
  public init(fate: Fate, room: TextSlice, epoch: Instant, commandCount: Int) {
    self.fate = fate
    self.room = room
    self.epoch = epoch
    self.commandCount = commandCount
  }
}

extension CommandBuffer {
  /// Notes what happened, if anybody asks.
  @inlinable
  public mutating func note(_ fate: @autoclosure () -> TraceStep.Fate, room: TextSlice, epoch: Instant) {
    guard keepsTrace else { return }
    trace.append(TraceStep(fate: fate(), room: room, epoch: epoch, commandCount: commands.count))
  }
}
