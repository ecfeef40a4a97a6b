import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import Overlay
import Systemd
import Telemetry

let overlayCommand = Subcommand(
  name: "overlay",
  summary: "Serve the overlay page, and each room's commands as a stream for browsers.",
  details: """
    /overlay?room=ROOM is the page for OBS and browsers, / the studio that sends tests, /rooms/ROOM/events the commands
    as server-sent events. It listens on overlay.listen of the configuration (127.0.0.1:9760) and is a process of its
    own: any number of them may run beside the daemon. Ctrl-C ends it.
    """,
  flags: BrokerOptions.flags + [
    Flag("listen", "ADDRESS", "Where it listens, instead of overlay.listen.")
  ],
  run: { arguments in
    do {
      return try overlay(arguments)
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

private func overlay(_ arguments: Arguments) throws -> Int32 {
  let (configuration, broker) = try BrokerOptions.configuration(arguments)
  var plan = configuration.overlay
  if let text = arguments.string("listen") {
    guard let address = ListenAddress(anywhere: text) else {
      throw UsageError(
        "--listen is \"\(text)\": expected 127.0.0.1:PORT, [::1]:PORT, IPv4:PORT or the path of a socket")
    }
    plan.listen = address
  }
  guard plan.listen.isLocal || plan.tokenFile != nil else {
    throw UsageError(
      "\(plan.listen) can be reached by other machines: expected overlay.tokenFile in the configuration")
  }
  let log = Log(
    threshold: LogLevel(name: configuration.logLevel.rawValue) ?? .info,
    format: .ofStandardError(isJSON: configuration.logFormat == .json))
  let loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
  let gateway = try Gateway(
    plan, outputs: configuration.outputs,
    settings: try BrokerOptions.settings(broker, purpose: "overlay"), token: try plan.readToken(), loop: loop,
    log: log, generator: SystemRandomNumberGenerator())
  signal(SIGPIPE, SIG_IGN)
  let notifier = SystemdNotifier()
  let watchdog = notifier.watchdogMilliseconds.map { limit in
    Watchdog(limitMilliseconds: limit, loop: loop) { notifier.watchdog() }
  }
  gateway.subscriptionChanged = { isSubscribed in
    notifier.status(isSubscribed ? "subscribed" : "not subscribed")
  }
  try loop.handleSignals([SIGTERM, SIGINT]) { _ in
    notifier.stopping()
    gateway.stop()
    loop.stop()
  }
  Terminal.write("studio at \(address(of: gateway))\n")
  gateway.start()
  // It listens. A broker that is away must not keep it from being ready, or systemd would start it anew for
  // ever.
  notifier.ready()
  notifier.status("not subscribed")
  watchdog?.start()
  loop.run()
  log.flush()
  return ExitStatus.fine
}

/// The studio's address for a browser on this machine, or the socket's path.
func address(of gateway: Gateway) -> String {
  if case .socket(let path) = gateway.address { return path }
  return "http://\(gateway.address)/"
}
