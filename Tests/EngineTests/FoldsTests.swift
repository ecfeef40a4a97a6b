import Base
import Engine
import Testing

/// Waiting groups that leave the queue into one summary.
@Suite struct FoldsTests {
  /// One track that Ann keeps for ever; others fold after 300 ms.
  private func plan(_ change: (inout GiftPlan) -> Void = { _ in }) -> RoomPlan {
    Scenario.plain {
      $0.holdMilliseconds = 1_000_000
      $0.holdBusyMilliseconds = 1_000_000
      $0.foldAfterMilliseconds = 300
      change(&$0)
    }
  }

  private func folds(
    _ plan: RoomPlan, _ steps: [(at: Instant, events: [TestEvent])], to end: Instant = 20_000
  ) -> [String] {
    let scenario = Scenario(plan, [(0, [.gift("Ann", "P9")])] + steps, to: end)
    #expect(scenario.engine.checkInvariants() == nil)
    return scenario.lines(of: "gift/fold")
  }

  @Test func aGroupFoldsWhenItHasWaitedFoldAfterMs() {
    let steps: [(at: Instant, events: [TestEvent])] = [(100, [.gift("Bo", "Rose", 2)])]
    #expect(folds(plan(), steps, to: 399) == [])
    #expect(folds(plan(), steps, to: 400) == ["400 gift/fold fold groups=1 gifts=2 senders=1 Bo>Rosex2"])
  }

  @Test func aGiftThatJoinsChangesNothingOfTheWait() {
    #expect(
      folds(plan(), [(100, [.gift("Bo", "Rose", 2)]), (399, [.gift("Bo", "Rose", 3)])]) == [
        "400 gift/fold fold groups=1 gifts=5 senders=1 Bo>Rosex5"
      ])
  }

  @Test func aGiftAtTheInstantOfTheFoldIsTooLate() {
    #expect(
      folds(plan(), [(100, [.gift("Bo", "Rose", 2)]), (400, [.gift("Bo", "Rose", 3)])]) == [
        "400 gift/fold fold groups=1 gifts=2 senders=1 Bo>Rosex2",
        "1400 gift/fold fold groups=1 gifts=3 senders=1 Bo>Rosex3",
      ])
  }

  @Test func foldAfterMsOfZeroNeverFolds() {
    #expect(folds(plan { $0.foldAfterMilliseconds = 0 }, [(0, [.gift("Bo", "Rose")])]) == [])
  }

  @Test(arguments: [("P0", true), ("P4", true), ("P5", false), ("P9", false)])
  func onlyGroupsBelowProtectPriorityFold(gift: String, isFolded: Bool) {
    #expect(folds(plan(), [(0, [.gift("Bo", gift)])]).count == (isFolded ? 1 : 0))
  }

  @Test(arguments: [(0, 0), (9, 1), (10, 2)])
  func protectPriorityMayProtectAllOrNone(protect: Int, folded: Int) {
    let plan = plan {
      $0.protectPriority = protect
      $0.foldEveryMilliseconds = 0
      $0.maxFoldItems = 1
    }
    #expect(folds(plan, [(0, [.gift("Bo", "P0"), .gift("Cy", "P9")])]).count == folded)
  }

  @Test func aGroupThatRisesToProtectPriorityInTimeStays() {
    let plan = plan { $0.rules = [PriorityRule(priority: 5, minLevel: 5)] }
    #expect(
      folds(
        plan,
        [
          (100, [.gift("Bo", "Rose"), .gift("Cy", "Rose")]), (399, [.gift("Bo", "Rose", level: 5)]),
          (400, [.gift("Cy", "Rose", level: 5)]),
        ]) == ["400 gift/fold fold groups=1 gifts=1 senders=1 Cy>Rosex1"])
  }

  @Test func foldsCollectForASecondSinceTheLastCommand() {
    #expect(
      folds(
        plan(),
        [
          (0, [.gift("Bo", "Rose")]), (100, [.gift("Cy", "Rose")]), (999, [.gift("Di", "Rose")]),
          (1000, [.gift("Ed", "Rose")]), (3000, [.gift("Flo", "Rose")]),
        ]) == [
          "300 gift/fold fold groups=1 gifts=1 senders=1 Bo>Rosex1",
          // Of one deadline the waiting time comes first: Ed, who folds at 1300 too, is still in this
          // command.
          "1300 gift/fold fold groups=3 gifts=3 senders=3 Cy>Rosex1,Di>Rosex1,Ed>Rosex1",
          "3300 gift/fold fold groups=1 gifts=1 senders=1 Flo>Rosex1",
        ])
  }

  @Test func theCountsOfAKeyAddInOrderOfFirstFoldAndSinglesStayApart() {
    let single = TestEvent.gift("Bo", "Rose", merges: false)
    #expect(
      folds(
        plan(),
        [
          (0, [.gift("Zoe", "Rose")]), (100, [.gift("Bo", "Rose", 2)]), (401, [.gift("Cy", "Rose")]),
          (410, [.gift("Bo", "Rose", 3)]), (420, [.gift("Bo", "Rose", to: "Ann")]), (430, [single, single]),
        ]) == [
          "300 gift/fold fold groups=1 gifts=1 senders=1 Zoe>Rosex1",
          "1300 gift/fold fold groups=6 gifts=9 senders=2 "
            + "Bo>Rosex5,Cy>Rosex1,Bo>Rose>Annx1,Bo>Rosex1,Bo>Rosex1",
        ])
  }

  @Test(arguments: [(2, "1300"), (3, "420"), (4, "420")])
  func maxFoldItemsGoOutAtOnce(items: Int, instant: String) {
    let plan = plan { $0.maxFoldItems = 3 }
    let steps = (0..<items).map { (at: Instant(100 + 10 * $0), events: [TestEvent.gift("W\($0)", "Rose")]) }
    let lines = folds(plan, [(0, [.gift("Zoe", "Rose")])] + steps)
    #expect(lines.count == (items > 3 ? 3 : 2))
    #expect(lines[1].hasPrefix("\(instant) gift/fold fold groups=\(min(items, 3)) "))
    // What collects after that waits for a second from then.
    #expect(items <= 3 || lines[2] == "1420 gift/fold fold groups=1 gifts=1 senders=1 W3>Rosex1")
  }

  @Test func aKeyThatFoldsAgainIsNoNewItem() {
    let plan = plan { $0.maxFoldItems = 2 }
    #expect(
      folds(
        plan,
        [
          (0, [.gift("Zoe", "Rose")]), (100, [.gift("Bo", "Rose")]), (401, [.gift("Bo", "Rose")]),
          (702, [.gift("Bo", "Rose")]),
        ]) == [
          "300 gift/fold fold groups=1 gifts=1 senders=1 Zoe>Rosex1",
          "1300 gift/fold fold groups=3 gifts=3 senders=1 Bo>Rosex3",
        ])
  }

  @Test func aFoldedGroupIsForgottenAndTheNextOfItsKeyIsNew() {
    // Bo's first group folds; the second is shown when Ann's track is free.
    let plan = Scenario.plain { $0.foldAfterMilliseconds = 300 }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose", 2)]), (450, [.gift("Bo", "Rose")])], to: 700)
    #expect(
      scenario.lines.suffix(4) == [
        "200 gift/0 hold 1 x1 until=600",
        "300 gift/fold fold groups=1 gifts=2 senders=1 Bo>Rosex2",
        "600 gift/0 hide 1 x1 expired for=100",
        "700 gift/0 show 3 Bo>Rose base=0 priority=0 for=100 until=1900",
      ])
  }

  @Test(arguments: [(Int64(699), false), (700, true)])
  func ofOneInstantTheTrackComesBeforeTheWait(foldAfter: Int64, isShown: Bool) {
    let plan = Scenario.plain { $0.foldAfterMilliseconds = foldAfter }
    let scenario = Scenario(plan, [(0, [.gift("Ann", "Rose"), .gift("Bo", "Rose")])], to: 700)
    #expect(scenario.shows == ["0 gift/0 Ann>Rose"] + (isShown ? ["700 gift/0 Bo>Rose"] : []))
    #expect(scenario.output.counters.groupsFoldedByWait == (isShown ? 0 : 1))
  }

  @Test func theWaitOfEachGroupThatLeavesTheQueueIsTold() {
    let plan = Scenario.plain { $0.foldAfterMilliseconds = 600 }
    let scenario = Scenario(
      plan, [(0, [.gift("Ann", "Rose")]), (50, [.gift("Cy", "Rose")]), (200, [.gift("Bo", "Rose")])], to: 750)
    #expect(scenario.output.waits == [0, 600, 500])
  }
}
