import CommandLine
import Glibc

/// The version of this build; `CHANGELOG.md` tells what is in it.
let version = "0.1.0"

/// Every subcommand, in the order of the help page.
let subcommands: [Subcommand] = [
  runCommand, checkCommand, profileCommand, statusCommand, controlCommand, simulateCommand, replayCommand,
  sendCommand, watchCommand, overlayCommand, ledgerCommand, whyCommand, backupCommand, demoCommand,
  manCommand,
  completionsCommand,
]

func runCommandLine() -> Int32 {
  let words = Swift.CommandLine.arguments.dropFirst()
  guard let name = words.first else {
    Terminal.writeError(Usage.overview(of: subcommands, version: version))
    return ExitStatus.wrongUse
  }
  switch name {
  case "--help", "-h", "help":
    Terminal.write(Usage.overview(of: subcommands, version: version))
    return ExitStatus.fine
  case "--version":
    Terminal.write("livecue \(version)\n")
    return ExitStatus.fine
  default: break
  }
  guard let subcommand = subcommands.first(where: { $0.name == name }) else {
    let known = subcommands.map(\.name).joined(separator: ", ")
    Terminal.writeError("livecue: no command \"\(name)\"; there are \(known)\n")
    return ExitStatus.wrongUse
  }
  do {
    let arguments = try OptionParser.parse(Array(words.dropFirst()), for: subcommand)
    if arguments.has("help") {
      Terminal.write(Usage.page(of: subcommand))
      return ExitStatus.fine
    }
    return try subcommand.run(arguments)
  } catch let error as UsageError {
    Terminal.writeError("\(error.message)\n'livecue \(name) --help' tells more\n")
    return ExitStatus.wrongUse
  } catch {
    Terminal.writeError("livecue \(name): \(error)\n")
    return ExitStatus.failed
  }
}

// Not `exit`: its handlers tear libraries down, OpenSSL among them, and an attempt to connect that was let go
// may still be in the midst of one on its thread. Nothing of ours is left to be written: all of it goes past
// stdio.
_exit(runCommandLine())
