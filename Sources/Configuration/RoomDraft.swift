import Base

/// The settings of rooms while they are read: at top level, or for one room on top of those.
struct RoomDraft: Draft {
  /// Whole sets of gift settings.
  enum Preset: String, CaseIterable, Sendable {
    case livecue, classic

    var plan: GiftPlan {
      switch self {
      case .livecue: GiftPlan()
      case .classic: .classic
      }
    }
  }

  private(set) var presetInUse = Preset.livecue
  /// True if a file gave it: then it stays when `holdMs` changes.
  private(set) var isHoldBusyGiven = false
  var gift = GiftPlan()
  var comment = CommentPlan()
  var like = LikePlan()
  var limits = RoomLimits()

  /// Choosing a preset replaces every gift setting.
  var preset: Preset {
    get { presetInUse }
    set {
      presetInUse = newValue
      gift = newValue.plan
      isHoldBusyGiven = false
    }
  }

  /// `holdBusyMs`, which follows `holdMs` until it is given.
  var holdBusyMilliseconds: Int64 {
    get {
      // A room that shortens holdMs alone means the shorter window for both.
      presetInUse == .classic && !isHoldBusyGiven
        ? gift.holdMilliseconds : min(gift.holdBusyMilliseconds, gift.holdMilliseconds)
    }
    set {
      gift.holdBusyMilliseconds = newValue
      isHoldBusyGiven = true
    }
  }

  /// Refuses what contradicts itself in the settings that were given below a path.
  func check(at base: String, _ report: inout Report) {
    let path = base.isEmpty ? "gift.holdBusyMs" : "\(base).gift.holdBusyMs"
    guard let position = report.givenAt[path] else { return }
    if gift.holdBusyMilliseconds > gift.holdMilliseconds {
      report.refuse(
        position, path,
        "\(gift.holdBusyMilliseconds) is more than holdMs, expected at most \(gift.holdMilliseconds)")
    }
  }

  /// The plan of a room with these settings.
  var plan: RoomPlan {
    var gift = gift
    gift.holdBusyMilliseconds = holdBusyMilliseconds
    return RoomPlan(gift: gift, comment: comment, like: like, limits: limits)
  }
}

extension PriorityRule: Draft {
  /// A rule that matches every gift and gives it nothing.
  init() {
    self.init(priority: 0)
  }
}
