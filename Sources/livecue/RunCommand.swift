import Base
import CommandLine
import Configuration
import Daemon
import EventLoop
import Glibc
import Telemetry

let runCommand = Subcommand(
  name: "run",
  summary: "Run the daemon: take batches in from the broker and publish the commands.",
  details: """
    It waits for a broker that is not there and comes back after every loss. SIGTERM or SIGINT: it publishes what is
    due and `offline`, and ends within two seconds; a second one ends it at once.
    """,
  flags: [
    ConfigurationOptions.config, ConfigurationOptions.instance,
    Flag(
      "log", "LEVEL", "error, warning, notice, info or debug, instead of the configuration's log.level.",
      choices: LogLevel.allCases.map(\.name)),
    Flag(
      "new-epoch", nil,
      "Number all commands anew: after an old copy of the state directory was put back by hand."),
  ],
  run: { arguments in
    do {
      return try run(arguments)
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

private func run(_ arguments: Arguments) throws -> Int32 {
  let configuration = try ConfigurationOptions.configuration(arguments)
  let log = Log(threshold: try logLevel(arguments, configuration))
  let state = try stateDirectory(configuration).map {
    try StateDirectory(
      path: $0, instance: configuration.instance, durability: configuration.durability,
      newEpoch: arguments.has("new-epoch"))
  }
  // The engine may have lived up to the lease: no earlier instant may come again.
  let clock = WallClock(startingAt: max(WallClock.systemTime, state?.lease ?? .min))
  let loop = try EventLoop(clock: clock)
  let daemon = try Daemon(
    configuration: configuration, state: state, password: try configuration.broker.readPassword(),
    version: version,
    loop: loop, log: log, makeGenerator: { SystemRandomNumberGenerator() })
  // A reader that closes our standard error must not end us.
  signal(SIGPIPE, SIG_IGN)
  try loop.handleSignals([SIGTERM, SIGINT]) { _ in daemon.stop() }
  daemon.stopped = { loop.stop() }
  try daemon.start()
  loop.run()
  return ExitStatus.fine
}

/// Where the daemon records: as configured, or where systemd says; nil: nowhere.
private func stateDirectory(_ configuration: Configuration) -> String? {
  if let configured = configuration.stateDirectory { return configured }
  guard let given = unsafe getenv("STATE_DIRECTORY") else { return nil }
  // Of several, which systemd joins by colons, the first is ours.
  return unsafe String(cString: given).split(separator: ":").first.map(String.init)
}

private func logLevel(_ arguments: Arguments, _ configuration: Configuration) throws -> LogLevel {
  let name = arguments.string("log") ?? configuration.logLevel.rawValue
  guard let level = LogLevel(name: name) else {
    throw UsageError(
      "--log is \"\(name)\": expected one of \(LogLevel.allCases.map(\.name).joined(separator: ", "))")
  }
  return level
}
