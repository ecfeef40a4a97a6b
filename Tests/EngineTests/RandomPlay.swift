import Base
import Engine

/// A random plan and what happens under it: few names and tiny timings, so that everything meets and ties.
struct RandomPlay {
  enum Step {
    /// At most one event, the first, may be a duplicate or cumulative; the others count for what they say.
    case batch(at: Instant, room: String, [TestEvent])
    case advance(to: Instant)
    case away(from: Instant, to: Instant)
    case control(at: Instant, room: String, ControlOperation, [TestEvent])
    case feedback(at: Instant, room: String, FeedbackOperation, by: String)

    /// The room that it is for; nil: all.
    var room: String? {
      switch self {
      case .batch(_, let room, _), .control(_, let room, _, _), .feedback(_, let room, _, _): room
      case .advance, .away: nil
      }
    }

    /// When it begins.
    var start: Instant {
      switch self {
      case .batch(let at, _, _), .control(let at, _, _, _), .feedback(let at, _, _, _): at
      case .advance(let to): to
      case .away(let from, _): from
      }
    }
  }

  let plan: RoomPlan
  let maxRooms: Int
  let steps: [Step]
  /// When nothing is left to happen.
  let end: Instant

  init(seed: UInt64, stepCount: Int = 60, isEverAway: Bool = true, hasControl: Bool = true) {
    var chance = Chance(seed: seed)
    let plan = RandomPlay.plan(&chance)
    self.plan = plan
    maxRooms = chance.pick([1, 2, 100])
    var now: Instant = chance.pick([0, 1_722_400_000_000])
    var made: [Step] = []
    for _ in 0..<stepCount {
      now += chance.pick([0, 0, 1, 1, 2, 5, 10, 20, 50, 200])
      switch Int.random(in: 0..<20, using: &chance) {
      case 0 where isEverAway:
        let length: Instant = chance.pick([1, 10, 100, 101])
        made.append(.away(from: now, to: now + length))
        now += length
      case 1, 2: made.append(.advance(to: now))
      case 3...5 where hasControl:
        made.append(
          RandomPlay.control(at: now, &chance, perStep: plan.gift.countsPerStep))
      case 6 where hasControl:
        let group = Int.random(in: 1...20, using: &chance)
        let operation = chance.pick([
          FeedbackOperation.done(group: group), .done(group: group), .failed(group: group),
          .click(group: group), .resync,
        ])
        made.append(
          .feedback(
            at: now, room: chance.pick(["r1", "r1", "r2"]), operation, by: chance.pick(["lead", "x"])))
      default:
        let events = (0..<Int.random(in: 1...5, using: &chance)).map {
          // Steps one by one of a million would take the test's time.
          RandomPlay.event(&chance, isFirst: $0 == 0, perStep: plan.gift.countsPerStep)
        }
        made.append(.batch(at: now, room: chance.pick(["r1", "r1", "r1", "r2", "r3"]), events))
      }
    }
    steps = made
    end = now + 1_000_000_000
  }

  private static func control(at now: Instant, _ chance: inout Chance, perStep: Bool) -> Step {
    let part = chance.pick([nil, nil, RoomPart.gift, .stage, .comment, .like])
    let sender = Array(chance.pick(["Ann", "Bo", "Cy", "Di"]).utf8)
    let operation = chance.pick([
      ControlOperation.pause(part), .pause(part), .resume(part), .resume(nil), .resume(nil), .clear(part),
      .skip(.gift(Int.random(in: 0...2, using: &chance))), .skip(.gift(0)), .skip(.stage),
      .mute(sender: sender), .unmute(sender: sender), .remove(ids: [Array("1".utf8), Array("lc-0-1".utf8)]),
      .removeAll(sender: sender), .test, .test,
    ])
    let events = (1...3).map { _ in RandomPlay.event(&chance, isFirst: false, perStep: perStep) }
    let room = chance.pick(["r1", "r1", "r1", "r2", "r3"])
    return .control(at: now, room: room, operation, operation == .test ? events : [])
  }

  private static func event(_ chance: inout Chance, isFirst: Bool, perStep: Bool) -> TestEvent {
    let sender = chance.pick(["Ann", "Bo", "Cy", "Di"])
    switch Int.random(in: 0..<10, using: &chance) {
    case 0: return .comment(sender, chance.pick(["hi", "\"quoted\"\\", String(repeating: "ü", count: 50)]))
    case 1: return .like(chance.pick([nil, 1, 40]), total: chance.pick([nil, 10, 11, 30, 100]))
    default: break
    }
    var gift = TestEvent.gift(
      sender, chance.pick(["Rose", "P3", "P9"]), chance.pick([nil, 1, 1, 2, 3, perStep ? 4 : 1_000_000]),
      level: chance.pick([nil, 1, 30]), price: chance.pick([nil, 1, 1_000_000_000_000]),
      to: chance.pick(["", "", "Zoe"]), merges: !chance.once(in: 8))
    if isFirst {
      gift.total = chance.pick([nil, 1, 1, 2, 3, 9])
      gift.streak = chance.pick(["", "", "s"])
      gift.ends = chance.once(in: 6)
      gift.time = chance.pick([nil, 0, 5, 60])
      gift.id = chance.pick(["", "", "1", "2", "3"])
    }
    return gift
  }

  /// Another plan, under which the play does not take longer by steps one by one.
  func anotherPlan(_ chance: inout Chance) -> RoomPlan {
    let other = RandomPlay.plan(&chance)
    var gift = other.gift
    gift.countsPerStep = gift.countsPerStep && plan.gift.countsPerStep
    return RoomPlan(
      gift: gift, comment: other.comment, like: other.like, stage: other.stage, limits: other.limits)
  }

  private static func plan(_ chance: inout Chance) -> RoomPlan {
    let lengths: [Int64] = [0, 1, 5, 10, 20, 50]
    var gift = GiftPlan()
    gift.trackMinPriorities = (0..<chance.pick([1, 1, 2, 3])).map { _ in chance.pick([0, 0, 0, 3, 9]) }
    gift.showMilliseconds = chance.pick(lengths)
    gift.stepMilliseconds = chance.pick(lengths)
    gift.catchUpMilliseconds = chance.pick(lengths + [100])
    gift.holdMilliseconds = chance.pick(lengths + [100])
    gift.holdBusyMilliseconds = chance.pick(lengths)
    gift.hideMilliseconds = chance.pick(lengths)
    gift.maxGroupMilliseconds = chance.pick([0, 1, 20, 100])
    gift.minPacePermille = chance.pick([0, 100, 500, 1000])
    gift.countsPerStep = chance.once(in: 4)
    gift.leavesNumber = !chance.once(in: 4)
    gift.maxWaiting = chance.pick([0, 1, 2, 3, 200])
    gift.agingMilliseconds = chance.pick([0, 1, 7, 50])
    gift.foldAfterMilliseconds = chance.pick([0, 1, 20, 100])
    gift.protectPriority = chance.pick([0, 3, 4, 10])
    gift.foldEveryMilliseconds = chance.pick([0, 10, 100])
    gift.maxFoldItems = chance.pick([1, 2, 100])
    gift.streakGapMilliseconds = chance.pick([1, 10, 50])
    gift.maxStreaks = chance.pick([0, 1, 2, 100])
    gift.maxLeftNumbers = chance.pick([0, 1, 2, 100])
    gift.rules = [
      PriorityRule(
        priority: 9, gifts: [Array("P9".utf8)], asset: Array("castle.webm".utf8),
        durationMilliseconds: chance.pick([0, 1, 20, 100])),
      PriorityRule(priority: 3, gifts: [Array("P3".utf8)]),
      PriorityRule(priority: 6, minLevel: 30, minValue: 5, asset: Array("rocket.webm".utf8)),
    ]
    var comment = CommentPlan()
    comment.maxItems = chance.pick([1, 2, 5])
    comment.flushMilliseconds = chance.pick([0, 10, 100])
    comment.maxSenders = chance.pick([1, 2, 100])
    var like = LikePlan()
    like.burstMilliseconds = chance.pick([0, 10, 100])
    like.showerMilliseconds = chance.pick([0, 5, 10, 200])
    var limits = RoomLimits()
    limits.maxCommandBytes = chance.pick([2048, 3000, 256 << 10])
    limits.maxGiftIDs = chance.pick([1, 2, 100])
    limits.maxOtherIDs = chance.pick([1, 2, 100])
    limits.giftIDMilliseconds = chance.pick([10, 100])
    limits.awayMaxMilliseconds = 100
    limits.roomIdleMilliseconds = chance.pick([1, 50, 7_200_000])
    limits.maxMuted = chance.pick([1, 100])
    var stage = StagePlan()
    stage.maxWaiting = chance.pick([0, 1, 50])
    stage.leader = chance.pick([[], Array("lead".utf8)])
    var snapshot = SnapshotPlan()
    snapshot.everyMilliseconds = chance.pick([0, 1, 50, 2000])
    return RoomPlan(
      gift: gift, comment: comment, like: like, stage: stage, snapshot: snapshot, limits: limits)
  }
}

extension Scenario {
  /// Plays a step of a random play.
  mutating func take(_ step: RandomPlay.Step) {
    switch step {
    case .batch(let at, let room, let events): self.at(at, room: room, events)
    case .advance: break
    case .away(let from, let to): skip(from: from, to: to)
    case .control(let at, let room, let operation, let events):
      control(operation, at: at, room: room, test: events)
    case .feedback(let at, let room, let operation, let renderer):
      feedback(operation, by: renderer, at: at, room: room)
    }
  }

  /// Every command with its room, epoch, number and texts.
  var transcript: [String] {
    output.commands.map { command in
      "\(output.bytes.string(command.room)) \(command.epoch) \(command.sequence) " + output.line(command)
    }
  }
}
