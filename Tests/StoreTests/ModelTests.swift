import Base
import Simulation
import Testing

@testable import Store

/// What a store must hold, in plain arrays and dictionaries.
private struct Model {
  var rows: [SeenRow] = []
  var lastRow: Int64 = 0
  var poison: [SeenRow] = []
  var pairs: [SeenPair] = []
  var ledger: [String: Int64] = [:]
  var positions: [String: (row: Int64, text: String)] = [:]
  var valid: [String: String] = [:]
  var header: String?
  var snapshotRow: Int64 = 0
  var building: [String: String?] = [:]
  var buildingFrom: Int64 = 0
  var completedRow: Int64 = 0

  var skipping: Set<Int64> { Set(poison.map(\.id)) }

  var ledgerLines: [String] { ledger.keys.sorted().map { "\($0) \(ledger[$0] ?? 0) 0" } }

  var snapshotLines: [String] {
    guard let header else { return [] }
    return ["\(snapshotRow)", "header \(header)"] + valid.keys.sorted().map { "\($0) \(valid[$0] ?? "")" }
  }
}

/// Does the same to a store and to its model.
private struct ModelRun {
  var random: SplitMix
  var model = Model()
  let scratch: Scratch
  private var stores: [SQLiteStore]
  var now: Instant = 0

  init(seed: UInt64) throws {
    random = SplitMix(seed: seed)
    scratch = try Scratch()
    stores = [try scratch.open()]
  }

  var store: SQLiteStore { stores[0] }

  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func step() throws {
    switch pick(0...19) {
    case 0: try reopen()
    case 1: try flagPoison()
    case 2: try abandon()
    case 3...5: try tidy()
    case 6...7: try commit(onFullDisk: true)
    default: try commit(onFullDisk: false)
    }
  }

  private mutating func reopen() throws {
    // The old one first, so that it gives back its lock.
    stores.removeAll()
    stores.append(try scratch.open())
    model.building = [:]
    model.buildingFrom = model.lastRow
  }

  private mutating func flagPoison() throws {
    guard model.lastRow > 0 else { return }
    let row = Int64(pick(1...Int(model.lastRow)))
    let known = model.rows.first { $0.id == row }
    let isNew = known != nil && !model.skipping.contains(row)
    #expect(try store.flagPoison(row: row) == isNew)
    if isNew, let known { model.poison = (model.poison + [known]).sorted { $0.id < $1.id } }
  }

  private mutating func abandon() throws {
    try store.abandonSnapshot()
    model.building = [:]
    model.buildingFrom = model.lastRow
  }

  private mutating func tidy() throws {
    let keep = now - Instant(pick(0...20))
    let plan = TidyPlan(journalFrom: keep, limit: pick(1...10))
    let hasMore = try store.tidy(plan)
    let cut = model.rows.prefix { $0.id <= model.snapshotRow && $0.at < keep }.count
    model.rows.removeFirst(model.header == nil ? 0 : min(cut, plan.limit))
    if model.header != nil, cut > plan.limit { #expect(hasMore) }
  }

  private mutating func commit(onFullDisk: Bool) throws {
    var next = model
    var turn = TurnRecord()
    now += Instant(pick(0...3))
    addRows(to: &turn, &next)
    addResults(to: &turn, &next)
    addParts(to: &turn, &next)
    guard onFullDisk else {
      try store.commit(turn)
      model = next
      return
    }
    // A row that needs more pages than there are comes last, so that all the rest has been written.
    let unused = try store.database.integer("PRAGMA freelist_count")
    turn.message(now, String(repeating: "z", count: Int(unused + 10) * 8192))
    let pages = try store.database.integer("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count = \(pages)")
    let error = storeError { try store.commit(turn) }
    try store.database.execute("PRAGMA max_page_count = 1000000")
    guard case .diskFull = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  private mutating func addRows(to turn: inout TurnRecord, _ next: inout Model) {
    for _ in 0..<pick(0...6) {
      next.lastRow += 1
      if pick(0...40) == 0 {
        turn.addSessionLost(at: now)
        next.pairs = []
        next.rows.append(
          SeenRow(
            id: next.lastRow, at: now, kind: .sessionLost, messageID: 0, topic: "", payload: "",
            properties: ""))
        continue
      }
      let payload = String(repeating: "p\(next.lastRow)", count: pick(0...pick(0...2000)))
      let topic = "im/r\(pick(0...5))/gift"
      let messageID = UInt16(pick(0...3))
      let properties = String(repeating: "q", count: pick(0...2))
      turn.message(now, payload, topic: topic, messageID: messageID, properties: properties)
      next.rows.append(
        SeenRow(
          id: next.lastRow, at: now, kind: .message, messageID: messageID, topic: topic, payload: payload,
          properties: properties))
      if messageID != 0 { next.pairs.append(SeenPair(messageID: messageID, digest: digest(topic, payload))) }
    }
  }

  private mutating func addResults(to turn: inout TurnRecord, _ next: inout Model) {
    next.completedRow = model.lastRow
    turn.completedRow = model.lastRow
    for _ in 0..<pick(0...4) {
      let (room, sender, gift) = ("r\(pick(0...2))", "s\(pick(0...3))", "g\(pick(0...1))")
      let count = Int64(pick(1...9))
      turn.ledger(room, 1, sender, gift, "", count)
      next.ledger["1 \(room) \(sender) \(gift) ", default: 0] += count
    }
    for _ in 0..<pick(0...3) {
      let (topic, sequence) = ("t\(pick(0...9))", Int64(pick(1...99)))
      turn.position(topic, 1, sequence)
      next.positions[topic] = (next.lastRow, "\(topic) 1 \(sequence)")
    }
  }

  private mutating func addParts(to turn: inout TurnRecord, _ next: inout Model) {
    for _ in 0..<pick(0...2) {
      let room = "room\(pick(0...6))"
      if pick(0...5) == 0 {
        turn.leave(room, model.lastRow)
        next.building[room] = .some(nil)
      } else {
        let content = String(repeating: "c", count: pick(0...3000))
        turn.chunk(room, model.lastRow, content)
        next.building[room] = .some("\(model.lastRow) \(content)")
      }
    }
    guard pick(0...9) == 0 else { return }
    let header = "h\(pick(0...99))"
    turn.finish(model.buildingFrom, header)
    next.header = header
    next.snapshotRow = model.buildingFrom
    for (room, content) in next.building { next.valid[room] = content }
    next.building = [:]
    next.buildingFrom = model.lastRow
  }

  func check(_ comment: Comment) throws {
    #expect(store.state.lastRow == model.lastRow, comment)
    #expect(store.state.completedRow == model.completedRow, comment)
    #expect(store.state.journalRows == Int64(model.rows.count), comment)
    let bytes = model.rows.map { 40 + $0.topic.utf8.count + $0.payload.utf8.count + $0.properties.utf8.count }
    #expect(store.state.journalBytes == Int64(bytes.reduce(0, +)), comment)
    let from = store.state.firstRow - 1
    let rows = try store.rows(after: from, includingPoison: true)
    #expect(rows == model.rows, comment)
    let wanted = model.rows.filter { !model.skipping.contains($0.id) }
    #expect(try store.rows(after: from) == wanted, comment)
    #expect(try store.poisonRows() == model.poison, comment)
    #expect(try store.pairs() == model.pairs, comment)
    #expect(try store.ledgerLines() == model.ledgerLines, comment)
    let positions = Set(try store.positions())
    for (row, text) in model.positions.values {
      // Behind the snapshot it may be forgotten, and is some time.
      #expect(positions.contains(text) || row < store.state.snapshotRow ?? 0, comment)
    }
    #expect(positions.isSubset(of: model.positions.values.map(\.text)), comment)
    #expect(try store.snapshot() == model.snapshotLines, comment)
  }
}

@Suite struct ModelTests {
  @Test func randomTurnsMatchAModel() throws {
    let first = SplitMix.seed()
    for seed in first..<first + 6 {
      var run = try ModelRun(seed: seed)
      for step in 0..<150 {
        try run.step()
        if step % 5 == 0 { try run.check("repeat with LIVECUE_SEED=\(seed), step \(step)") }
      }
      try run.check("repeat with LIVECUE_SEED=\(seed), at the end")
      let integrity = try run.store.database.prepare("PRAGMA integrity_check")
      #expect(try integrity.step() && integrity.text(0) == "ok", "seed \(seed)")
    }
  }
}
