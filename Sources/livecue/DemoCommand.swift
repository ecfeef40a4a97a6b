import Base
import CommandLine
import Configuration
import Daemon
import EventLoop
import Glibc
import HTTP
import MQTT
import Overlay
import PrivateBroker
import Telemetry

let demoCommand = Subcommand(
  name: "demo",
  summary: "Play a captured room through a private broker and a daemon, and print the commands.",
  details: """
    Starts a mosquitto of its own on a free loopback port (or uses --broker), the daemon, the overlay's page, a
    publisher that replays the capture over and over, and a subscriber that prints each command on a line. All of it
    ends with this command.
    """,
  flags: [
    Flag("broker", "HOST:PORT", "A broker that is there, instead of a private one."),
    Flag("capture", "FILE", "The capture (default Tests/Captures/douyin-calm.jsonl.gz)."),
    ConfigurationOptions.profile,
    Flag(
      "listen", "ADDRESS",
      "Where the overlay's page is (default 127.0.0.1:9760; another port if that is taken)."),
    Flag("speed", "N", "How many times as fast as it was captured (default 5)."),
    Flag("seconds", "N", "End by itself after N seconds; 0 (default): at Ctrl-C."),
  ],
  run: { arguments in
    let demo = try Demo(arguments)
    return try demo.run()
  })

/// A broker, a daemon, a publisher and a subscriber in one event loop.
private final class Demo {
  private let loop: EventLoop
  private let log = Log(threshold: .notice)
  private let broker: PrivateBroker?
  private let daemon: Daemon
  private let watcher: Watcher
  private let replayer: Replayer
  private let gateway: Gateway
  private let seconds: Int
  private var fault: String?

  init(_ arguments: Arguments) throws {
    seconds = try arguments.integer("seconds", in: 0...1_000_000) ?? 0
    let speed = try arguments.decimal("speed", in: 0.001...1_000_000) ?? 5
    loop = try EventLoop(clock: WallClock(startingAt: WallClock.systemTime))
    var place = BrokerPlan()
    if arguments.has("broker") {
      broker = nil
      place = try BrokerOptions.configuration(arguments).1
    } else {
      let broker = try PrivateBroker()
      self.broker = broker
      place.host = "127.0.0.1"
      place.port = Int(broker.port)
    }
    let profile = try ConfigurationOptions.profileFile(named: arguments.string("profile") ?? "douyin-capture")
    let configuration = try Demo.configuration(place, profileFile: profile)
    daemon = try Daemon(
      configuration: configuration, state: nil, password: nil, version: version, loop: loop, log: log,
      makeGenerator: { SystemRandomNumberGenerator() })
    watcher = try Watcher(
      filters: ["\(configuration.outputs.roomPrefix)/+/#"],
      settings: try BrokerOptions.settings(configuration.broker, purpose: "watch"), loop: loop, log: log)
    gateway = try Demo.gateway(configuration, arguments, loop, log)
    let capture = arguments.string("capture") ?? "Tests/Captures/douyin-calm.jsonl.gz"
    replayer = try Replayer(
      ReplayPlan(paths: [capture], speed: .times(speed), repeats: true),
      settings: try BrokerOptions.settings(configuration.broker, purpose: "replay"), loop: loop)
    Terminal.write("broker at \(place.host):\(place.port); subscribe too: ")
    Terminal.write("mosquitto_sub -h \(place.host) -p \(place.port) -t 'cue/#' -v\n")
    Terminal.write("open the studio: \(address(of: gateway))\n")
  }

  func run() throws -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    try loop.handleSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
    if seconds > 0 {
      loop.schedule(at: loop.clock.now + Int64(seconds) * 1000) { [unowned self] in stop() }
    }
    daemon.stopped = { [unowned self] in loop.stop() }
    replayer.failed = { [unowned self] reason in
      fault = reason
      stop()
    }
    replayer.lineRefused = { Terminal.writeError("livecue demo: \($0)\n") }
    watcher.outputEnded = { [unowned self] code in
      fault = code == EPIPE ? "nobody reads what is printed" : Terminal.outputFault(code)
      stop()
    }
    // The first command must not be over before somebody watches, nor the first batch before it is served.
    watcher.subscribed = { [unowned self] in
      do {
        try daemon.start()
      } catch {
        fault = "\(error)"
        stop()
      }
    }
    daemon.servingBegan = { [unowned self] in replayer.start() }
    gateway.start()
    watcher.start()
    loop.run()
    try broker?.stop()
    guard let fault else { return ExitStatus.fine }
    Terminal.writeError("livecue demo: \(fault)\n")
    return ExitStatus.failed
  }

  private func stop() {
    replayer.stop()
    gateway.stop()
    daemon.stop()
  }

  /// What serves the studio: without `--listen` on the usual port, or on any if that is taken.
  private static func gateway(
    _ configuration: Configuration, _ arguments: Arguments, _ loop: EventLoop, _ log: Log
  ) throws -> Gateway {
    func gateway(at address: ListenAddress) throws -> Gateway {
      var plan = configuration.overlay
      plan.listen = address
      return try Gateway(
        plan, outputs: configuration.outputs,
        settings: try BrokerOptions.settings(configuration.broker, purpose: "overlay"), token: nil,
        loop: loop, log: log, generator: SystemRandomNumberGenerator())
    }
    guard let text = arguments.string("listen") else {
      do {
        return try gateway(at: configuration.overlay.listen)
      } catch HTTPFault.addressInUse {
        return try gateway(at: .port4(0))
      }
    }
    guard let address = ListenAddress(text) else {
      throw UsageError("--listen is \"\(text)\": expected 127.0.0.1:PORT, [::1]:PORT or the path of a socket")
    }
    return try gateway(at: address)
  }

  /// The defaults, with the capture's profile, a stage for the studio's rockets, and a session that the
  /// broker soon forgets.
  private static func configuration(_ broker: BrokerPlan, profileFile: String) throws -> Configuration {
    let profile = try Profile.read(file: profileFile)
    guard let resolved = unsafe realpath(profileFile, nil) else {
      throw UsageError("\(profileFile): not there")
    }
    defer { unsafe free(resolved) }
    let inputs = EventKind.allCases.filter { $0 != .remove }.map { kind in
      "  - {filter: \"im/{room}/\(kind.name)\", kind: \(kind.name), profile: \(profile.name)}\n"
    }
    let text = """
      instance: demo-\(getpid())
      metrics: {listen: "", statsSeconds: 0}
      gift: {rules: [{priority: 9, gifts: ["rocket"], asset: rocket, durationMs: 5000}]}
      broker: {host: "\(broker.host)", port: \(broker.port), sessionExpirySeconds: 60}
      profiles: ["\(unsafe String(cString: resolved))"]
      inputs:
      \(inputs.joined())
      """
    return try Configuration.read(bytes: Array(text.utf8), file: "demo")
  }
}
