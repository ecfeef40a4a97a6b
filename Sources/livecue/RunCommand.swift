import Base
import CommandLine
import Configuration
import Daemon
import EventLoop
import Glibc
import Simulation
import Telemetry

let runCommand = Subcommand(
  name: "run",
  summary: "Run the daemon: take batches in from the broker and publish the commands.",
  details: """
    It waits for a broker that is not there and comes back after every loss. SIGTERM or SIGINT: it publishes what is
    due and `offline`, and ends within two seconds; a second one ends it at once. SIGHUP: it reads its configuration
    again; combos and connections go on, mistakes are told and the old one stays.
    """,
  flags: [
    ConfigurationOptions.config, ConfigurationOptions.instance,
    Flag(
      "capture", "FILE",
      "Append what comes in to a file that `simulate` and `replay` read; .gz: compressed, once a second."),
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
  let log = Log(
    threshold: try logLevel(arguments, configuration),
    format: .ofStandardError(isJSON: configuration.logFormat == .json))
  let state = try StoreOptions.directory(configuration).map {
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
  let capture = try arguments.string("capture").map {
    CaptureObserver(try CaptureRecorder(path: $0), loop: loop, log: log)
  }
  daemon.observer = capture
  // A reader that closes our standard error must not end us, nor a file that may grow no further: that is
  // told.
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  try loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { signal in
    guard signal == SIGHUP else {
      StopGuard.arm()
      return daemon.stop()
    }
    reload(daemon, arguments, log)
  }
  daemon.stopped = {
    capture?.close()
    loop.stop()
  }
  try daemon.start()
  loop.run()
  return ExitStatus.fine
}

/// Reads the configuration's file again.
private func reload(_ daemon: Daemon, _ arguments: Arguments, _ log: Log) {
  daemon.reload { () throws(ConfigurationErrors) in try ConfigurationOptions.configurationAgain(arguments) }
  // A level of the command line stands above the file's.
  if arguments.string("log") == nil, let level = LogLevel(name: daemon.configuration.logLevel.rawValue) {
    log.threshold = level
  }
}

private func logLevel(_ arguments: Arguments, _ configuration: Configuration) throws -> LogLevel {
  let name = arguments.string("log") ?? configuration.logLevel.rawValue
  guard let level = LogLevel(name: name) else {
    throw UsageError(
      "--log is \"\(name)\": expected one of \(LogLevel.allCases.map(\.name).joined(separator: ", "))")
  }
  return level
}
