import Base
import Testing

@testable import Engine

/// What is to be saved, and that it is the state of one moment.
@Suite struct EngineSavingTests {
  @Test(arguments: Chance.seeds(120))
  func savingWhatChangedIsAsGoodAsSavingEverything(seed: UInt64) {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var scenario = Scenario(play.plan, maxRooms: play.maxRooms)
    var kept = SavedState()
    for step in play.steps {
      scenario.take(step)
      guard chance.once(in: 3) else { continue }
      kept.save(&scenario.engine)
      #expect(kept == SavedState(of: scenario.engine), "\(Chance.howToRepeat(seed))")
      #expect(scenario.engine.changedRooms.isEmpty, "\(Chance.howToRepeat(seed))")
    }
    scenario.advance(to: play.end)
    kept.save(&scenario.engine)
    #expect(kept.rooms.isEmpty, "\(Chance.howToRepeat(seed))")
  }

  @Test(arguments: Chance.seeds(120))
  func aSavingIsOfTheMomentAtWhichItBegan(seed: UInt64) {
    let play = RandomPlay(seed: seed)
    var chance = Chance(seed: ~seed)
    var scenario = Scenario(play.plan, maxRooms: play.maxRooms)
    var kept = SavedState()
    var expected: SavedState?
    for step in play.steps {
      if expected == nil {
        expected = SavedState(of: scenario.engine)
        // One that is given up is followed by one of everything.
        kept.begin(&scenario.engine, everything: chance.once(in: 4))
      }
      scenario.take(step)
      if chance.once(in: 2) { _ = kept.saveNext(&scenario.engine) }
      if chance.once(in: 10), scenario.engine.isSaving {
        expected = SavedState(of: scenario.engine)
        kept.begin(&scenario.engine, everything: true)
      }
      guard !scenario.engine.isSaving else { continue }
      #expect(kept == expected, "\(Chance.howToRepeat(seed))")
      expected = nil
    }
  }

  @Test func whatIsTouchedIsSavedOnce() {
    var scenario = Scenario(Scenario.plain(limits: { $0.roomIdleMilliseconds = 1000 }))
    for room in ["a", "b", "c"] { scenario.at(0, room: room, [.like()]) }
    #expect(scenario.engine.changedRooms == [0, 1, 2])
    var kept = SavedState()
    kept.save(&scenario.engine)
    #expect(kept.rooms.keys.sorted() == [0, 1, 2])
    #expect(scenario.engine.changedRooms.isEmpty)
    // An input and a timer change a room; time alone does not.
    scenario.at(10, room: "b", [.gift("Ann", "Rose")])
    scenario.at(20, room: "b", [.gift("Ann", "Rose")])
    #expect(scenario.engine.changedRooms == [1])
    scenario.advance(to: 1999)
    #expect(scenario.engine.changedRooms == [1])
    scenario.advance(to: 2000)
    #expect(scenario.engine.changedRooms == [1, 0, 2])
    kept.save(&scenario.engine)
    scenario.at(2500, room: "b", [.like()])
    // Two leave; one comes back as another room.
    scenario.at(3000, room: "c", [.like()])
    #expect(scenario.engine.changedRooms == [1, 3])
    var header: [UInt8] = []
    #expect(scenario.engine.beginSaving(header: &header) == [0, 2])
    #expect(scenario.engine.isSaving)
  }

  @Test func anAbsenceChangesEveryRoom() {
    var scenario = Scenario()
    for room in ["a", "b"] { scenario.at(0, room: room, [.like()]) }
    var kept = SavedState()
    kept.save(&scenario.engine)
    scenario.skip(from: 10, to: 20)
    #expect(scenario.engine.changedRooms == [0, 1])
  }

  @Test func aRoomIsSavedByItsName() {
    var scenario = Scenario()
    for room in ["a", "b"] { scenario.at(0, room: room, [.gift("Ann", "Rose")]) }
    let saved = SavedState(of: scenario.engine)
    var bytes: [UInt8] = [7]
    #expect(scenario.engine.saveRoom(Array("b".utf8).span, into: &bytes))
    #expect(bytes == [7] + (saved.rooms[1] ?? []))
    #expect(!scenario.engine.saveRoom(Array("c".utf8).span, into: &bytes))
  }
}

extension CommandBuffer {
  /// All that was told, with every text, in a form that does not depend on where the texts lie.
  var told: [String] {
    var lines: [String] = []
    for command in commands {
      lines.append("\(bytes.string(command.room)) \(command.epoch) \(command.sequence) " + line(command))
      switch command.operation {
      case .show(_, let sender, let gift, let receiver, _, _, _, _, _):
        lines.append(told(sender) + told(gift) + told(receiver))
      case .play(_, let sender, let gift, let receiver, _, _, _, _):
        lines.append(told(sender) + told(gift) + told(receiver))
      case .fold(_, _, _, let items):
        lines += foldItems[items].map { told($0.sender) + told($0.gift) + told($0.receiver) }
      case .append(let items, _, _):
        lines += commentItems[items].map { bytes.string($0.id) + told($0.sender) }
      default: break
      }
    }
    return lines
  }

  private func told(_ party: Party) -> String {
    "\(bytes.string(party.id)) \(bytes.string(party.name)) \(bytes.string(party.avatar)) \(party.level ?? -1);"
  }

  private func told(_ gift: Gift) -> String {
    "\(bytes.string(gift.id)) \(bytes.string(gift.name)) \(bytes.string(gift.icon)) \(gift.price ?? -1);"
  }
}
