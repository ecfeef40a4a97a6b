import Base
import CommandLine
import Configuration
import Glibc
import Inquiry
import Wire

let ledgerCommand = Subcommand(
  name: "ledger",
  summary: "Print who gave what: counts and values from the store, while the daemon runs or not.",
  details: """
    Without --by every line of the ledger: day, room, sender, gift, receiver. The days are those of the configured zone
    (state.dayOffsetMinutes). Values of rooms with different price units (ledger.priceUnit) are never added up. What a
    running daemon has accepted is here after a tenth of a second; the last line, in CSV a line on standard error, says
    up to which row of the journal the ledger is complete.

      livecue ledger --config /etc/livecue/livecue.yaml --by sender --from 2024-07-01 --to 2024-07-31
      livecue ledger --state backup.db --by day,gift --csv
    """,
  flags: StoreOptions.flags + [
    Flag("room", "ROOM", "Only this room."),
    Flag("from", "DAY", "Not before this day, as YYYY-MM-DD."),
    Flag("to", "DAY", "Not after this day."),
    Flag("by", "COLUMNS", "Add up by these: day, room, sender, gift or receiver; several with commas."),
    Flag("csv", nil, "CSV with a head line (RFC 4180), without the totals."),
    Flag("json", nil, "One JSON object with \"entries\", \"totals\" and how far they go."),
  ],
  run: { arguments in
    guard !(arguments.has("csv") && arguments.has("json")) else {
      throw UsageError("--csv and --json: expected one of them")
    }
    let question = try ledgerQuestion(arguments)
    let store = try StoreOptions.open(arguments)
    let configuration = try StoreOptions.configuration(arguments, of: store)
    let report = try LedgerReport(question, of: store) { configuration.priceUnit(forRoom: $0) }
    var page = Array("\(report.table)\(report.reachSentence)\n".utf8)
    if arguments.has("json") { page = report.json }
    if arguments.has("csv") {
      page = report.csv
      Terminal.writeError("\(report.reachSentence)\n")
    }
    guard Terminal.write(page) else {
      Terminal.writeError("livecue ledger: cannot write: \(unsafe String(cString: strerror(errno)))\n")
      return ExitStatus.failed
    }
    return ExitStatus.fine
  })

private func ledgerQuestion(_ arguments: Arguments) throws -> LedgerQuestion {
  var question = LedgerQuestion()
  if let room = arguments.string("room") { question.room = try roomName(room, "--room") }
  question.from = try day(arguments, "from")
  question.to = try day(arguments, "to")
  if let from = question.from, let to = question.to, to < from {
    throw UsageError("--to \(to.text) is before --from \(from.text): expected no earlier day")
  }
  guard let words = arguments.string("by") else { return question }
  question.columns = []
  for word in words.split(separator: ",", omittingEmptySubsequences: false) {
    guard let column = LedgerColumn(rawValue: String(word)) else {
      let known = LedgerColumn.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--by is \"\(words)\": expected some of \(known), with commas between them")
    }
    if !question.columns.contains(column) { question.columns.append(column) }
  }
  return question
}

private func day(_ arguments: Arguments, _ flag: String) throws(UsageError) -> Day? {
  guard let text = arguments.string(flag) else { return nil }
  guard let day = Day(text) else {
    throw UsageError("--\(flag) is \"\(text)\": expected a day as YYYY-MM-DD")
  }
  return day
}

/// A room's name as it stands on the command line.
func roomName(_ text: String, _ option: String) throws(UsageError) -> [UInt8] {
  let name = Array(text.utf8)
  guard TopicLayout.isRoomName(name.span, name.indices) else {
    throw UsageError("\(option) is \"\(text)\": expected 1-128 bytes without control characters and + # /")
  }
  return name
}
