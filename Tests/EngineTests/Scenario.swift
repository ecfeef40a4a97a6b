import Base
import Engine

/// A room played by hand: events with instants in, commands out as lines that a person can read.
struct Scenario {
  var engine: Engine
  var output = CommandBuffer()
  private(set) var plan: RoomPlan

  init(_ plan: RoomPlan = RoomPlan(), maxRooms: Int = 100_000) {
    self.plan = plan
    engine = Engine(maxRooms: maxRooms)
  }

  /// Plays batches at their instants, then lets time pass.
  init(_ plan: RoomPlan, _ steps: [(at: Instant, events: [TestEvent])], to end: Instant) {
    self.init(plan)
    for step in steps { at(step.at, step.events) }
    advance(to: end)
  }

  /// A plan with one gift track unless said otherwise, round numbers, and no ageing, fold, cut or pace: a
  /// test adds what it is about. Gifts named `P1` … `P9` have that priority.
  static func plain(
    tracks: [Int] = [0], _ change: (inout GiftPlan) -> Void = { _ in },
    limits: (inout RoomLimits) -> Void = { _ in }
  ) -> RoomPlan {
    plan(
      gift: { gift in
        gift.trackMinPriorities = tracks
        gift.showMilliseconds = 100
        gift.stepMilliseconds = 100
        gift.catchUpMilliseconds = 500
        gift.holdMilliseconds = 1000
        gift.holdBusyMilliseconds = 400
        gift.hideMilliseconds = 100
        gift.maxGroupMilliseconds = 0
        gift.minPacePermille = 1000
        gift.agingMilliseconds = 0
        gift.foldAfterMilliseconds = 0
        gift.rules = (1...9).map { PriorityRule(priority: $0, gifts: [Array("P\($0)".utf8)]) }
        change(&gift)
      }, limits: limits)
  }

  /// A plan of the defaults with some changed.
  static func plan(
    gift: (inout GiftPlan) -> Void = { _ in }, comment: (inout CommentPlan) -> Void = { _ in },
    like: (inout LikePlan) -> Void = { _ in }, stage: (inout StagePlan) -> Void = { _ in },
    limits: (inout RoomLimits) -> Void = { _ in }
  ) -> RoomPlan {
    var giftPlan = GiftPlan()
    var commentPlan = CommentPlan()
    var likePlan = LikePlan()
    var stagePlan = StagePlan()
    var roomLimits = RoomLimits()
    gift(&giftPlan)
    comment(&commentPlan)
    like(&likePlan)
    stage(&stagePlan)
    limits(&roomLimits)
    return RoomPlan(
      gift: giftPlan, comment: commentPlan, like: likePlan, stage: stagePlan, limits: roomLimits)
  }

  /// Delivers a batch.
  @discardableResult
  mutating func at(
    _ instant: Instant, room: String = "r1", source: UInt32 = 0, _ events: [TestEvent]
  ) -> Bool {
    var batch = EventBatch()
    batch.source = source
    for (index, event) in events.enumerated() { event.add(to: &batch, index: index) }
    return engine.receive(batch, room: Array(room.utf8).span, plan: plan, at: instant, output: &output)
  }

  /// Does what an operator wants.
  @discardableResult
  mutating func control(
    _ operation: ControlOperation, at instant: Instant, room: String = "r1", test events: [TestEvent] = []
  ) -> ControlFault? {
    var batch = EventBatch()
    for (index, event) in events.enumerated() { event.add(to: &batch, index: index) }
    return engine.control(
      operation, batch: batch, room: Array(room.utf8).span, plan: plan, at: instant, output: &output)
  }

  /// A renderer says something.
  @discardableResult
  mutating func feedback(
    _ operation: FeedbackOperation, by renderer: String = "", at instant: Instant, room: String = "r1"
  ) -> Bool {
    engine.feedback(
      operation, renderer: Array(renderer.utf8), room: Array(room.utf8).span, at: instant, output: &output)
  }

  /// Lets time pass.
  mutating func advance(to instant: Instant) { engine.advance(to: instant, output: &output) }

  /// Between these two instants we were away.
  mutating func skip(from: Instant, to: Instant) { engine.skip(from: from, to: to, output: &output) }

  /// From now on all rooms have another plan.
  mutating func adopt(_ plan: RoomPlan, at instant: Instant) {
    self.plan = plan
    engine.adopt(at: instant, output: &output) { _ in plan }
  }

  /// All commands so far, one line each: `at track op members`.
  var lines: [String] { output.commands.map { output.line($0) } }

  /// The commands of one track so far.
  func lines(of track: String) -> [String] {
    lines.filter { $0.split(separator: " ")[1] == track }
  }

  /// The commands with one op so far.
  func lines(op: String) -> [String] {
    lines.filter { $0.split(separator: " ")[2] == op }
  }

  /// Who was shown, when and where: `at track sender>gift`.
  var shows: [String] {
    lines(op: "show").map { line in
      let words = line.split(separator: " ")
      return "\(words[0]) \(words[1]) \(words[4])"
    }
  }
}

/// An event as a test writes it.
struct TestEvent {
  var kind: EventKind
  var id = ""
  var time: Instant?
  var sender = "Ann"
  /// The display name; empty: the id.
  var name = ""
  var avatar = ""
  var icon = ""
  var level: Int64?
  var gift = ""
  var price: Int64?
  var receiver = ""
  var count: Int?
  var total: Int?
  var merges = true
  var streak = ""
  var ends = false
  var role = StreakRole.own
  var text = ""
  var style = ""
  var removes: [String] = []

  static func gift(
    _ sender: String, _ gift: String, _ count: Int? = nil, total: Int? = nil, id: String = "",
    time: Instant? = nil, level: Int64? = nil, price: Int64? = nil, to receiver: String = "",
    merges: Bool = true, streak: String = "", ends: Bool = false
  ) -> TestEvent {
    TestEvent(
      kind: .gift, id: id, time: time, sender: sender, level: level, gift: gift, price: price,
      receiver: receiver, count: count, total: total, merges: merges,
      streak: streak, ends: ends)
  }

  static func comment(_ sender: String, _ text: String, id: String = "") -> TestEvent {
    TestEvent(kind: .comment, id: id, sender: sender, text: text)
  }

  static func remove(_ ids: [String], id: String = "") -> TestEvent {
    TestEvent(kind: .remove, id: id, sender: "", removes: ids)
  }

  static func removeAll(_ sender: String, id: String = "") -> TestEvent {
    TestEvent(kind: .remove, id: id, sender: sender)
  }

  static func like(_ count: Int? = nil, total: Int? = nil, id: String = "") -> TestEvent {
    TestEvent(kind: .like, id: id, count: count, total: total)
  }

  func add(to batch: inout EventBatch, index: Int) {
    var event = Event(kind: kind, index: index)
    event.id = batch.bytes.append(text: id.utf8)
    event.time = time
    event.sender.id = batch.bytes.append(text: sender.utf8)
    event.sender.name = name.isEmpty ? event.sender.id : batch.bytes.append(text: name.utf8)
    event.sender.avatar = batch.bytes.append(text: avatar.utf8)
    event.sender.level = level
    event.gift.id = batch.bytes.append(text: gift.utf8)
    event.gift.name = event.gift.id
    event.gift.icon = batch.bytes.append(text: icon.utf8)
    event.gift.price = price
    event.receiver.id = batch.bytes.append(text: receiver.utf8)
    event.receiver.name = event.receiver.id
    event.count = count
    event.total = total
    event.merges = merges
    event.streak = batch.bytes.append(text: streak.utf8)
    event.endsStreak = ends
    event.streakRole = role
    event.text = batch.bytes.append(text: text.utf8)
    event.style = batch.bytes.append(text: style.utf8)
    let first = batch.removedIDs.count
    for id in removes { batch.removedIDs.append(batch.bytes.append(text: id.utf8)) }
    event.removedIDs = Int32(first)..<Int32(batch.removedIDs.count)
    batch.events.append(event)
  }
}

extension CommandBuffer {
  /// One command as a line.
  func line(_ command: Command) -> String {
    "\(command.at) \(name(command.track)) \(describe(command.operation))\(command.isTest ? " test" : "")"
  }

  private func name(_ track: Track) -> String {
    switch track {
    case .gift(let index): "gift/\(index)"
    case .fold: "gift/fold"
    case .comment: "comment"
    case .like: "like"
    case .stage: "stage"
    case .click: "click"
    }
  }

  private func key(_ sender: Party, _ gift: Gift, _ receiver: Party) -> String {
    let key = "\(bytes.string(sender.id))>\(bytes.string(gift.id))"
    return receiver.id.isAbsent ? key : "\(key)>\(bytes.string(receiver.id))"
  }

  private func describe(_ operation: Operation) -> String {
    switch operation {
    case .show(
      let group, let sender, let gift, let receiver, let combo, let base, let priority, let duration,
      let until):
      return
        "show \(group) \(key(sender, gift, receiver))\(combo ? "" : " single") base=\(base) priority=\(priority) "
        + "for=\(duration) until=\(until)"
    case .count(let group, let from, let to, let duration, let until):
      return "count \(group) \(from)→\(to) for=\(duration) until=\(until)"
    case .hold(let group, let count, let until): return "hold \(group) x\(count) until=\(until)"
    case .hide(let group, let count, let reason, let duration):
      return "hide \(group) x\(count) \(reason.rawValue) for=\(duration)"
    case .fold(let groups, let gifts, let senders, let items):
      let list = foldItems[items].map { item in
        let receiver = item.receiver.id.isAbsent ? "" : ">\(bytes.string(item.receiver.id))"
        return "\(bytes.string(item.sender.id))>\(bytes.string(item.gift.id))\(receiver)x\(item.count)"
          + (item.isTest ? ":test" : "")
      }
      return "fold groups=\(groups) gifts=\(gifts) senders=\(senders) \(list.joined(separator: ","))"
    case .append(let items, let evicted, let skipped):
      let list = commentItems[items].map { item in
        "\(bytes.string(item.sender.id)):\(bytes.string(item.text)):\(bytes.string(item.color))"
          + (item.style.isAbsent ? "" : ":\(bytes.string(item.style))") + (item.isTest ? ":test" : "")
      }
      return "append evicted=\(evicted) skipped=\(skipped) \(list.joined(separator: ","))"
    case .burst(let count, let total, let particles, let until):
      return "burst \(count) total=\(total) particles=\(particles) until=\(until)"
    case .stop(let total): return "stop total=\(total)"
    case .remove(let ids): return "remove \(commentIDs[ids].map { bytes.string($0) }.joined(separator: ","))"
    case .play(
      let group, let sender, let gift, let receiver, let count, let asset, let duration, let deadline):
      return "play \(group) \(key(sender, gift, receiver)) x\(count) \(bytes.string(asset)) "
        + "for=\(duration) until=\(deadline)"
    case .end(let group, let reason): return "end \(group) \(reason.rawValue)"
    case .pause: return "pause"
    case .resume: return "resume"
    case .click(let group, let sender, let gift, let receiver, let count, let renderer):
      return "click \(group) \(key(sender, gift, receiver)) x\(count) by=\(bytes.string(renderer))"
    }
  }
}
