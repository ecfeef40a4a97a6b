import Base
import Testing

@testable import Engine

/// Commands that would be too large are split: same `at`, seqs in a row. (The other bounds stand beside what
/// they bound.)
@Suite struct BoundsTests {
  private func plan(maxCommandBytes: Int, maxItems: Int = 1000) -> RoomPlan {
    Scenario.plan(
      gift: {
        $0 = Scenario.plain().gift
        $0.maxWaiting = 0
        $0.maxFoldItems = 5
      }, comment: { $0.maxItems = maxItems }, limits: { $0.maxCommandBytes = maxCommandBytes })
  }

  /// Items of one size each.
  private let comments = (1...5).map { TestEvent.comment("Ann", "t\($0)", id: "i\($0)") }

  private func sizeOfOne(_ events: [TestEvent]) -> Int {
    let scenario = Scenario(plan(maxCommandBytes: 1 << 20), [(0, events)], to: 0)
    let sizes =
      scenario.output.commentItems.map { CommandSize.item($0, in: scenario.output.bytes) }
      + scenario.output.foldItems.map { CommandSize.item($0, in: scenario.output.bytes) }
    #expect(Set(sizes).count == 1)
    return sizes[0]
  }

  @Test(arguments: [
    (5, 0, [5]), (5, -1, [4, 1]), (2, 0, [2, 2, 1]), (2, -1, [1, 1, 1, 1, 1]), (0, 0, [1, 1, 1, 1, 1]),
  ])
  func anAppendIsSplitToFit(items: Int, difference: Int, parts: [Int]) {
    let limit = CommandSize.overhead + items * sizeOfOne(comments) + difference
    let scenario = Scenario(plan(maxCommandBytes: limit), [(7, comments)], to: 7)
    let counts = scenario.output.commands.map { command in
      if case .append(let items, 0, 0) = command.operation { items.count } else { -1 }
    }
    #expect(counts == parts)
    #expect(scenario.output.commands.allSatisfy { $0.at == 7 })
    #expect(scenario.output.commands.map(\.sequence) == Array(1...parts.count))
    #expect(
      scenario.output.commentItems.map { scenario.output.bytes.string($0.text) } == [
        "t1", "t2", "t3", "t4", "t5",
      ])
  }

  @Test func ofASplitAppendEachPartTellsItsEvictedAndTheFirstTheSkipped() {
    let limit = CommandSize.overhead + sizeOfOne(comments)
    let scenario = Scenario(
      plan(maxCommandBytes: limit, maxItems: 3),
      [(0, [.comment("Ann", "a1", id: "j1"), .comment("Ann", "a2", id: "j2")]), (100, comments)],
      to: 100)
    #expect(
      scenario.lines == [
        "0 comment append evicted=0 skipped=0 Ann:a1:#00AEFF",
        "0 comment append evicted=0 skipped=0 Ann:a2:#00AEFF",
        "100 comment append evicted=0 skipped=2 Ann:t3:#00AEFF",
        "100 comment append evicted=1 skipped=0 Ann:t4:#00AEFF",
        "100 comment append evicted=1 skipped=0 Ann:t5:#00AEFF",
      ])
  }

  @Test(arguments: [(5, 0, 1), (5, -1, 2), (2, 0, 3), (1, 0, 5), (0, 0, 5)])
  func aFoldIsSplitToFitAndEachPartTellsItsOwnNumbers(items: Int, difference: Int, parts: Int) {
    // Ann's group holds the track; five of two senders fold and go out at once.
    let folded: [TestEvent] = [
      .gift("Bo1", "Rose", 1), .gift("Bo2", "Rose", 2), .gift("Bo1", "Cars", 3), .gift("Bo1", "Tree", 4),
      .gift("Bo2", "Tree", 5),
    ]
    let limit = CommandSize.overhead + items * sizeOfOne([.gift("Ann", "Rose")] + folded) + difference
    let scenario = Scenario(plan(maxCommandBytes: limit), [(0, [.gift("Ann", "Rose")] + folded)], to: 0)
    let lines = scenario.lines(of: "gift/fold")
    #expect(lines.count == parts)
    #expect(scenario.output.commands.filter { $0.track == .fold }.map(\.sequence) == Array(1...parts))
    switch parts {
    case 1:
      #expect(
        lines == [
          "0 gift/fold fold groups=5 gifts=15 senders=2 Bo1>Rosex1,Bo2>Rosex2,Bo1>Carsx3,Bo1>Treex4,Bo2>Treex5"
        ])
    case 2:
      #expect(
        lines == [
          "0 gift/fold fold groups=4 gifts=10 senders=2 Bo1>Rosex1,Bo2>Rosex2,Bo1>Carsx3,Bo1>Treex4",
          "0 gift/fold fold groups=1 gifts=5 senders=1 Bo2>Treex5",
        ])
    case 3:
      #expect(
        lines == [
          "0 gift/fold fold groups=2 gifts=3 senders=2 Bo1>Rosex1,Bo2>Rosex2",
          "0 gift/fold fold groups=2 gifts=7 senders=1 Bo1>Carsx3,Bo1>Treex4",
          "0 gift/fold fold groups=1 gifts=5 senders=1 Bo2>Treex5",
        ])
    default: #expect(lines.allSatisfy { $0.contains("groups=1 ") && $0.contains("senders=1 ") })
    }
  }

  // MARK: Sizes

  /// A text as JSON with every escape that a writer may choose for C0, quote and backslash.
  private func json(_ bytes: [UInt8], _ slice: TextSlice) -> Int {
    2 + bytes[slice.range].reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
  }

  private func json(_ bytes: [UInt8], _ party: Party) -> Int {
    #"{"id":,"name":,"level":,"avatar":}"#.utf8.count + json(bytes, party.id) + json(bytes, party.name)
      + "\(party.level ?? .min)".utf8.count + json(bytes, party.avatar)
  }

  @Test(arguments: ["plain", "\"quoted\"", "back\\slash", "line\nand\u{1}control", "üñî — 你好 👋", ""])
  func theSizeOfAnItemIsNoLessThanItsJSON(text: String) {
    var bytes: [UInt8] = []
    var party = Party()
    party.id = bytes.append(text: (text + "1").utf8)
    party.name = bytes.append(text: (text + "2").utf8)
    party.avatar = bytes.append(text: (text + "3").utf8)
    party.level = .min
    var gift = Gift()
    gift.id = party.name
    gift.name = party.id
    gift.icon = party.avatar
    gift.price = 1_000_000_000_000
    let comment = CommentItem(id: party.id, sender: party, color: party.name, text: party.avatar)
    let commentJSON =
      #"{"id":,"sender":,"color":,"text":},"#.utf8.count + json(bytes, comment.id) + json(bytes, party)
      + json(bytes, comment.color) + json(bytes, comment.text)
    #expect(CommandSize.item(comment, in: bytes) >= commentJSON)
    let item = FoldItem(sender: party, gift: gift, receiver: party, count: .min)
    let foldJSON =
      #"{"sender":,"gift":{"id":,"name":,"price":,"icon":},"receiver":,"count":},"#.utf8.count
      + 2 * json(bytes, party) + json(bytes, gift.id) + json(bytes, gift.name) + json(bytes, gift.icon)
      + "\(gift.price ?? 0)\(item.count)".utf8.count
    #expect(CommandSize.item(item, in: bytes) >= foldJSON)
  }

  @Test func theOverheadHoldsTheRestOfACommand() {
    let room = String(repeating: "\\\"", count: 128)
    let rest =
      #"{"v":1,"room":"\#(room)","track":"gift/fold","epoch":\#(Int64.min),"seq":\#(Int.min),"at":\#(Int64.min),"#
      + #""op":"fold","groups":\#(Int.min),"gifts":\#(Int.min),"senders":\#(Int.min),"items":[]}"#
    #expect(CommandSize.overhead >= rest.utf8.count)
  }
}
