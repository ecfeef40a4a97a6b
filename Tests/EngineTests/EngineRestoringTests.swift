import Base
import Testing

@testable import Engine

/// An engine that was written and read back goes on as if nothing had been.
@Suite struct EngineRestoringTests {
  @Test(arguments: Chance.seeds(100))
  func anEngineThatIsSavedAndRestoredSaysTheSame(seed: UInt64) throws {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var whole = Scenario(play.plan, maxRooms: play.maxRooms)
    var broken = whole
    for step in play.steps {
      whole.take(step)
      broken.take(step)
      guard chance.once(in: 5) else { continue }
      broken.engine = try SavedState(of: broken.engine).restored(
        maxRooms: play.maxRooms, order: { $0.shuffled(using: &chance) }, plan: { _ in play.plan })
      let fault = broken.engine.checkInvariants()
      #expect(fault == nil, "\(fault ?? ""); \(Chance.howToRepeat(seed))")
      #expect(broken.engine.nextDeadline == whole.engine.nextDeadline, "\(Chance.howToRepeat(seed))")
      #expect(broken.engine.isQuiet == whole.engine.isQuiet, "\(Chance.howToRepeat(seed))")
      #expect(broken.engine.giftsPending == whole.engine.giftsPending, "\(Chance.howToRepeat(seed))")
    }
    whole.advance(to: play.end)
    broken.advance(to: play.end)
    let isSame = broken.output.told == whole.output.told
    #expect(isSame, "\(Chance.howToRepeat(seed))")
    #expect(broken.output.counters == whole.output.counters, "\(Chance.howToRepeat(seed))")
    #expect(broken.output.waits == whole.output.waits, "\(Chance.howToRepeat(seed))")
  }

  @Test(arguments: Chance.seeds(100))
  func whatIsRestoredIsSavedAsTheSameBytes(seed: UInt64) throws {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var scenario = Scenario(play.plan, maxRooms: play.maxRooms)
    for step in play.steps {
      scenario.take(step)
      guard chance.once(in: 4) else { continue }
      let saved = SavedState(of: scenario.engine)
      let again = try SavedState(of: saved.restored(plan: { _ in play.plan }))
      #expect(again == saved, "\(Chance.howToRepeat(seed))")
    }
  }

  /// A room with something of everything.
  private static func rich(seed: UInt64) -> Scenario {
    let play = RandomPlay(seed: seed)
    var scenario = Scenario(play.plan)
    for step in play.steps.prefix(20 + Int(seed % 40)) { scenario.take(step) }
    return scenario
  }

  private func restore(_ saved: SavedState, _ plan: RoomPlan) -> Result<Engine, any Error> {
    Result { try saved.restored(plan: { _ in plan }) }
  }

  @Test(arguments: Chance.seeds(40))
  func damagedBytesAreRefused(seed: UInt64) throws {
    var chance = Chance(seed: ~seed)
    let scenario = EngineRestoringTests.rich(seed: seed)
    let saved = SavedState(of: scenario.engine)
    for _ in 0..<150 {
      var damaged = saved
      if let number = saved.rooms.keys.sorted().randomElement(using: &chance), !chance.once(in: 5) {
        damaged.rooms[number] = Damage.some(&chance).done(to: saved.rooms[number] ?? [], &chance)
      } else {
        damaged.header = Damage.some(&chance).done(to: saved.header, &chance)
      }
      guard damaged != saved else { continue }
      #expect(throws: StateFault.self, "\(Chance.howToRepeat(seed))") {
        try damaged.restored(plan: { _ in scenario.plan })
      }
    }
  }

  @Test(arguments: Chance.seeds(40))
  func bytesThatAreWrongUnderARightChecksumNeverTrap(seed: UInt64) {
    var chance = Chance(seed: ~seed)
    let scenario = EngineRestoringTests.rich(seed: seed)
    let saved = SavedState(of: scenario.engine)
    for _ in 0..<150 {
      var damaged = saved
      for number in saved.rooms.keys.sorted() {
        var chunk = Damage.some(&chance).done(to: saved.rooms[number] ?? [], &chance)
        guard chunk.count >= StateChunk.frameEnd else { continue }
        chunk.removeLast(StateChunk.frameEnd)
        var writer = StateWriter(appendingTo: chunk)
        writer.write(word: StateChunk.checksum(of: chunk, in: 0..<chunk.count))
        damaged.rooms[number] = writer.bytes
      }
      // What can be read can be written; more is not promised.
      if case .success(let engine) = restore(damaged, scenario.plan) { _ = SavedState(of: engine) }
    }
  }

  @Test func aRoomThatIsMissingOrThereTwiceIsTold() throws {
    var scenario = Scenario()
    for room in ["a", "b"] { scenario.at(5, room: room, [.gift("Ann", "Rose")]) }
    let saved = SavedState(of: scenario.engine)
    let plan: ([UInt8]) -> RoomPlan = { _ in scenario.plan }
    var missing = saved
    missing.rooms[1] = nil
    #expect(throws: StateFault(.contradiction, at: 0)) { try missing.restored(plan: plan) }
    var twice = saved
    twice.rooms[1] = saved.rooms[0]
    #expect(throws: StateFault(.contradiction, at: 0)) { try twice.restored(plan: plan) }
    var more = saved
    more.rooms[2] = saved.rooms[0]
    #expect(throws: StateFault(.contradiction, at: 0)) { try more.restored(plan: plan) }
  }

  @Test func aChunkOfAnotherKindOrVersionIsTold() throws {
    var scenario = Scenario()
    scenario.at(5, [.gift("Ann", "Rose")])
    let saved = SavedState(of: scenario.engine)
    let room = saved.rooms[0] ?? []
    #expect(throws: StateFault(.kind, at: 1)) { try Engine(header: room) }
    var engine = try Engine(header: saved.header)
    #expect(throws: StateFault(.kind, at: 1)) {
      try engine.restoreRoom(saved.header, plan: { _ in scenario.plan })
    }
    #expect(throws: StateFault(.version(9), at: 0)) { try Engine(header: [9] + saved.header.dropFirst()) }
    #expect(throws: StateFault(.truncated, at: 0)) { try Engine(header: []) }
    #expect(throws: StateFault(.checksum, at: saved.header.count - 7)) {
      try Engine(header: saved.header + [0])
    }
  }

  @Test func aPlanIsAskedForByTheRoomsName() throws {
    var scenario = Scenario()
    scenario.at(5, room: "räum", [.gift("Ann", "Rose")])
    let saved = SavedState(of: scenario.engine)
    var asked: [String] = []
    _ = try saved.restored { name in
      asked.append(String(decoding: name, as: UTF8.self))
      return scenario.plan
    }
    #expect(asked == ["räum"])
  }

  @Test func anEngineWithoutRoomsAndTimeIsRestored() throws {
    let engine = try SavedState(of: Engine()).restored { _ in RoomPlan() }
    #expect(engine.roomCount == 0)
    #expect(engine.now == .min)
    #expect(engine.nextDeadline == nil)
  }
}

/// What can happen to bytes.
enum Damage: CaseIterable {
  case flipBit, changeByte, cut, extend, removeByte, insertByte, swapParts

  static func some(_ chance: inout Chance) -> Damage { chance.pick(allCases) }

  func done(to bytes: [UInt8], _ chance: inout Chance) -> [UInt8] {
    var bytes = bytes
    guard !bytes.isEmpty else { return [0] }
    let place = Int.random(in: bytes.indices, using: &chance)
    let byte = UInt8.random(in: 0...255, using: &chance)
    switch self {
    case .flipBit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
    case .changeByte: bytes[place] = chance.pick([0, 1, 0x7F, 0x80, 0xFF, byte])
    case .cut: bytes.removeLast(bytes.count - place)
    case .extend: bytes.append(byte)
    case .removeByte: bytes.remove(at: place)
    case .insertByte: bytes.insert(byte, at: place)
    case .swapParts: bytes = Array(bytes[place...] + bytes[..<place])
    }
    return bytes
  }
}
