import Base
import Bridge
import Configuration
import EventLoop
import Glibc
import HTTP
import Telemetry
import Wire

/// Tells the operator how the daemon is: over HTTP, and as the retained message `stats`.
///
/// Figures are counted where things happen; here they are only read, when somebody asks.
final class Metrics {
  let configuration: Configuration
  let version: String
  let since: Instant
  let journal: Journal
  let intake: Intake
  let publisher: Publisher
  let state: StateDirectory?
  let loop: EventLoop
  let log: Log
  private(set) var server: HTTPServer?
  private var listening: TimerID?
  private var telling: TimerID?
  /// Messages that were to be published when the last `stats` were the last of them.
  private var statsPosition = 0
  /// True while nothing is taken in, because too much waits to go out.
  var isHeldBack = false
  /// True from the beginning of a stop on.
  var isStopping = false
  /// How long the start took that went through the journal.
  private(set) var recoveryMilliseconds: Int64 = 0

  /// When an address that was taken is tried again.
  private static let retryMilliseconds: Int64 = 10_000

  init(
    _ configuration: Configuration, version: String, since: Instant, journal: Journal, intake: Intake,
    publisher: Publisher, state: StateDirectory?, loop: EventLoop, log: Log
  ) {
    self.configuration = configuration
    self.version = version
    self.since = since
    self.journal = journal
    self.intake = intake
    self.publisher = publisher
    self.state = state
    self.loop = loop
    self.log = log
    if configuration.metrics.readsBrokerDrops { publisher.readBrokerDrops() }
  }

  /// Where it listens.
  var address: ListenAddress? { server?.address }

  /// Runs what goes through the journal, and forgets what that counted: it was counted when it happened.
  func recovering(_ recover: () throws -> Void) rethrows {
    let began = loop.clock.now
    try recover()
    recoveryMilliseconds = loop.clock.now - began
    journal.bridge.restartCounting()
  }

  /// Listens, and tells from time to time.
  func start() {
    if let address = configuration.metrics.listen { listen(on: address) }
    if configuration.metrics.statsSeconds > 0 { tellLater() }
  }

  /// Ends both.
  func stop() {
    for timer in [listening, telling].compactMap({ $0 }) { loop.cancel(timer) }
    server?.stop()
    server = nil
  }

  private func listen(on address: ListenAddress) {
    listening = nil
    var settings = HTTPSettings()
    settings.maxConnections = configuration.metrics.maxConnections
    settings.timeoutSeconds = configuration.metrics.timeoutSeconds
    settings.maxHeadBytes = configuration.metrics.maxRequestBytes
    do throws(HTTPFault) {
      let server = try HTTPServer(at: address, settings, loop: loop)
      addRoutes(to: server)
      self.server = server
      log.write(
        .notice, "metrics", LogField("address", .text("\(server.address)")), at: loop.clock.now)
    } catch {
      // Gifts matter more than figures: the daemon serves without them, and says so.
      log.write(
        .warning, "no metrics: the address cannot be had, and is tried again",
        LogField("fault", "\(error)"), at: loop.clock.now)
      listening = loop.schedule(at: loop.clock.now + Metrics.retryMilliseconds) { [unowned self] in
        listen(on: address)
      }
    }
  }

  private func addRoutes(to server: HTTPServer) {
    server.route("GET", "/metrics") { [unowned self] _ in
      HTTPResponse(type: Metric.contentType, bytes: figures().prometheusText())
    }
    // Whoever answers is alive: the loop that does the work has come round to the question.
    server.route("GET", "/healthz") { _ in HTTPResponse("live\n") }
    server.route("GET", "/readyz") { [unowned self] _ in
      let reasons = reasonsNotReady()
      guard reasons.isEmpty else {
        return HTTPResponse(status: 503, reasons.map { "\($0)\n" }.joined())
      }
      return HTTPResponse("ready\n")
    }
    server.route("GET", "/stats") { [unowned self] _ in
      HTTPResponse(type: "application/json", bytes: stats(withFaults: true))
    }
  }

  // MARK: The retained message

  private func tellLater() {
    let next = loop.clock.now + Int64(configuration.metrics.statsSeconds) * 1000
    telling = loop.schedule(at: next) { [unowned self] in
      tell()
      tellLater()
    }
  }

  /// Publishes the figures, unless the last ones have not gone out yet: an old figure is nobody's need.
  private func tell() {
    guard publisher.isOnline, !isStopping, publisher.doneCount >= statsPosition else { return }
    var outgoing = OutgoingMessages()
    let outputs = configuration.outputs
    outgoing.append(at: loop.clock.now, isRetained: true) { topic in
      topic.append(contentsOf: "\(outputs.instancePrefix)/\(outputs.instance)/stats".utf8)
    } payload: { payload in
      payload.append(contentsOf: stats(withFaults: false))
    }
    publisher.publish(outgoing)
    statsPosition = publisher.acceptedCount
  }

  /// What we know of ourselves as JSON. Faults may name hosts and files, so they stay on this machine.
  private func stats(withFaults: Bool) -> [UInt8] {
    let reasons = reasonsNotReady()
    var text: [UInt8] = []
    func append(_ piece: String) { text.append(contentsOf: piece.utf8) }
    append(#"{"v":1,"instance":"#)
    text.appendJSON(configuration.instance)
    append(#","version":"#)
    text.appendJSON(version)
    append(#","at":\#(loop.clock.now),"since":\#(since),"ready":\#(reasons.isEmpty),"reasons":["#)
    for (index, reason) in reasons.enumerated() {
      if index > 0 { append(",") }
      text.appendJSON(reason)
    }
    append(#"],"figures":"#)
    text.append(contentsOf: figures().json())
    if withFaults {
      append(#","faults":["#)
      for (index, fault) in log.faults.enumerated() {
        append(#"\#(index > 0 ? "," : ""){"level":"\#(fault.level.name)","count":\#(fault.count),"#)
        append(#""first":\#(fault.first),"last":\#(fault.last),"line":"#)
        text.appendJSON(String(decoding: fault.body, as: UTF8.self))
        append("}")
      }
      append("]")
    }
    append("}")
    return text
  }

  // MARK: Readiness

  /// Why the daemon does not do all of its work, each in a sentence; empty: it does.
  func reasonsNotReady() -> [String] {
    var reasons: [String] = []
    if isStopping { reasons.append("the daemon is stopping") }
    if isHeldBack {
      reasons.append("too much waits for the broker: nothing is taken in until it has gone out")
    }
    if let filter = intake.refusedFilter { reasons.append("the broker refused the filter \(filter)") }
    if !intake.isSubscribed, !isHeldBack {
      let cause = intake.isOnline ? "the broker has not answered yet" : Metrics.cause(intake.lastEnding)
      reasons.append("not subscribed: \(cause)")
    }
    if !publisher.isOnline { reasons.append("not publishing: \(Metrics.cause(publisher.lastEnding))") }
    if let fault = journal.storeFault(at: loop.clock.now) {
      reasons.append("the store cannot be written: \(fault)")
    }
    if let free = state?.freeBytes, free < journal.configuration.minFreeBytes {
      reasons.append(
        "the disk of the state directory is full: \(free) bytes are free, expected \(journal.configuration.minFreeBytes)"
      )
    }
    return reasons
  }

  private static func cause(_ ending: (some CustomStringConvertible)?) -> String {
    ending.map { "\($0)" } ?? "not connected yet"
  }
}
