public import Base
public import Screen
import Wire

/// Who watches: which room, what is known of it, and what the keys do. A pure value; the instants are those
/// of our own clock, and are passed in.
public struct WatchSession {
  /// What a key asks of the program.
  public enum Action: Equatable, Sendable {
    /// Nothing, or another page of what is there.
    case nothing
    /// Other topics are to be subscribed.
    case subscribe
    /// The end.
    case quit
  }

  /// How it stands with the broker.
  private enum Link: Equatable {
    case connecting
    case open
    case lost(String)
  }

  /// The room that is watched; nil: the list is shown.
  public private(set) var room: String?
  /// What it shows.
  public private(set) var picture = RoomPicture()
  /// The rooms.
  public private(set) var list = RoomList()
  private let outputs: OutputPlan
  private let broker: String
  private var link = Link.connecting
  private var clock = DaemonClock()
  private var wish = ResyncWish()
  private var showsHelp = false
  /// States of the services by their names.
  private var services: [String: String] = [:]
  private var refusal: String?
  private var roomHasLeft = false

  private static let mostServices = 100

  /// A session that has seen nothing. `broker`: where it is, for the page.
  public init(room: String?, outputs: OutputPlan, broker: String) {
    self.room = room
    self.outputs = outputs
    self.broker = broker
  }

  // MARK: Topics

  /// What is to be subscribed.
  public var filters: [String] {
    let status = "\(outputs.instancePrefix)/+/status"
    guard let room else { return ["\(outputs.roomPrefix)/+/snapshot", status] }
    let tracks = ["snapshot", "gift/+", "stage", "comment", "like"]
    return tracks.map { "\(outputs.roomPrefix)/\(room)/\($0)" } + [status]
  }

  /// The connection is open.
  public mutating func connectionOpened() {
    link = .open
    refusal = nil
    services = [:]
  }

  /// The connection ended.
  public mutating func connectionEnded(_ reason: String) { link = .lost(reason) }

  /// A subscription was answered. With the last of a room's a fresh snapshot is asked for: it tells the
  /// daemon's time.
  public mutating func subscribed(_ filter: String, refusal reason: String?, at now: Instant) {
    guard filters.contains(filter) else { return }
    if let reason {
      if filter.hasPrefix("\(outputs.roomPrefix)/") { refusal = "may not read \(filter): \(reason)" }
    } else if room != nil, filter == filters.last {
      wish.want(at: now)
    }
  }

  /// Takes a message in. `isKept`: the broker had kept it from before we subscribed.
  public mutating func take(topic: String, payload: Span<UInt8>, isKept: Bool, at now: Instant) {
    if let instance = outputs.instance(ofStatus: topic) { return takeStatus(of: instance, payload) }
    guard let (name, track) = outputs.roomAndTrack(of: topic) else { return }
    guard let message = WatchSession.message(payload) else {
      if track == "snapshot", payload.isEmpty { takeLeave(of: name) }
      return
    }
    guard message["room"]?.string == name else { return }
    if track == "snapshot" {
      takeSnapshot(message, of: name, isKept: isKept, at: now)
    } else if name == room, message["track"]?.string == track {
      takeCommand(message, isKept: isKept, at: now)
    }
  }

  private mutating func takeSnapshot(_ message: JSONValue, of name: String, isKept: Bool, at now: Instant) {
    if let written = message.optionalNumber("now") {
      if isKept { clock.noteKept(written, at: now) } else { clock.note(written, at: now) }
    }
    guard let room else { return list.take(message, of: name, isKept: isKept) }
    guard room == name, picture.take(snapshot: message, isKept: isKept) == .taken else { return }
    roomHasLeft = false
    if !isKept {
      wish.noteAnswered()
      refusal = nil
    }
  }

  private mutating func takeCommand(_ message: JSONValue, isKept: Bool, at now: Instant) {
    guard !isKept else { return }
    let change = picture.take(command: message)
    guard change != .notOurs else { return }
    if change != .old, let at = message.optionalNumber("at") { clock.note(at, at: now) }
    if change == .gap || change == .newEpoch { wish.want(at: now) }
    roomHasLeft = false
  }

  /// A room's snapshot was cleared: it has left.
  private mutating func takeLeave(of name: String) {
    if room == nil { return list.take(nil, of: name, isKept: false) }
    guard name == room else { return }
    picture = RoomPicture()
    roomHasLeft = true
  }

  private mutating func takeStatus(of instance: String, _ payload: Span<UInt8>) {
    guard let state = WatchSession.message(payload)?.text("state"), !state.isEmpty else {
      services[instance] = nil
      return
    }
    guard services.count < Self.mostServices || services[instance] != nil else { return }
    services[instance] = state
  }

  private static func message(_ payload: Span<UInt8>) -> JSONValue? {
    guard !payload.isEmpty else { return nil }
    do throws(JSONFault) {
      return try JSONValue(payload)
    } catch {
      // Not the daemon's: it writes JSON.
      return nil
    }
  }

  // MARK: Asking for a snapshot

  /// When a snapshot is to be asked for; nil: none is needed.
  public var resyncDeadline: Instant? { link == .open && room != nil ? wish.deadline : nil }

  /// What is to be published then.
  public var resync: (topic: String, payload: String) {
    ("\(outputs.roomPrefix)/\(room ?? "")/feedback", #"{"op":"resync","renderer":"watch"}"#)
  }

  /// It was published.
  public mutating func noteResync(at now: Instant) { wish.noteAsked(at: now) }

  /// The broker did not take it.
  public mutating func resyncRefused(_ reason: String) {
    refusal = "may not ask for a snapshot (\(reason)): it comes within seconds"
  }

  // MARK: Keys

  /// Does what a key says.
  public mutating func press(_ key: Key) -> Action {
    if key == .character("q") || key == .character("Q") { return .quit }
    if showsHelp {
      showsHelp = false
      return .nothing
    }
    switch key {
    case .character("?"), .character("h"): showsHelp = true
    case .up, .character("k"): if room == nil { list.move(by: -1) }
    case .down, .character("j"): if room == nil { list.move(by: 1) }
    case .pageUp: if room == nil { list.move(by: -10) }
    case .pageDown: if room == nil { list.move(by: 10) }
    case .home: if room == nil { list.move(by: -RoomList.mostRooms) }
    case .end: if room == nil { list.move(by: RoomList.mostRooms) }
    case .enter, .right:
      guard room == nil, let chosen = list.chosen else { break }
      // It stays chosen when others come meanwhile.
      list.move(by: 0)
      return watch(chosen)
    case .left, .backspace, .escape: if room != nil { return watch(nil) }
    default: break
    }
    return .nothing
  }

  private mutating func watch(_ room: String?) -> Action {
    self.room = room
    picture = RoomPicture()
    // What was kept of all rooms comes again.
    if room == nil { list.beginAgain() }
    wish = ResyncWish()
    refusal = nil
    roomHasLeft = false
    return .subscribe
  }

  // MARK: Drawing

  /// True if the page looks different a moment later without a message.
  public func isMoving(at now: Instant) -> Bool {
    !showsHelp && room != nil && picture.isMoving(at: clock.instant(at: now))
  }

  /// What is to be seen on so many cells.
  public func page(columns: Int, rows: Int, at now: Instant) -> Canvas {
    var canvas = Canvas(columns: columns, rows: rows)
    guard rows > 0 else { return canvas }
    let instant = clock.instant(at: now)
    drawHeader(on: &canvas)
    let space = 1..<max(1, rows - 1)
    if showsHelp {
      HelpPage.draw(rows: space, on: &canvas)
    } else if room == nil {
      RoomListPage.draw(list, at: instant, rows: space, on: &canvas)
    } else {
      RoomPage.draw(picture, at: instant, rows: space, on: &canvas)
    }
    if rows > 1 { drawFooter(on: &canvas) }
    return canvas
  }

  private func drawHeader(on canvas: inout Canvas) {
    canvas.fill(row: 0, PageWords.header)
    let state = "\(serviceWords) at \(broker) "
    let start = canvas.write(
      state, row: 0, endingAt: canvas.columns, width: canvas.columns * 2 / 3, PageWords.header)
    let count = list.rooms.count
    let rooms = count == 1 ? "1 room" : list.isCut ? "more than \(count) rooms" : "\(count) rooms"
    let title = room.map { "LiveCue  \($0)" } ?? "LiveCue  \(rooms)"
    canvas.write(title, row: 0, column: 1, width: start - 2, PageWords.header)
  }

  private var serviceWords: String {
    if link != .open { return link == .connecting ? "connecting" : "not connected" }
    if services.isEmpty { return "no service" }
    let names = services.keys.sorted()
    let first = names.prefix(2).map { "\($0) \(services[$0] ?? "")" }.joined(separator: ", ")
    return names.count > 2 ? "\(first), \(names.count - 2) more" : first
  }

  private func drawFooter(on canvas: inout Canvas) {
    let row = canvas.rows - 1
    let width = canvas.columns - 2
    if case .lost(let reason) = link {
      canvas.write(
        "no connection to \(broker): \(reason)", row: row, column: 1, width: width, PageWords.alarm)
    } else if let refusal {
      canvas.write(refusal, row: row, column: 1, width: width, PageWords.notice)
    } else if roomHasLeft {
      canvas.write("the room has left", row: row, column: 1, width: width, PageWords.notice)
    } else {
      let keys =
        room == nil ? "↑ ↓ choose   Enter watch   ? help   q quit" : "← rooms   ? help   q quit"
      canvas.write(keys, row: row, column: 1, width: width, .dim)
    }
  }
}
