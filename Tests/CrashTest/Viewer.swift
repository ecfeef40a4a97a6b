import Base
import EventLoop
import MQTT
import Store
import TestSupport
import Wire

/// The subscriber: it drops the commands that it has, counts what is shown, and keeps the digest of each
/// command.
final class Viewer: MQTTConnectionDelegate {
  /// The commands of a topic, by their seqs from 1 on.
  struct Track {
    var epoch: Int64
    var digests: [Digest] = []
  }

  /// What a renderer makes of the commands.
  private(set) var renderer = Renderer(keepsMessages: false)
  /// The commands of each topic.
  private(set) var tracks: [String: Track] = [:]
  /// What the stages show.
  private(set) var stages = StageWatch()
  /// Called when a play begins.
  var playBegan: ((_ room: String, _ group: Int64) -> Void)?
  /// Operators' commands that were answered.
  private(set) var answered: Set<String> = []
  /// What must never be, in sentences.
  private(set) var faults: [String] = []
  private let connection: MQTTConnection
  private let loop: EventLoop
  private let filters = ["cue/#", "livecue/#"]
  private var unanswered = 0

  init(port: UInt16, loop: EventLoop) throws {
    self.loop = loop
    var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "viewer")
    settings.minBackOffMilliseconds = 20
    settings.maxBackOffMilliseconds = 100
    connection = try MQTTConnection(settings, loop: loop, generator: SystemRandomNumberGenerator())
    connection.setFilters(filters)
    connection.delegate = self
    connection.start()
  }

  var isReady: Bool { connection.isOnline && unanswered == 0 }

  /// Times that the broker accepted it.
  var connectionCount: Int { connection.counters.connections }

  /// Commands, each once.
  var commandCount: Int { tracks.values.reduce(0) { $0 + $1.digests.count } }

  /// How many gifts of a key were shown or folded.
  func count(_ key: Renderer.Key) -> Int64 { renderer.gifts[key] ?? 0 }

  /// Gifts that were shown or folded, but those of senders that may be muted.
  var countOfUnmuted: Int64 {
    renderer.gifts.reduce(0) { StudioMaker.isMutable($1.key.sender) ? $0 : $0 + $1.value }
  }

  private func receive(topic: String, payload: [UInt8]) {
    if topic.hasSuffix("/rejected") {
      faults.append("\(topic): \(String(decoding: payload, as: UTF8.self))")
      return
    }
    if topic.hasSuffix("/control/reply") { return receive(reply: payload, topic: topic) }
    // A snapshot tells the numbers of commands, and is none.
    guard !topic.hasSuffix("/snapshot"), let place = CommandPlace(payload) else { return }
    let digest = Digest(topic: Array(topic.utf8).span, payload: payload.span)
    var track = tracks[topic] ?? Track(epoch: place.epoch)
    if track.epoch != place.epoch {
      faults.append("\(topic): epoch \(place.epoch) after \(track.epoch), seq \(place.sequence)")
      track = Track(epoch: place.epoch)
    }
    if place.sequence <= track.digests.count {
      if track.digests[place.sequence - 1] != digest {
        faults.append("\(topic): another seq \(place.sequence): \(String(decoding: payload, as: UTF8.self))")
      }
    } else if place.sequence == track.digests.count + 1 {
      track.digests.append(digest)
      if topic.hasSuffix("/stage") { receive(stage: payload, topic: topic) }
    } else {
      faults.append("\(topic): seq \(place.sequence) after \(track.digests.count)")
      let skipped = place.sequence - 1 - track.digests.count
      track.digests += Array(repeating: Digest(low: 0, high: 0), count: skipped) + [digest]
    }
    tracks[topic] = track
    renderer.receive(
      PublishedMessage(
        at: loop.clock.now, topic: topic, payload: String(decoding: payload, as: UTF8.self)))
  }

  private func receive(stage payload: [UInt8], topic: String) {
    let json = PublishedMessage(at: 0, topic: topic, payload: String(decoding: payload, as: UTF8.self)).json
    guard let group = stages.receive(json, topic: topic), let room = json["room"]?.string else { return }
    playBegan?(room, group)
  }

  /// All that operators ask for can be done, but in a room in which nothing has happened yet.
  private func receive(reply payload: [UInt8], topic: String) {
    let text = String(decoding: payload, as: UTF8.self)
    let json = PublishedMessage(at: 0, topic: topic, payload: text).json
    if json["ok"] != .bool(true), json["error"]?.string != "no-such-room" {
      faults.append("\(topic): \(text)")
    }
    if let id = json["id"]?.string { answered.insert(id) }
  }

  func connectionDidOpen(_ connection: MQTTConnection, sessionPresent: Bool) {
    unanswered = filters.count
  }

  func connection(_ connection: MQTTConnection, filter: String, wasAnswered answer: SubscriptionAnswer) {
    if answer != .granted { faults.append("\(filter): \(answer)") }
    unanswered -= 1
  }

  func connectionDidReceive(_ connection: MQTTConnection) {
    let arena = connection.received
    for message in arena.messages {
      receive(topic: arena.bytes.string(message.topic), payload: Array(arena.bytes[message.payload.range]))
    }
    connection.flush()
  }

  func connection(_ connection: MQTTConnection, didAcknowledge id: UInt16, reason: MQTTReason) {}

  func connection(_ connection: MQTTConnection, didEnd reason: DisconnectReason, retryAt: Instant?) {}
}

/// Where a command stands on its topic.
struct CommandPlace {
  let epoch: Int64
  let sequence: Int

  /// Reads it from a command's bytes; nil if they are none. No room, sender or gift of ours holds these
  /// words.
  init?(_ payload: [UInt8]) {
    guard let epoch = CommandPlace.number(after: #""epoch":"#, in: payload),
      let sequence = CommandPlace.number(after: #""seq":"#, in: payload), sequence > 0
    else { return nil }
    self.epoch = epoch
    self.sequence = Int(sequence)
  }

  private static func number(after name: String, in payload: [UInt8]) -> Int64? {
    guard let start = payload.firstRange(of: name.utf8)?.upperBound else { return nil }
    let digits = payload[start...].prefix { (48...57).contains($0) }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}
