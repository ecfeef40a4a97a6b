/// What an engine holds at a moment, over all rooms.
public struct EngineLoad: Equatable, Sendable {
  /// Groups that have no track yet.
  public var groupsWaiting = 0
  /// The same in the room that has most.
  public var mostGroupsWaiting = 0
  /// Gifts accepted and neither shown nor folded yet.
  public var giftsPending = 0

  /// Nothing.
  public init() {}
}
