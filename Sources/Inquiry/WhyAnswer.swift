public import Base
import Bridge
public import Configuration
public import Store
public import Wire

/// What somebody wants to know: what became of an event, or of all that a sender gave, in a room.
public struct WhyQuestion: Sendable {
  /// The room's name.
  public var room: [UInt8]
  /// An event's id or a sender's id.
  public var sought: [UInt8]
  /// Only gifts of this id.
  public var gift: [UInt8]?

  /// A question.
  public init(room: [UInt8], sought: [UInt8], gift: [UInt8]? = nil) {
    self.room = room
    self.sought = sought
    self.gift = gift
  }
}

/// What became of what somebody asked for: found by handling the journal again, row by row.
public struct WhyAnswer: Sendable {
  /// What became of an event.
  public enum Fate: Equatable, Sendable {
    /// It added so many gifts to a group (an index into `groups`).
    case accepted(count: Int, group: Int)
    /// A comment or likes, taken; the commands that show the comment, if its id tells them.
    case taken(commands: [WhyCommand])
    /// Its sender was muted: a gift counts in the ledger and is not shown.
    case muted
    /// Its id had been taken before.
    case duplicate
    /// A frame of a running total that added nothing: a repeat, a closing frame, or out of order.
    case repeated
    /// It was refused.
    case rejected(reason: String, detail: String)
    /// Its row lies before the snapshot at which the replay begins.
    case beforeStart
    /// Nothing of the message was handled: it came on a topic that was no input then.
    case unhandled
  }

  /// An event that was found.
  public struct Event: Equatable, Sendable {
    /// The row of its message.
    public var row: Int64
    /// When that was handled.
    public var at: Instant
    /// The message's topic.
    public var topic: String
    /// Who it is of; nil for a payload that cannot be read, in which the text that was sought stands.
    public var identity: ElementIdentity?
    /// What became of it.
    public var fate: Fate
  }

  /// A group that one of the events joined.
  public struct Group: Equatable, Sendable {
    /// Its number.
    public var number: Int
    /// The epoch of the room when it was met first.
    public var epoch: Instant
    /// Sender, gift and receiver; an absent receiver is empty.
    public var key: [[UInt8]]
    /// Its commands, in order.
    public var commands: [WhyCommand]
    /// The number of the group that it was cut off from.
    public var restOf: Int?
    /// How many of it were folded.
    public var folded = 0
    /// True if it has hidden or its fold has gone out.
    public var isOver = false
  }

  /// What was asked.
  public internal(set) var question: WhyQuestion
  /// The events that were found, in order.
  public internal(set) var events: [Event] = []
  /// Their groups, and those that went on from these, in the order in which they were met.
  public internal(set) var groups: [Group] = []
  /// What the ledger says of what was accepted.
  public internal(set) var ledger: LedgerReport?
  /// The first row that is still there; rows before it are told of no more.
  public internal(set) var firstRow: Int64 = 1
  /// When that row was; nil if there is none.
  public internal(set) var firstInstant: Instant?
  /// The row after which rows were handled again.
  public internal(set) var startRow: Int64 = 0
  /// The last row.
  public internal(set) var lastRow: Int64 = 0

  /// Asks a store. Costs the replay of its journal, and memory for all commands of the room in it.
  public init(_ question: WhyQuestion, of store: SQLiteStore, configuration: Configuration) throws {
    self.question = question
    let tracer = WhyTracer(question)
    var bridge: Bridge?
    var outgoing = OutgoingMessages()
    try JournalStart.replay(store) { start in
      firstRow = start.firstRow
      startRow = start.row
      firstInstant = try store.instant(ofRow: start.firstRow)
      var begun = start.bridge
      events = try WhyAnswer.earlierEvents(question, of: store, start, &begun)
      begun.tracer = tracer
      bridge = begun
    } _: { row, topic, payload in
      if row.kind == .epoch, let epoch = Instant(epochPayload: payload) { tracer.epochBegins(at: epoch) }
      let found = row.kind == .message ? tracer.look(topic, payload, &bridge) : []
      try bridge?.apply(row, topic: topic, payload: payload, into: &outgoing)
      outgoing.removeAll()
      tracer.rowEnded(
        row, topic: String(decoding: Array(copying: topic), as: UTF8.self), found, into: &events)
    }
    // A run lives up to its lease, and so does the start after it: what is due until then is out or will be.
    bridge?.advance(to: store.state.lease, into: &outgoing)
    bridge?.tracer = nil
    lastRow = store.state.lastRow
    groups = tracer.groups(of: &events)
    ledger = try ledger(of: store, configuration)
  }

  /// The events of rows that are kept and lie before the start: they can be read, and not be handled again.
  private static func earlierEvents(
    _ question: WhyQuestion, of store: SQLiteStore, _ start: JournalStart, _ bridge: inout Bridge
  ) throws -> [Event] {
    var events: [Event] = []
    guard start.row >= start.firstRow else { return events }
    var reader: Bridge? = bridge
    let tracer = WhyTracer(question)
    try store.forEachRow(after: start.firstRow - 1, includingPoison: true) { row, topic, payload, _ in
      guard row.id <= start.row else { return false }
      guard row.kind == .message else { return true }
      for found in tracer.look(topic, payload, &reader) {
        events.append(
          Event(
            row: row.id, at: row.at, topic: String(decoding: Array(copying: topic), as: UTF8.self),
            identity: found, fate: .beforeStart))
      }
      return true
    }
    return events
  }

  private func ledger(of store: SQLiteStore, _ configuration: Configuration) throws -> LedgerReport? {
    var keys: Set<[[UInt8]]> = []
    var days: [Day] = []
    for event in events {
      guard case .accepted = event.fate, let identity = event.identity else { continue }
      let day = Day(of: event.at, offsetMinutes: configuration.dayOffsetMinutes)
      days.append(day)
      keys.insert([Array(day.text.utf8), identity.sender, identity.gift, identity.receiver])
    }
    guard let from = days.min(), let to = days.max() else { return nil }
    var report = try LedgerReport(LedgerQuestion(room: question.room, from: from, to: to), of: store) {
      configuration.priceUnit(forRoom: $0)
    }
    // The columns are day, room, sender, gift, receiver; the room is the same in all.
    report.keep { keys.contains([$0.keys[0], $0.keys[2], $0.keys[3], $0.keys[4]]) }
    return report
  }
}

/// A command, as far as an answer tells it.
public struct WhyCommand: Equatable, Sendable {
  /// `gift/0`, `gift/fold`, `comment`.
  public var track: String
  /// The room's epoch.
  public var epoch: Instant
  /// Its number on its topic.
  public var sequence: Int
  /// When it was due.
  public var at: Instant
  /// `show`, `count`, …
  public var operation: String
  /// What it says of the group, for a person.
  public var detail: String
}
