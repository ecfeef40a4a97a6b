import CommandLine
import Store

let backupCommand = Subcommand(
  name: "backup", operands: "FILE",
  summary: "Copy the store to one consistent file, while the daemon runs or not.",
  details: """
    The copy can be read by `ledger`, `why` and `simulate --journal`. To go on from it, put it into an empty state
    directory as \(SQLiteStore.fileName); what was published after the copy is not in it.

      livecue backup --config /etc/livecue/livecue.yaml /var/backups/livecue-monday.db
    """,
  flags: StoreOptions.flags + [
    Flag(
      "overwrite", nil,
      "Put the copy in the place of FILE if that is there; FILE stays until the copy is whole.")
  ],
  operandCount: 1...1,
  run: { arguments in
    let store = try StoreOptions.open(arguments)
    let path = arguments.operands[0]
    if arguments.has("overwrite") {
      try store.backUp(replacing: path)
    } else {
      try store.backUp(to: path)
    }
    let copy = try SQLiteStore(reading: path)
    let bytes = try copy.sizes().databaseBytes
    Terminal.write("\(path): \(bytes) bytes, the journal to row \(copy.state.lastRow)\n")
    return ExitStatus.fine
  })
