import Base
import Glibc
import Store

/// Commits turns whose completeness can be seen afterwards, until it is killed. Prints the number of each
/// turn when its commit has returned.
///
/// Turn t has 1 + t mod 7 rows that say so. It writes the ledger of turn t − 1 (one gift a row), position t,
/// a part of a snapshot, and now and then the snapshot's end and a tidy.
enum Committer {
  static func run(_ directory: String, seed: UInt64) {
    do throws(StoreError) {
      let store = try SQLiteStore(directory: directory, instance: "main", durability: .process, now: 1)
      try store.start(instance: "main", bootID: "boot", engineVersion: 1)
      var number: Int64 = 0
      try store.forEachPosition { (_, _, sequence) in
        number = sequence
        return true
      }
      var turn = TurnRecord()
      var random = seed
      var snapshotRow = store.state.lastRow
      var parts: Int64 = 0
      while true {
        number += 1
        fill(&turn, number, store.state, &random)
        parts += 1
        if parts == 5 { turn.finishSnapshot(row: snapshotRow, header: bytes("header \(snapshotRow)").span) }
        try store.commit(turn)
        print(number)
        fflush(nil)
        if parts == 5 {
          snapshotRow = store.state.lastRow
          parts = 0
        }
        if number % 3 == 0 { _ = try store.tidy(TidyPlan(limit: 20)) }
      }
    } catch {
      StoreProbe.fail("\(error)")
    }
  }

  private static func fill(
    _ turn: inout TurnRecord, _ number: Int64, _ state: StoreState, _ random: inout UInt64
  ) {
    turn.removeAll()
    let none: [UInt8] = []
    let rows = 1 + number % 7
    for row in 0..<rows {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let padding = String(repeating: "x", count: Int(random >> 52))
      let payload = bytes("\(number) \(row) \(rows) \(padding)")
      let topic = bytes("im/r/gift")
      turn.addMessage(
        at: number, topic: topic.span, payload: payload.span, messageID: UInt16(1 + number % 60_000),
        digest: Digest(topic: topic.span, payload: payload.span), properties: none.span)
    }
    turn.lease = number + 1000
    turn.completedRow = state.lastRow
    let added = state.lastRow - state.completedRow
    turn.addLedger(
      room: bytes("r").span, day: 1, sender: bytes("s").span, gift: bytes("g").span, receiver: none.span,
      count: added, value: 0)
    turn.addPosition(topic: bytes("cue/r/gift/0").span, epoch: 1, sequence: number)
    turn.addChunk(
      room: bytes("room \(number % 8)").span, row: state.lastRow,
      content: bytes("\(number) \(String(repeating: "y", count: 5000))").span)
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

/// Opens a store, as another user if one is given, and says how that went.
enum Opener {
  static func run(_ directory: String, user: UInt32?) {
    if let user, setuid(user) != 0 { StoreProbe.fail("cannot become user \(user)") }
    do throws(StoreError) {
      let store = try SQLiteStore(directory: directory, instance: "main", durability: .process, now: 1)
      try store.start(instance: "main", bootID: "boot", engineVersion: 1)
      print("opened")
    } catch {
      print(error)
    }
  }
}
