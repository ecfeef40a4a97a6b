import Base
import Configuration

/// One event of a room's stream, as it is written to every reader.
struct FeedEvent {
  /// What follows the room in the topic: `gift/0`, `comment`, `snapshot`, …
  let track: String
  let bytes: [UInt8]
}

/// What the readers of a room get: the last snapshot, and the commands since.
final class RoomFeed {
  let name: String
  /// The retained snapshot as an event; nil: none was seen, or the room has left.
  private(set) var snapshot: FeedEvent?
  var readers: [ObjectIdentifier: Reader] = [:]
  /// When a snapshot was last asked for.
  var askedAt: Instant = .min
  /// True if commands went by since the snapshot that nobody kept.
  private(set) var isStale = false

  private let stream: String
  private let maxEvents: Int
  /// More would not wait for a reader either.
  private let maxBytes: Int
  private var byteCount = 0
  /// Events from number `first` on.
  private var events: [FeedEvent] = []
  private var first = 1
  private var snapshotNumber = 0

  /// `stream` names this run of ours: numbers of another mean nothing.
  init(_ name: String, stream: String, _ plan: OverlayPlan) {
    self.name = name
    self.stream = stream
    maxEvents = plan.historyCommands
    maxBytes = plan.maxReaderBytes
  }

  /// Takes a command or a snapshot in, and writes it to the readers who want it. `isKept`: the broker had
  /// kept it, so commands may have gone by since.
  func add(track: String, payload: some Collection<UInt8>, isKept: Bool) {
    let isSnapshot = track == "snapshot"
    guard !readers.isEmpty || !events.isEmpty || isSnapshot else {
      isStale = true
      return
    }
    let number = first + events.count
    var bytes = Array("id: \(stream)-\(number)\nevent: \(isSnapshot ? "snapshot" : "command")\ndata: ".utf8)
    bytes.append(contentsOf: payload)
    bytes.append(contentsOf: [10, 10])
    let event = FeedEvent(track: track, bytes: bytes)
    if isSnapshot {
      snapshot = event
      snapshotNumber = number
      isStale = isKept
    }
    guard !readers.isEmpty || !events.isEmpty else {
      first = number + 1
      return
    }
    events.append(event)
    byteCount += bytes.count
    if events.count > maxEvents || byteCount > maxBytes { shorten() }
    for reader in Array(readers.values) where reader.wants(track) { reader.write(bytes) }
  }

  /// Drops the oldest events until a quarter of the room is free, so that the rest is not moved for each
  /// command.
  private func shorten() {
    var gone = 0
    while gone < events.count, events.count - gone > maxEvents * 3 / 4 || byteCount > maxBytes / 4 * 3 {
      byteCount -= events[gone].bytes.count
      gone += 1
    }
    events.removeFirst(gone)
    first += gone
  }

  /// The room has left: its retained snapshot was cleared.
  func clearSnapshot() { snapshot = nil }

  /// Nobody reads it any more, and nobody came back: only the snapshot is kept.
  func forgetEvents() {
    if !events.isEmpty { isStale = snapshotNumber < first + events.count - 1 }
    first += events.count
    events.removeAll()
    byteCount = 0
  }

  /// Writes to a new reader what it needs to go on. `lastID`: the last event that it saw, if it was here
  /// before.
  ///
  /// - Returns: False if it needs a snapshot that is not there.
  func begin(_ reader: Reader, after lastID: String?) -> Bool {
    if let number = number(of: lastID), number >= first - 1, number < first + events.count {
      write(to: reader, from: number + 1)
      return true
    }
    guard let snapshot else { return false }
    reader.write(snapshot.bytes)
    guard snapshotNumber >= first - 1 else { return false }
    write(to: reader, from: snapshotNumber + 1)
    return !isStale
  }

  private func write(to reader: Reader, from number: Int) {
    for event in events.dropFirst(number - first) where reader.wants(event.track) {
      reader.write(event.bytes)
    }
  }

  private func number(of id: String?) -> Int? {
    guard let id, id.hasPrefix("\(stream)-") else { return nil }
    return Int(id.dropFirst(stream.count + 1))
  }
}
