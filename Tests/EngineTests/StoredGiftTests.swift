import Base
import Testing

@testable import Engine

/// What a group keeps of its first event.
@Suite struct StoredGiftTests {
  private func full(_ sender: String) -> TestEvent {
    var gift = TestEvent.gift(sender, "rose", level: 12, price: 7, to: "zoe")
    gift.name = "Name of \(sender)"
    gift.avatar = "https://a/\(sender)"
    gift.icon = "https://i/rose"
    return gift
  }

  @Test func aShowSaysAllThatTheFirstEventSaid() {
    var later = full("ann")
    later.name = "Another"
    later.avatar = ""
    later.level = 99
    let scenario = Scenario(
      Scenario.plain(), [(0, [.gift("bo", "rose")]), (10, [full("ann"), later])], to: 5000)
    let shows = scenario.output.commands.filter { $0.track == .gift(0) && $0.at == 700 }
    guard case .show(_, let sender, let gift, let receiver, _, _, _, _, _) = shows.first?.operation else {
      Issue.record("no show at 700")
      return
    }
    let bytes = scenario.output.bytes
    #expect(bytes.string(sender.id) == "ann")
    #expect(bytes.string(sender.name) == "Name of ann")
    #expect(bytes.string(sender.avatar) == "https://a/ann")
    #expect(sender.level == 12)
    #expect(bytes.string(gift.id) == "rose")
    #expect(bytes.string(gift.icon) == "https://i/rose")
    #expect(gift.price == 7)
    #expect(bytes.string(receiver.id) == "zoe")
    #expect(receiver.level == nil)
    #expect(scenario.shows.last == "700 gift/0 ann>rose>zoe")
  }

  @Test func aGiftThatNamesNoMoreThanIDsHasAbsentMembers() {
    let scenario = Scenario(Scenario.plain(), [(0, [.gift("ann", "rose")])], to: 0)
    guard
      case .show(_, let sender, let gift, let receiver, _, _, _, _, _) = scenario.output.commands[0].operation
    else {
      Issue.record("no show")
      return
    }
    #expect(sender.avatar.isAbsent && gift.icon.isAbsent && receiver.id.isAbsent && receiver.name.isAbsent)
    #expect(sender.level == nil && gift.price == nil)
  }

  @Test func aCopyLivesOnWithoutItsOriginal() {
    var store = TextStore()
    var batch = EventBatch()
    full("ann").add(to: &batch, index: 0)
    full("bo").add(to: &batch, index: 1)
    let original = StoredGift(batch.events[0], in: batch.bytes, store: &store)
    let copy = original.copy(in: &store)
    original.free(in: &store)
    let other = StoredGift(batch.events[1], in: batch.bytes, store: &store)
    var arena: [UInt8] = []
    let parties = copy.append(from: store, to: &arena)
    #expect(arena.string(parties.sender.name) == "Name of ann")
    #expect(arena.string(parties.gift.icon) == "https://i/rose")
    let others = other.append(from: store, to: &arena)
    #expect(arena.string(others.sender.name) == "Name of bo")
  }

  @Test(arguments: [(8191, 8191), (8192, 8192), (8193, 0), (70_000, 0)])
  func aPictureAddressThatIsTooLongIsLeftOutAndCostsNoGift(length: Int, kept: Int) {
    var gift = TestEvent.gift("ann", "rose")
    gift.avatar = String(repeating: "a", count: length)
    gift.icon = String(repeating: "i", count: length)
    var comment = TestEvent.comment("ann", "hi")
    comment.avatar = gift.avatar
    let scenario = Scenario(Scenario.plain(), [(0, [gift, comment])], to: 5000)
    #expect(scenario.output.counters.giftsShown == 1)
    if case .show(_, let sender, let gift, _, _, _, _, _, _) = scenario.output.commands[0].operation {
      #expect(sender.avatar.count == kept)
      #expect(gift.icon.count == kept)
    }
    #expect(scenario.output.commentItems[0].sender.avatar.count == kept)
  }
}
