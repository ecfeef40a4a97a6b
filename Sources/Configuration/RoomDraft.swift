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
  /// What the operator says of single gifts.
  var gifts: [CatalogueEntry] = []
  var comment = CommentPlan()
  var like = LikePlan()
  var stage = StagePlan()
  var snapshot = SnapshotPlan()
  var limits = RoomLimits()
  /// What a price counts (`coin`); nil: not said.
  var priceUnit: String?

  /// Choosing a preset replaces every gift setting.
  var preset: Preset {
    get { presetInUse }
    set {
      presetInUse = newValue
      gift = newValue.plan
      isHoldBusyGiven = false
    }
  }

  /// `holdBusyMs`, which in the preset `classic` follows `holdMs` until it is given. It may be the longer of
  /// the two: the pace makes it shorter, and a window is never made longer by it.
  var holdBusyMilliseconds: Int64 {
    get {
      presetInUse == .classic && !isHoldBusyGiven ? gift.holdMilliseconds : gift.holdBusyMilliseconds
    }
    set {
      gift.holdBusyMilliseconds = newValue
      isHoldBusyGiven = true
    }
  }

  /// The plan of a room with these settings.
  var plan: RoomPlan {
    var gift = gift
    gift.holdBusyMilliseconds = holdBusyMilliseconds
    return RoomPlan(
      gift: gift, catalogue: GiftCatalogue(gifts), comment: comment, like: like, stage: stage,
      snapshot: snapshot, limits: limits)
  }
}

extension PriorityRule: Draft {
  /// A rule that matches every gift and gives it nothing.
  init() {
    self.init(priority: 0)
  }
}

extension CatalogueEntry: Draft {
  /// An entry of no gift yet.
  init() {
    self.init(gift: [])
  }
}
