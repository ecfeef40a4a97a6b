import CommandLine
import Inquiry

let whyCommand = Subcommand(
  name: "why", operands: "ROOM EVENT-ID|SENDER",
  summary: "Tell from the journal what became of an event, or of all that a sender gave.",
  details: """
    Handles the journal again and tells of each event that was found: its row, whether it was accepted, a duplicate or
    refused and why, the group that it joined with all commands of that by topic and seq, and its line of the ledger.
    It works while the daemon runs, on a stopped store, and on a backup. A message that the broker sent twice was known
    before it had a row, and has only one. Exit status 1 if nothing is found.

      livecue why lobby e-1 --config /etc/livecue/livecue.yaml
      livecue why lobby Ann --gift rose --state /var/lib/livecue
    """,
  flags: StoreOptions.flags + [
    Flag("gift", "ID", "Only gifts of this id."),
    Flag("json", nil, "One JSON object with \"events\", \"groups\" and \"ledger\"."),
  ],
  operandCount: 2...2,
  run: { arguments in
    let question = WhyQuestion(
      room: try roomName(arguments.operands[0], "ROOM"), sought: Array(arguments.operands[1].utf8),
      gift: arguments.string("gift").map { Array($0.utf8) })
    guard !question.sought.isEmpty else { throw UsageError("EVENT-ID|SENDER is empty: expected an id") }
    let store = try StoreOptions.open(arguments)
    let answer = try WhyAnswer(
      question, of: store, configuration: try StoreOptions.configuration(arguments, of: store))
    Terminal.write(arguments.has("json") ? answer.json : Array(answer.page.utf8))
    return answer.events.isEmpty ? ExitStatus.failed : ExitStatus.fine
  })
