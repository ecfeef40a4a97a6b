public import Base

/// What the bridge counts at its door.
public struct BridgeCounters: Equatable, Sendable {
  /// Messages on an input's topic.
  public var batches = 0
  /// Bytes of their payloads.
  public var batchBytes = 0
  /// Messages ignored because they were retained: the broker had kept them from another time.
  public var retainedIgnored = 0
  /// Operators' commands that were done.
  public var controlsDone = 0
  /// Operators' commands that were answered with an error.
  public var controlsRefused = 0
  /// What renderers said of rooms that are there.
  public var feedbacks = 0
  /// What renderers said that nobody can use: no JSON, no known `op`, or of a room that is not there.
  public var feedbacksRefused = 0
  /// Messages on a topic that no input has.
  public var unknownTopics = 0
  /// Refusals by reason, in the order of `RejectionReason.allCases`.
  public private(set) var rejections = [Int](repeating: 0, count: RejectionReason.allCases.count)

  /// All zero.
  public init() {}

  /// How often something was refused for a reason.
  public func rejections(for reason: RejectionReason) -> Int {
    rejections[RejectionReason.allCases.firstIndex(of: reason) ?? 0]
  }

  mutating func add(_ refused: [Rejection]) {
    for rejection in refused {
      guard let place = RejectionReason.allCases.firstIndex(of: rejection.reason) else { continue }
      rejections[place] += 1
    }
  }
}
