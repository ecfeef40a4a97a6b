import Base
import Engine
import Testing

/// What holds for any plan and any input. A failure says its seed and how to repeat it.
@Suite struct PropertyTests {
  /// Plays all steps, and looks at the engine and at what it said after each.
  private struct Performance {
    var scenario: Scenario
    var ledger: Ledger
    var accepted: [Ledger.Key: Int] = [:]
    var faults: [String] = []
    var everMuted = false

    init(_ play: RandomPlay) {
      scenario = Scenario(play.plan, maxRooms: play.maxRooms)
      ledger = Ledger(plan: play.plan)
    }

    mutating func take(_ step: RandomPlay.Step) {
      switch step {
      case .advance(let instant): scenario.advance(to: instant)
      case .away(let from, let to):
        scenario.advance(to: from)
        read()
        ledger.shift(by: to - from)
        scenario.skip(from: from, to: to)
      case .feedback(let at, let room, let operation, let renderer):
        scenario.feedback(operation, by: renderer, at: at, room: room)
      case .control(let at, let room, let operation, let events):
        if case .mute = operation { everMuted = true }
        if scenario.control(operation, at: at, room: room, test: events) != nil { break }
        for gift in events where gift.kind == .gift {
          accepted[key(gift, room) + ["test"], default: 0] += gift.count ?? 1
        }
      case .batch(let instant, let room, let events):
        let before = scenario.output.counters.giftsAccepted
        guard scenario.at(instant, room: room, events) else { break }
        let gifts = events.filter { $0.kind == .gift }
        var certain = 0
        for gift in gifts where !isUncertain(gift) {
          accepted[key(gift, room), default: 0] += gift.count ?? 1
          certain += gift.count ?? 1
        }
        let rest = scenario.output.counters.giftsAccepted - before - certain
        if let first = gifts.first(where: isUncertain) {
          accepted[key(first, room), default: 0] += rest
          if rest < 0 || rest > max(first.total ?? 0, first.count ?? 1) {
            faults.append("\(rest) of \(first)")
          }
        } else if rest != 0 {
          faults.append("a batch counted for \(rest) more than it says")
        }
      }
      read()
    }

    mutating func read() {
      ledger.read(scenario.output)
      scenario.output.removeAll()
      if let broken = scenario.engine.checkInvariants() { faults.append(broken) }
      let counters = scenario.output.counters
      let kept =
        counters.giftsShown + counters.giftsFolded + counters.giftsMuted + scenario.engine.giftsPending
      let given = counters.giftsAccepted + counters.giftsTested
      if given != kept { faults.append("given \(given), kept \(kept)") }
    }

    private func isUncertain(_ gift: TestEvent) -> Bool { !gift.id.isEmpty || gift.total != nil }

    private func key(_ gift: TestEvent, _ room: String) -> Ledger.Key {
      [room, gift.sender, gift.gift, gift.receiver]
    }
  }

  @Test(arguments: Chance.seeds(200))
  func theCommandsOfAnyPlayAreInOrderAndKeepEveryGift(seed: UInt64) {
    let play = RandomPlay(seed: seed)
    var performance = Performance(play)
    for step in play.steps { performance.take(step) }
    for key in performance.ledger.seen.keys {
      if performance.ledger.seen[key, default: 0] > performance.accepted[key, default: 0] {
        performance.faults.append("\(key) was seen more often than given")
      }
    }
    performance.take(.advance(to: play.end))
    let faults = performance.faults + performance.ledger.faults
    #expect(faults.isEmpty, "\(faults.prefix(3)); \(Chance.howToRepeat(seed))")
    #expect(performance.scenario.engine.giftsPending == 0, "\(Chance.howToRepeat(seed))")
    #expect(performance.scenario.engine.roomCount == 0, "\(Chance.howToRepeat(seed))")
    let accepted = performance.accepted.filter { $0.value != 0 }
    if performance.everMuted { return }
    #expect(performance.ledger.seen == accepted, "\(Chance.howToRepeat(seed))")
  }

  @Test(arguments: Chance.seeds(120))
  func oneAdvanceEqualsAnyNumberOfSmallerOnes(seed: UInt64) {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var whole = Scenario(play.plan, maxRooms: play.maxRooms)
    var split = whole
    var last = play.steps[0].start
    for step in play.steps {
      whole.take(step)
      while last < step.start, !chance.once(in: 6) {
        last = Instant.random(in: last...step.start, using: &chance)
        split.advance(to: last)
      }
      split.take(step)
      last = max(last, split.engine.now)
    }
    while let deadline = split.engine.nextDeadline {
      split.advance(to: deadline - 1)
      split.advance(to: deadline)
    }
    whole.advance(to: play.end)
    #expect(whole.transcript == split.transcript, "\(Chance.howToRepeat(seed))")
    #expect(whole.output.counters == split.output.counters, "\(Chance.howToRepeat(seed))")
    #expect(whole.output.waits == split.output.waits, "\(Chance.howToRepeat(seed))")
  }

  @Test(arguments: Chance.seeds(60))
  func aCopyOfAnEngineDoesTheSame(seed: UInt64) {
    let play = RandomPlay(seed: seed)
    var original = Scenario(play.plan, maxRooms: play.maxRooms)
    let middle = Int(seed % UInt64(play.steps.count))
    for step in play.steps[..<middle] { original.take(step) }
    var copy = original
    for step in play.steps[middle...] { original.take(step) }
    original.advance(to: play.end)
    // What the original did meanwhile is not to be seen in the copy.
    for step in play.steps[middle...] { copy.take(step) }
    copy.advance(to: play.end)
    #expect(original.transcript == copy.transcript, "\(Chance.howToRepeat(seed))")
    #expect(original.output.counters == copy.output.counters, "\(Chance.howToRepeat(seed))")
  }

  @Test(arguments: Chance.seeds(40))
  func roomsAreIndependent(seed: UInt64) {
    // Each room alone says what it says among the others.
    let play = RandomPlay(seed: seed, isEverAway: false)
    var all = Scenario(play.plan)
    for step in play.steps { all.take(step) }
    all.advance(to: play.end)
    for name in ["r1", "r2", "r3"] {
      var alone = Scenario(play.plan)
      for step in play.steps where step.room == name { alone.take(step) }
      alone.advance(to: play.end)
      let part = all.transcript.filter { $0.hasPrefix("\(name) ") }
      #expect(part == alone.transcript, "\(name); \(Chance.howToRepeat(seed))")
    }
  }
}
