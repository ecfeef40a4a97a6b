import Base
import CommandLine
import Configuration

let checkCommand = Subcommand(
  name: "check", operands: "FILE",
  summary: "Check a configuration and say everything that is wrong with it.",
  details: """
    Every error is one line: FILE:LINE:COLUMN: SETTING: what, and what was expected. Without one it prints the
    topics that the daemon would subscribe to and publish on.
    """,
  flags: [],
  operandCount: 1...1,
  run: { arguments in
    do {
      let configuration = try Configuration.read(file: arguments.operands[0])
      Terminal.write(page(of: configuration, file: arguments.operands[0]))
      return ExitStatus.fine
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

private func page(of configuration: Configuration, file: String) -> String {
  var page = "\(file): good\n"
  let broker = configuration.broker
  page += "instance   \(configuration.instance), client \(broker.clientID) at \(broker.host):\(broker.port)\n"
  for input in configuration.inputs {
    page += "input      \(input.filter): \(input.kind?.name ?? "batch"), profile \(input.profile.name)\n"
  }
  page += "output     \(configuration.outputs.roomPrefix)/{room}/…, "
  page += "\(configuration.outputs.instancePrefix)/\(configuration.instance)/…\n"
  if !configuration.roomPlans.isEmpty {
    page += "rooms      \(configuration.roomPlans.count) with settings of their own\n"
  }
  if !configuration.allowedRooms.isEmpty {
    page += "allowed    \(configuration.allowedRooms.count) rooms, no others\n"
  }
  return page
}
