public import Base
public import Configuration
public import EventLoop
import HTTP
public import MQTT
public import Telemetry
import Wire

/// Carries the commands of rooms from the broker to browsers: one MQTT client, one HTTP server, one loop.
///
/// It decides nothing and keeps nothing of its own: what it has of a room is the last snapshot and, while
/// somebody reads, the commands since.
public final class Gateway {
  /// What it was made with.
  public let plan: OverlayPlan
  /// Where it listens; with port 0 the one that the system has chosen.
  public var address: ListenAddress { server.address }
  /// True if the broker delivers the commands.
  public private(set) var isSubscribed = false
  /// Called each time the broker begins to deliver, with true, and when it ends.
  public var subscriptionChanged: ((Bool) -> Void)?

  let server: HTTPServer
  let gate: Gate
  let connection: MQTTConnection
  let loop: EventLoop
  let log: Log
  let outputs: OutputPlan
  /// What each daemon last said of itself (`online`, `offline`), as far as we may read that.
  public internal(set) var instances: [String: String] = [:]
  /// By the bytes of their names: two that differ only in how an accent is written are two rooms.
  var rooms: [[UInt8]: RoomFeed] = [:]
  var clock = DaemonClock()
  /// Payloads that no stream can carry.
  public internal(set) var refusedMessages = 0
  /// Messages of rooms beyond `maxRooms` that nobody reads.
  private(set) var unkeptMessages = 0
  /// Requests that the gate refused.
  var refusedRequests = 0
  /// Answers to operators' commands that are not there yet, by the commands' ids.
  var awaited: [String: (body: HTTPStream, timer: TimerID)] = [:]
  var controlCount = 0
  let themes: ThemeFolder
  /// Names this run of ours.
  let stream: String

  private var unanswered = 0
  /// Readers refused because as many read as may.
  private(set) var refusedReaders = 0
  private var keepAlive: TimerID?

  /// A second question for a snapshot within this time is not asked.
  private static let askMilliseconds: Int64 = 500
  /// How long browsers wait before they come back.
  private static let retryMilliseconds = 300
  /// Clients that are served beside the readers, which stay for hours: pages, operators' commands, probes.
  private static let placesBesideReaders = 32
  /// The broker's connection, the loop's descriptors, a theme that is read.
  private static let filesOfOurOwn = 32
  /// What follows the room in the topics that are passed on.
  private static let tracks = ["gift/+", "stage", "comment", "like", "click", "snapshot", "control/reply"]

  /// Listens; nothing is subscribed before `start`.
  ///
  /// - Parameters:
  ///   - outputs: The first levels of the topics of rooms and of daemons.
  ///   - settings: Those of the MQTT client; what the broker keeps is always taken.
  ///   - token: What readers must show; nil: nothing. An address that others reach needs one.
  /// - Throws: `HTTPFault`, `MQTTFault`.
  public init(
    _ plan: OverlayPlan, outputs: OutputPlan, settings: MQTTSettings, token: [UInt8]?, loop: EventLoop,
    log: Log, generator: any RandomNumberGenerator
  ) throws {
    self.plan = plan
    self.outputs = outputs
    precondition(plan.listen.isLocal || token != nil, "an open address without a token was not refused")
    var generator = generator
    stream = String(generator.next(), radix: 36)
    let pageToken = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    gate = Gate(token: token, pageToken: pageToken, hosts: plan.hosts.map { $0.lowercased() })
    themes = ThemeFolder(plan.themes)
    self.loop = loop
    self.log = log
    var http = HTTPSettings()
    http.maxConnections = plan.maxReaders + Self.placesBesideReaders
    http.maxStreamBytes = plan.maxReaderBytes
    server = try HTTPServer(at: plan.listen, http, loop: loop)
    let files = http.maxConnections + Self.filesOfOurOwn
    if let allowed = OpenFiles.allow(files), allowed < files {
      log.write(
        .warning, "fewer files may be open than overlay.maxReaders needs (ulimit -n, LimitNOFILE=)",
        LogField("limit", LogValue(allowed)), LogField("needed", LogValue(files)), at: loop.clock.now)
    }
    var settings = settings
    settings.takesRetained = true
    connection = try MQTTConnection(settings, loop: loop, generator: generator)
    connection.setFilters(
      Gateway.tracks.map { "\(outputs.roomPrefix)/+/\($0)" } + ["\(outputs.instancePrefix)/+/status"])
    connection.delegate = self
    addRoutes()
  }

  /// Connects to the broker, and stays at it.
  public func start() {
    connection.start()
    scheduleKeepAlive()
  }

  /// Ends all streams and leaves the broker; `didEnd` is not awaited.
  public func stop() {
    if let keepAlive { loop.cancel(keepAlive) }
    keepAlive = nil
    server.stop()
    connection.disconnect()
  }

  /// How many read.
  public var readerCount: Int { rooms.values.reduce(0) { $0 + $1.readers.count } }

  /// The rooms that are known: those that are read, and those whose snapshot is kept.
  public var roomNames: [String] { rooms.values.map(\.name).sorted() }

  /// What the daemon's clock shows, as far as its messages tell.
  public var estimatedInstant: Instant { clock.instant(at: loop.clock.now) }

  // MARK: Readers

  /// The answer for a reader beyond those who may read; nil: welcome.
  func readerRefusal() -> HTTPResponse? {
    guard readerCount >= plan.maxReaders else { return nil }
    refusedReaders += 1
    log.write(
      .warning, "too many readers: one more is refused", LogField("maxReaders", LogValue(plan.maxReaders)),
      at: loop.clock.now)
    return Gate.refusal(503, "\(plan.maxReaders) streams are read already (overlay.maxReaders)")
  }

  /// Opens the stream of a reader. It must not be kept from `ended`, or the room would keep it.
  func open(_ room: String, tracks: String?, lastID: String?) -> Reader {
    let feed = rooms[Array(room.utf8)] ?? RoomFeed(room, stream: stream, plan)
    rooms[Array(room.utf8)] = feed
    let reader = Reader(tracks: tracks)
    reader.stream.ended = { [weak self, weak feed, unowned reader] in
      guard let feed else { return }
      feed.readers[ObjectIdentifier(reader)] = nil
      self?.left(feed)
    }
    reader.wasTooSlow = { [unowned self] in
      log.write(
        .warning, "a reader was too slow and is dropped", LogField("room", .text(room)),
        LogField("maxReaderBytes", LogValue(plan.maxReaderBytes)), at: loop.clock.now)
    }
    reader.write(Array("retry: \(Self.retryMilliseconds)\n\(clockEvent)".utf8))
    if !feed.begin(reader, after: lastID) { ask(feed) }
    feed.readers[ObjectIdentifier(reader)] = reader
    return reader
  }

  private func left(_ feed: RoomFeed) {
    guard feed.readers.isEmpty else { return }
    // A browser that reloads its page is back within moments.
    loop.schedule(at: loop.clock.now + 10_000) { [weak self, weak feed] in
      guard let self, let feed, feed.readers.isEmpty else { return }
      feed.forgetEvents()
      if feed.snapshot == nil { rooms[Array(feed.name.utf8)] = nil }
    }
  }

  /// Asks the daemon for a snapshot of a room, unless that was just done.
  func ask(_ feed: RoomFeed) {
    let now = loop.clock.now
    guard connection.isOnline, feed.askedAt < now - Self.askMilliseconds else { return }
    feed.askedAt = now
    _ = publish(
      .object(["op": .string("resync"), "renderer": .string("livecue-overlay")]), feed.name, "feedback")
  }

  /// When the next word comes at the latest, so that pages notice a dead connection; and the daemon's present
  /// instant, but not before its first word: our own clock may be far ahead of its, and a page would believe
  /// that.
  private var clockEvent: String {
    let now = clock.isKnown ? ",\"now\":\(estimatedInstant)" : ""
    return "event: clock\ndata: {\"everyMs\":\(plan.keepAliveSeconds * 1000)\(now)}\n\n"
  }

  private func scheduleKeepAlive() {
    keepAlive = loop.schedule(at: loop.clock.now + Int64(plan.keepAliveSeconds) * 1000) { [unowned self] in
      let event = Array(clockEvent.utf8)
      for feed in rooms.values {
        for reader in Array(feed.readers.values) { reader.write(event) }
      }
      scheduleKeepAlive()
    }
  }

  // MARK: The broker

  /// Publishes to a topic of a room. False if the broker is away or has too much of ours.
  func publish(_ message: JSONValue, _ room: String, _ end: String) -> Bool {
    var payload: [UInt8] = []
    message.append(to: &payload)
    do throws(PublishFault) {
      try connection.publish(topic: "\(outputs.roomPrefix)/\(room)/\(end)", payload: payload)
      return true
    } catch {
      return false
    }
  }

  private func receive(topic: String, payload: ArraySlice<UInt8>, isRetained: Bool) {
    if let instance = outputs.instance(ofStatus: topic) { return noteInstance(instance, payload) }
    guard let (room, track) = outputs.roomAndTrack(of: topic) else { return }
    let now = loop.clock.now
    if track == "control/reply" { return takeReply(payload) }
    guard !payload.isEmpty else {
      if track == "snapshot" { clear(room) }
      return
    }
    // A line's end would be one of the stream's too. The daemon writes none.
    guard !payload.contains(10), !payload.contains(13) else {
      refusedMessages += 1
      return
    }
    if let instant = Gateway.instant(track == "snapshot" ? ",\"now\":" : ",\"at\":", in: payload) {
      if isRetained { clock.noteKept(instant, at: now) } else { clock.note(instant, at: now) }
    }
    feed(room)?.add(track: track, payload: payload, isKept: isRetained)
  }

  private func feed(_ room: String) -> RoomFeed? {
    let name = Array(room.utf8)
    if let feed = rooms[name] { return feed }
    guard rooms.count < plan.maxRooms else {
      unkeptMessages += 1
      log.write(
        .warning, "too many rooms: snapshots of more are not kept, but asked for when a reader comes",
        LogField("maxRooms", LogValue(plan.maxRooms)), at: loop.clock.now)
      return nil
    }
    let feed = RoomFeed(room, stream: stream, plan)
    rooms[name] = feed
    return feed
  }

  private func clear(_ room: String) {
    guard let feed = rooms[Array(room.utf8)] else { return }
    feed.clearSnapshot()
    if feed.readers.isEmpty { rooms[Array(room.utf8)] = nil }
  }

  /// The number behind the first such name. Inside of a string its quotes would be escaped.
  private static func instant(_ name: String, in payload: ArraySlice<UInt8>) -> Instant? {
    let name = Array(name.utf8)
    let head = payload.prefix(1024)
    guard let start = head.indices.first(where: { head[$0...].starts(with: name) }) else { return nil }
    let digits = head[(start + name.count)...].prefix { 48...57 ~= $0 }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}

extension Gateway: MQTTConnectionDelegate {
  /// Waits for the answers to the subscriptions.
  public func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    unanswered = connection.filters.count
  }

  /// With the last answer the commands come; what went by meanwhile is asked for.
  public func connection(
    _ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer
  ) {
    if case .refused(let reason) = answer {
      log.write(
        .error, "the broker refused a subscription", LogField("filter", .text(filter)),
        LogField("reason", "\(reason)"), at: loop.clock.now)
    }
    unanswered -= 1
    guard unanswered == 0 else { return }
    isSubscribed = true
    for feed in rooms.values where !feed.readers.isEmpty { ask(feed) }
    subscriptionChanged?(true)
  }

  /// Passes the messages on.
  public func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    for message in arena.messages {
      receive(
        topic: arena.bytes.string(message.topic), payload: arena.bytes[message.payload.range],
        isRetained: message.isRetained)
    }
    connection.flush()
  }

  /// A command that the broker refuses is told.
  public func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {
    guard reason.isFailure else { return }
    log.write(
      .error, "the broker refused a message", LogField("reason", "\(reason)"), at: loop.clock.now)
  }

  /// It comes back by itself.
  public func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {
    if isSubscribed { subscriptionChanged?(false) }
    isSubscribed = false
    instances = [:]
    guard retryAt != nil else { return }
    log.write(
      .warning, "no connection to the broker", LogField("host", .text(connection.settings.host)),
      LogField("port", LogValue(connection.settings.port)), LogField("reason", "\(reason)"),
      at: loop.clock.now)
  }
}
