import Base
import CommandLine
import Configuration

let checkCommand = Subcommand(
  name: "check", operands: "FILE",
  summary: "Check a configuration, or with --broker what a broker would lose.",
  details: """
    Every error is one line: FILE:LINE:COLUMN: SETTING: what, and what was expected. Without one it prints the
    topics that the daemon would subscribe to and publish on, and warns of what is allowed and probably not meant.

    With --broker it connects as the configuration says, with client ids of its own, beside a running daemon or not: which
    packets the broker takes, what its queue holds for a client that is away (1200 tiny messages on a topic of its
    own), whether our topics are ours to write, who else may come in. It leaves nothing behind. Exit status 1 if
    messages would be lost there.

      livecue check /etc/livecue/livecue.yaml
      livecue check --broker --config /etc/livecue/livecue.yaml
    """,
  flags: [
    Flag("broker", nil, "Look at the broker too; without a FILE with the default settings."),
    Flag("config", "FILE", "The configuration, as in the other commands."),
  ],
  operandCount: 0...1,
  run: { arguments in
    let file = arguments.operands.first ?? arguments.string("config")
    guard arguments.operands.isEmpty || !arguments.has("config") else {
      throw UsageError("FILE and --config: expected one of them")
    }
    guard file != nil || arguments.has("broker") else {
      throw UsageError("livecue check: 0 operands: expected FILE")
    }
    do {
      let configuration =
        try file.map { file throws(ConfigurationErrors) in try Configuration.read(file: file) } ?? .defaults
      let name = file ?? "defaults"
      let advice = ConfigurationAdvice(configuration)
      for error in advice.errors { Terminal.writeError("\(name): \(error)\n") }
      for warning in advice.warnings { Terminal.writeError("\(name): warning: \(warning)\n") }
      guard advice.errors.isEmpty else { return ExitStatus.failed }
      Terminal.write(page(of: configuration, file: name))
      return arguments.has("broker") ? try checkBroker(configuration) : ExitStatus.fine
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

private func checkBroker(_ configuration: Configuration) throws -> Int32 {
  let report = try BrokerCheck(configuration).run()
  Terminal.write(report.page)
  return report.losesMessages ? ExitStatus.failed : ExitStatus.fine
}

private func page(of configuration: Configuration, file: String) -> String {
  var page = "\(file): good\n"
  let broker = configuration.broker
  let security = broker.tls.isEnabled ? " with TLS" : ""
  page += "instance   \(configuration.instance), client \(broker.clientID) "
  page += "at \(broker.host):\(broker.port)\(security)\n"
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
