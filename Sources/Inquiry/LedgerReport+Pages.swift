import Base
import Wire

extension LedgerReport {
  /// The answer as an aligned table with its totals, for people.
  public var table: String {
    let hasUnits = entries.contains { !$0.unit.isEmpty }
    var head = columns.map(\.rawValue) + ["count", "value"]
    if hasUnits { head.append("unit") }
    var page = PageTable(head: head, numbers: columns.count..<columns.count + 2)
    func add(_ entry: LedgerEntry, keys: [String]) {
      page.add(keys + ["\(entry.count)", "\(entry.value)"] + (hasUnits ? [entry.unit] : []))
    }
    for entry in entries { add(entry, keys: entry.keys.map { String(decoding: $0, as: UTF8.self) }) }
    page.rule()
    for total in totals {
      // With nothing to add up by, the lines are the totals.
      add(total, keys: columns.isEmpty ? [] : ["total"] + Array(repeating: "", count: columns.count - 1))
    }
    return entries.isEmpty ? "no gifts\n" : page.text
  }

  /// How far the ledger goes, in a sentence.
  public var reachSentence: String {
    let when = reach.instant.map { " (\(Day.text(of: $0)))" } ?? ""
    let whole = "complete: row \(reach.row)\(when) is the last of the journal"
    let backup = reach.isBackup ? "; this is a backup" : ""
    if reach.isWhole || reach.row == reach.lastRow { return whole + backup }
    return
      "complete to row \(reach.row)\(when) of \(reach.lastRow): rows after it are on their way in if the daemon "
      + "runs, and are added by its next start if it does not" + backup
  }

  /// The answer as CSV (RFC 4180) with a head line, without totals.
  public var csv: [UInt8] {
    var page: [UInt8] = []
    func line(_ fields: [[UInt8]]) {
      for (place, field) in fields.enumerated() {
        if place > 0 { page.append(UInt8(ascii: ",")) }
        guard field.contains(where: { "\",\r\n".utf8.contains($0) }) else {
          page.append(contentsOf: field)
          continue
        }
        page.append(UInt8(ascii: "\""))
        for byte in field {
          if byte == UInt8(ascii: "\"") { page.append(byte) }
          page.append(byte)
        }
        page.append(UInt8(ascii: "\""))
      }
      page.append(contentsOf: "\r\n".utf8)
    }
    line((columns.map(\.rawValue) + ["count", "value", "unit"]).map { Array($0.utf8) })
    for entry in entries {
      line(entry.keys + ["\(entry.count)", "\(entry.value)", entry.unit].map { Array($0.utf8) })
    }
    return page
  }

  /// The answer as one JSON document:
  /// `{"completeToRow","completeTo","lastRow","isWhole","isBackup","entries":
  /// [{…,"count","value","unit"}],"totals":[{"count","value","unit"}]}`; each entry stands on a line of its
  /// own.
  public var json: [UInt8] {
    var page: [UInt8] = []
    JSONWriter.append(literal: "{\"completeToRow\":\(reach.row),\"completeTo\":", to: &page)
    JSONWriter.append(literal: reach.instant.map { "\($0)" } ?? "null", to: &page)
    JSONWriter.append(literal: ",\"lastRow\":\(reach.lastRow),\"isWhole\":\(reach.isWhole)", to: &page)
    JSONWriter.append(literal: ",\"isBackup\":\(reach.isBackup),\"entries\":[", to: &page)
    func list(_ entries: [LedgerEntry]) {
      for (place, entry) in entries.enumerated() {
        JSONWriter.append(literal: place == 0 ? "\n{" : ",\n{", to: &page)
        for (column, key) in zip(columns, entry.keys) {
          JSONWriter.append(literal: "\"\(column.rawValue)\":", to: &page)
          JSONWriter.append(string: key.span, to: &page)
          JSONWriter.append(literal: ",", to: &page)
        }
        JSONWriter.append(literal: "\"count\":\(entry.count),\"value\":\(entry.value),\"unit\":", to: &page)
        JSONWriter.append(string: Array(entry.unit.utf8).span, to: &page)
        JSONWriter.append(literal: "}", to: &page)
      }
    }
    list(entries)
    JSONWriter.append(literal: "],\"totals\":[", to: &page)
    list(totals)
    JSONWriter.append(literal: "]}\n", to: &page)
    return page
  }
}
