import Base
import Glibc
import Store

/// Prints how long commits and a replay take on the disk of a directory.
enum Measure {
  static func run(_ directory: String) {
    do throws(StoreError) {
      for durability in Durability.allCases {
        for rows in [1, 20, 200] { try commits(directory, durability, rowsPerTurn: rows) }
      }
      for durability in Durability.allCases { try mix(directory, durability) }
      try replay(directory, rows: 100_000, payloadBytes: 2000)
      try replay(directory, rows: 1_000_000, payloadBytes: 1000)
      try snapshot(directory)
    } catch {
      StoreProbe.fail("\(error)")
    }
  }

  private static func open(_ directory: String, _ durability: Durability) throws(StoreError) -> SQLiteStore {
    for suffix in ["", "-wal", "-shm"] { unsafe unlink(directory + "/livecue.db" + suffix) }
    let store = try SQLiteStore(directory: directory, instance: "main", durability: durability, now: 1)
    try store.start(instance: "main", bootID: "boot", engineVersion: 1)
    return store
  }

  private static func commits(
    _ directory: String, _ durability: Durability, rowsPerTurn: Int
  ) throws(StoreError) {
    let store = try open(directory, durability)
    var turn = TurnRecord()
    let turns = max(2000 / rowsPerTurn, 400) * (durability == .process ? 4 : 1)
    var times: [Double] = []
    let before = processorSeconds()
    for number in 0..<turns {
      turn.removeAll()
      fill(&turn, number: number, rows: rowsPerTurn, payloadBytes: 2000)
      let start = seconds()
      try store.commit(turn)
      times.append(seconds() - start)
    }
    let processor = processorSeconds() - before
    times.sort()
    let total = times.reduce(0, +)
    let text =
      "commit \(durability) rows=\(rowsPerTurn): \(Int(Double(turns) / total))/s,"
      + " mean \(micro(total / Double(turns))) p50 \(micro(times[turns / 2]))"
      + " p99 \(micro(times[turns * 99 / 100])) max \(micro(times[turns - 1])) µs,"
      + " processor \(micro(processor / Double(turns)))"
    print(text)
  }

  /// A batch of the usual mix each turn, over 1 000 rooms: its row, 12 gifts and 6 topics of the turn before.
  private static func mix(_ directory: String, _ durability: Durability) throws(StoreError) {
    let store = try open(directory, durability)
    var turn = TurnRecord()
    var times: [Double] = []
    let before = processorSeconds()
    for number in 0..<5000 {
      turn.removeAll()
      fill(&turn, number: number, rows: 1, payloadBytes: 2000)
      turn.completedRow = store.state.lastRow
      let room = Array("room-\(number * 7919 % 1000)".utf8)
      for gift in 0..<12 {
        let sender = Array("sender-\(number * 31 + gift * 17 % 200)".utf8)
        turn.addLedger(
          room: room.span, day: 20_000, sender: sender.span, gift: Array("rose".utf8).span,
          receiver: [UInt8]().span, count: 1, value: 10)
      }
      for track in 0..<6 {
        let topic = Array("cue/room-\(number * 7919 % 1000)/gift/\(track)".utf8)
        turn.addPosition(topic: topic.span, epoch: 1, sequence: Int64(number + 1))
      }
      let start = seconds()
      try store.commit(turn)
      times.append(seconds() - start)
    }
    times.sort()
    print(
      "mix \(durability): p50 \(micro(times[2500])) p99 \(micro(times[4950])) max \(micro(times[4999])) µs,",
      "processor \(micro((processorSeconds() - before) / 5000))")
  }

  private static func replay(_ directory: String, rows: Int, payloadBytes: Int) throws(StoreError) {
    try write(directory, rows: rows, payloadBytes: payloadBytes)
    let start = seconds()
    let store = try SQLiteStore(directory: directory, instance: "main", durability: .process, now: 1)
    let opened = seconds()
    let before = processorSeconds()
    var bytes = 0
    try store.forEachRow(after: 0, includingPoison: false) { (_, topic, payload, _) in
      bytes += topic.count + payload.count
      return true
    }
    let end = seconds()
    print(
      "open \(micro(opened - start)) µs; replay read of \(rows) rows, \(bytes >> 20) MiB:",
      "\(end - opened) s, processor \(processorSeconds() - before)")
    try store.start(instance: "main", bootID: "boot", engineVersion: 1)
    var turn = TurnRecord()
    turn.finishSnapshot(row: store.state.lastRow, header: [1].span)
    try store.commit(turn)
    var times: [Double] = []
    var more = true
    while more {
      let start = seconds()
      more = try store.tidy(TidyPlan())
      times.append(seconds() - start)
    }
    times.sort()
    print("tidy of \(rows) rows:", summary(times))
  }

  private static func write(_ directory: String, rows: Int, payloadBytes: Int) throws(StoreError) {
    let store = try open(directory, .process)
    var turn = TurnRecord()
    for number in 0..<rows / 200 {
      turn.removeAll()
      fill(&turn, number: number, rows: 200, payloadBytes: payloadBytes)
      try store.commit(turn)
    }
    let sizes = try store.sizes()
    print("journal \(rows) rows of \(payloadBytes): \(store.state.journalBytes >> 20) MiB in \(sizes)")
  }

  private static func snapshot(_ directory: String) throws(StoreError) {
    let store = try open(directory, .power)
    let content = [UInt8](repeating: 7, count: 15_000)
    var turn = TurnRecord()
    for pass in 0..<3 {
      var times: [Double] = []
      for number in 0..<1000 {
        turn.removeAll()
        fill(&turn, number: number, rows: 1, payloadBytes: 2000)
        for room in 0..<10 {
          turn.addChunk(
            room: Array("room-\(number * 10 + room)".utf8).span, row: store.state.lastRow,
            content: content.span)
        }
        if number == 999 { turn.finishSnapshot(row: store.state.lastRow, header: content.span) }
        let start = seconds()
        try store.commit(turn)
        times.append(seconds() - start)
      }
      times.sort()
      print("snapshot \(pass), turns with 10 chunks of 15 KB:", summary(times))
      times.removeAll()
      var more = true
      while more {
        let start = seconds()
        more = try store.tidy(TidyPlan())
        times.append(seconds() - start)
      }
      times.sort()
      print("  tidy:", summary(times))
    }
    let start = seconds()
    var count = 0
    _ = try store.readSnapshot(header: { _ in }) { (_, _, content) in
      count += content.count
      return true
    }
    print("snapshot read, \(count >> 20) MiB: \(seconds() - start) s; \(try store.sizes())")
  }

  private static func fill(_ turn: inout TurnRecord, number: Int, rows: Int, payloadBytes: Int) {
    var payload = [UInt8](repeating: UInt8(ascii: "x"), count: payloadBytes)
    for row in 0..<rows {
      payload[0] = UInt8(truncatingIfNeeded: row)
      payload[1] = UInt8(truncatingIfNeeded: number)
      let topic = Array("im/room-\(row % 100)/gift".utf8)
      turn.addMessage(
        at: Int64(number), topic: topic.span, payload: payload.span,
        messageID: UInt16(truncatingIfNeeded: number * rows + row) | 1,
        digest: Digest(topic: topic.span, payload: payload.span), properties: [UInt8]().span)
    }
    turn.lease = Int64(number) + 1000
  }

  private static func seconds() -> Double { seconds(CLOCK_MONOTONIC) }

  /// Time on a processor, which says more than the clock on a machine that others use too.
  private static func processorSeconds() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var now = timespec()
    unsafe clock_gettime(clock, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  private static func summary(_ sorted: [Double]) -> String {
    let last = sorted.count - 1
    return "\(sorted.count) calls, p50 \(micro(sorted[last / 2])) p99 \(micro(sorted[last * 99 / 100]))"
      + " max \(micro(sorted[last])) µs"
  }

  private static func micro(_ seconds: Double) -> Int { Int(seconds * 1e6) }
}
