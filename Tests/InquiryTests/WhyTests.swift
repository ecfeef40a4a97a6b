import Base
import Bridge
import Configuration
import Store
import Testing
import Wire

@testable import Inquiry

@Suite struct WhyTests {
  private static let quick = """
    state: {dayOffsetMinutes: 60}
    gift: {tracks: 1, showMs: 300, stepMs: 400, holdMs: 3000, hideMs: 300, foldAfterMs: 2000}
    ledger: {priceUnit: coin}
    """

  private func filled(_ text: String = quick) throws -> FilledStore {
    let filled = try FilledStore()
    try filled.configuration(1000, text)
    return filled
  }

  private func why(
    _ filled: FilledStore, _ sought: String, gift: String? = nil, room: String = "r1"
  ) throws -> WhyAnswer {
    // What a run does: it lives up to its lease.
    try filled.commit { $0.lease = 100_000 }
    let store = try filled.reader()
    return try WhyAnswer(
      WhyQuestion(room: Array(room.utf8), sought: Array(sought.utf8), gift: gift.map { Array($0.utf8) }),
      of: store, configuration: try Configuration.inForce(in: store) ?? .defaults)
  }

  private func fates(_ answer: WhyAnswer) -> [String] {
    answer.events.map { "\($0.row)[\($0.identity?.index ?? -1)] \($0.fate)" }
  }

  private func commands(_ group: WhyAnswer.Group) -> [String] {
    group.commands.map { "\($0.at) \($0.track) \($0.sequence) \($0.operation) \($0.detail)" }
  }

  @Test func anEventWhoseRoomThePayloadSaysIsFoundInThatRoomOnly() throws {
    let filled = try filled("inputs: [{filter: all, kind: gift, roomMember: room}]")
    try filled.message(
      10_000,
      #"[{"id":"e1","sender":"Ann","gift":"rose","room":"r2"},{"id":"e1","sender":"Ann","gift":"rose","room":"r1"}]"#,
      to: "all")
    #expect(try fates(why(filled, "e1")) == ["2[1] accepted(count: 1, group: 0)"])
    #expect(try fates(why(filled, "e1", room: "r2")) == ["2[0] accepted(count: 1, group: 0)"])
    #expect(try fates(why(filled, "e1", room: "r3")) == [])
  }

  @Test func aShownGiftADuplicateAndARefusedOneAreTold() throws {
    let filled = try filled()
    try filled.message(
      10_000,
      #"[{"id":"e1","sender":"Ann","gift":{"id":"rose","price":10},"count":3},{"id":"e2","sender":"Ann"}]"#)
    try filled.message(10_100, #"[{"id":"e1","sender":"Ann","gift":{"id":"rose","price":10},"count":3}]"#)
    let shown = try why(filled, "e1")
    #expect(fates(shown) == ["2[0] accepted(count: 3, group: 0)", "3[0] duplicate"])
    #expect(
      shown.groups.map(commands) == [
        [
          "10000 gift/0 1 show from 0, priority 0", "10300 gift/0 2 count 0 → 3",
          "11500 gift/0 3 hold at 3 until 1970-01-01T00:00:14.500Z", "14500 gift/0 4 hide at 3, expired",
        ]
      ])
    #expect(shown.groups[0].isOver && shown.groups[0].number == 1)
    #expect(
      try fates(why(filled, "e2")) == [
        #"2[1] rejected(reason: "missing-gift", detail: "found no gift with an id, expected a string or an integer")"#
      ])
    #expect(try fates(why(filled, "Ann")).count == 3)
    #expect(try fates(why(filled, "Ann", gift: "car")) == [])
    #expect(try fates(why(filled, "e1", room: "r2")) == [])
  }

  @Test func aRepeatOfATotalAndAnEventWithoutAnIDAreTold() throws {
    let filled = try filled()
    try filled.message(10_000, #"[{"sender":"Ann","gift":"rose","total":3}]"#)
    try filled.message(
      10_050, #"[{"sender":"Bo","gift":"rose"},{"sender":"Ann","gift":"rose","total":3,"end":true}]"#)
    try filled.message(10_100, #"[{"sender":"Ann","gift":"rose","total":5}]"#)
    #expect(
      try fates(why(filled, "Ann")) == [
        "2[0] accepted(count: 3, group: 0)", "3[1] repeated", "4[0] accepted(count: 5, group: 0)",
      ])
  }

  @Test func whatFoldsIsFoundInItsFold() throws {
    let filled = try filled()
    try filled.message(10_000, #"[{"sender":"Ann","gift":"rose"},{"sender":"Bo","gift":"rose","count":7}]"#)
    // Keeps the only track busy until Bo has waited too long.
    for at in stride(from: 10_500, to: 12_500, by: 500) {
      try filled.message(Instant(at), #"[{"sender":"Ann","gift":"rose"}]"#)
    }
    let answer = try why(filled, "Bo")
    #expect(fates(answer) == ["2[1] accepted(count: 7, group: 0)"])
    #expect(answer.groups.map(commands) == [["12000 gift/fold 1 fold 7 of 7 gifts of 1 groups"]])
    #expect(answer.groups[0].folded == 7 && answer.groups[0].isOver)
  }

  @Test func theRestOfACutGroupIsFollowed() throws {
    let filled = try filled("gift: {tracks: 1, maxGroupMs: 1000, foldAfterMs: 0, showMs: 300, stepMs: 900}")
    try filled.message(10_000, #"[{"id":"a","sender":"Ann","gift":"rose"},{"sender":"Bo","gift":"rose"}]"#)
    try filled.message(10_400, #"[{"id":"b","sender":"Ann","gift":"rose","count":2}]"#)
    let answer = try why(filled, "b")
    #expect(answer.groups.map(\.restOf) == [nil, 1])
    #expect(answer.groups.map(\.number) == [1, 3])
    #expect(commands(answer.groups[0]).last == "11200 gift/0 3 hide at 1, cut")
    #expect(commands(answer.groups[1]).contains { $0.hasSuffix("count 1 → 3") })
  }

  @Test func aCommentIsFoundInItsAppend() throws {
    let filled = try filled()
    try filled.message(
      10_000, #"[{"type":"comment","id":"c","sender":"Ann","text":"hi"}]"#, to: "im/r1/batch")
    let answer = try why(filled, "c")
    guard case .taken(let commands) = try #require(answer.events.first).fate else {
      Issue.record("\(answer.events)")
      return
    }
    #expect(commands.map { "\($0.track) \($0.sequence) \($0.operation)" } == ["comment 1 append"])
  }

  @Test func aPayloadThatCannotBeReadIsFoundByItsText() throws {
    let filled = try filled()
    try filled.message(10_000, #"[{"sender":"Ann","gift":"rose"},"#)
    let answer = try why(filled, "Ann")
    #expect(
      fates(answer) == [#"2[-1] rejected(reason: "not-json", detail: "the payload is not JSON (RFC 8259)")"#])
    #expect(answer.page.contains(": a payload that holds the text: rejected, not-json: "))
  }

  @Test func theLedgerAndTheReachAreTold() throws {
    let filled = try filled()
    // In the ledger's zone it is the second of January.
    try filled.message(84_000_000, #"[{"sender":"Ann","gift":"rose"}]"#)
    try filled.gifts("r1", "1970-01-02", "Ann", "rose", 5, 50, row: 2)
    try filled.gifts("r1", "1970-01-02", "Bo", "rose", 1, 10, row: 2)
    try filled.gifts("r1", "1970-01-01", "Ann", "rose", 1, 10, row: 2)
    let page = try why(filled, "Ann").page
    #expect(page.contains("1970-01-02  r1    Ann     rose                5     50  coin\n"), "\(page)")
    #expect(!page.contains("Bo"))
    #expect(
      page.contains(
        "row 2  1970-01-01T23:20:00.000Z  im/r1/gift[0]: gift rose of Ann: accepted, 1 added to group 1\n"))
    #expect(page.hasSuffix("the journal reaches from row 1 (1970-01-01T00:00:01.000Z) to row 2\n"))
  }

  @Test func whatWasCutIsSaidAndTheRestGoesOnFromTheSnapshot() throws {
    let filled = try filled()
    let configuration = try Configuration.read(bytes: Array(Self.quick.utf8), file: "test")
    try filled.message(10_000, #"[{"id":"a","sender":"Ann","gift":"rose"}]"#)
    try filled.message(10_100, #"[{"id":"b","sender":"Ann","gift":"rose"}]"#)
    // The state after row 3, as the daemon saves it.
    var bridge = try Bridge(configuration: configuration)
    var outgoing = OutgoingMessages()
    try filled.store.forEachRow(after: 1, includingPoison: true) { row, topic, payload, _ in
      bridge.receive(topic: topic, payload: payload, at: row.at, into: &outgoing)
      return true
    }
    var header: [UInt8] = []
    _ = bridge.beginSaving(everything: true, header: &header)
    var chunk: [UInt8] = []
    let saved = bridge.saveNext(into: &chunk)
    let number = try #require(saved)
    try filled.commit {
      $0.addChunk(room: Array("\(number)".utf8).span, row: 3, content: chunk.span)
      let all = SnapshotHeader(configuration: configuration.canonicalText, outputDigest: 0, engine: header)
        .bytes
      $0.finishSnapshot(row: 3, header: all.span)
    }
    try filled.message(
      10_200, #"[{"id":"c","sender":"Ann","gift":"rose"},{"id":"b","sender":"Ann","gift":"rose"}]"#)
    // Row 1 goes, rows 2 and 3 are kept as captures.
    while try filled.store.tidy(TidyPlan(journalFrom: 10_000)) {}
    let answer = try why(filled, "Ann")
    #expect(
      fates(answer) == [
        "2[0] beforeStart", "3[0] beforeStart", "4[0] accepted(count: 1, group: 0)", "4[1] duplicate",
      ])
    #expect(answer.groups.map(\.number) == [1])
    #expect(commands(answer.groups[0]).first == "10300 gift/0 2 count 0 → 3")
    #expect(answer.firstRow == 2 && answer.startRow == 3)
    #expect(answer.page.contains("what came before has been cut and cannot be told"))
    #expect(try Configuration.inForce(in: try filled.reader()) == configuration)
  }

  @Test func aProgramReadsJSON() throws {
    let filled = try filled()
    try filled.message(10_000, #"[{"id":"e1","sender":"Ann","gift":"rose"},{"id":"e1","sender":"Ann"}]"#)
    let answer = try why(filled, "e1")
    let json = try JSONValue(answer.json.span)
    #expect(json["events"]?.array?.map { $0["fate"]?.string } == ["accepted", "rejected"])
    #expect(json["events"]?.array?[1]["reason"]?.string == "missing-gift")
    #expect(json["groups"]?.array?[0]["commands"]?.array?.count == 4)
    #expect(json["groups"]?.array?[0]["commands"]?.array?[0]["seq"]?.integer == 1)
    #expect(json["ledger"]?["entries"]?.array == [])
  }

  @Test func anEmptyStoreSaysSo() throws {
    let filled = try FilledStore()
    let store = try filled.reader()
    let answer = try WhyAnswer(
      WhyQuestion(room: [0x72], sought: [0x41]), of: store, configuration: .defaults)
    #expect(answer.page == "nothing of A in room r\nthe journal is empty: no daemon has run on this store\n")
  }
}
