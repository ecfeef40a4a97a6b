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
  /// Commands on gift tracks.
  public private(set) var giftCommands = 0
  /// Commands that fold.
  public private(set) var foldCommands = 0
  /// Commands of comment lists.
  public private(set) var commentCommands = 0
  /// Commands of bursts of likes.
  public private(set) var likeCommands = 0
  /// Commands of the stage.
  public private(set) var stageCommands = 0
  /// Clicks that went out with the group that they hit.
  public private(set) var clickCommands = 0
  /// How long each group had waited that left the queue, whether it was shown or folded.
  public internal(set) var waits = Histogram.ofMilliseconds
  /// Refusals by reason, in the order of `RejectionReason.allCases`.
  public private(set) var rejections = [Int](repeating: 0, count: RejectionReason.allCases.count)

  /// All zero.
  public init() {}

  /// How often something was refused for a reason.
  public func rejections(for reason: RejectionReason) -> Int {
    rejections[RejectionReason.allCases.firstIndex(of: reason) ?? 0]
  }

  mutating func add(_ track: Track) {
    switch track {
    case .gift: giftCommands += 1
    case .fold: foldCommands += 1
    case .comment: commentCommands += 1
    case .like: likeCommands += 1
    case .stage: stageCommands += 1
    case .click: clickCommands += 1
    }
  }

  mutating func add(_ refused: [Rejection]) {
    for rejection in refused {
      guard let place = RejectionReason.allCases.firstIndex(of: rejection.reason) else { continue }
      rejections[place] += 1
    }
  }
}
