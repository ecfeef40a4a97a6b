public import Base

/// Everything that an operator decides, read and checked. Immutable; a reload reads a new one.
public struct Configuration: Sendable {
  /// The least grave messages that are logged. The raw value is its word in the configuration.
  public enum LogLevel: String, CaseIterable, Sendable {
    case error, warning, notice, info, debug
  }

  /// How a line of the log is written. The raw value is its word in the configuration.
  public enum LogFormat: String, CaseIterable, Sendable {
    case text, json
  }

  /// The name of this service.
  public let instance: String
  /// Which broker, and how to speak with it.
  public let broker: BrokerPlan
  /// Where output goes.
  public let outputs: OutputPlan
  /// What is subscribed; no topic matches two of them, and none matches an output.
  public let inputs: [InputPlan]
  /// The plan of a room without settings of its own.
  public let defaultPlan: RoomPlan
  /// The plans of rooms with settings of their own, by the bytes of the room's name, as MQTT compares names.
  /// Rooms with the same settings share a plan. Looked up only.
  public let roomPlans: [[UInt8]: RoomPlan]
  /// The rooms that are served, by the bytes of their names; empty: every room. Looked up only.
  public let allowedRooms: Set<[UInt8]>
  /// Rooms in memory.
  public let maxRooms: Int
  /// Bytes of commands that wait for the broker.
  public let outboxMaxBytes: Int
  /// The least grave messages that are logged.
  public let logLevel: LogLevel
  /// How they are written.
  public let logFormat: LogFormat
  /// Where and how figures are told.
  public let metrics: MetricsPlan
  /// What `livecue overlay` serves, and to whom.
  public let overlay: OverlayPlan
  /// Where the daemon keeps its journal; nil: systemd's STATE_DIRECTORY, or nowhere.
  public let stateDirectory: String?
  /// How far ahead of UTC the ledger's days are.
  public let dayOffsetMinutes: Int
  /// How many days the ledger goes back, today among them; 0: for ever.
  public let ledgerKeepDays: Int
  /// What prices count in a room without settings of its own; nil: not said.
  public let defaultPriceUnit: String?
  /// What prices count in rooms with settings of their own, by the bytes of the room's name. Looked up only.
  private let priceUnits: [[UInt8]: String?]
  /// Bytes of the journal beyond which nothing more is taken in.
  public let journalMaxBytes: Int
  /// Rows after which the rooms' state is saved.
  public let snapshotRows: Int
  /// Room on the disk of the state directory below which we say that we are not ready; 0: never.
  public let minFreeBytes: Int
  /// Seconds after which it is saved, if there were rows.
  public let snapshotSeconds: Int
  /// Hours for which rows are kept behind a snapshot; 0: they are cut at once.
  public let journalKeepHours: Int
  /// What a commit of the journal survives.
  public let durability: Durability
  /// Every setting as YAML on one line. Equal configurations have equal texts, and reading it gives an equal
  /// configuration, without the files of profiles: so it can stand in a journal.
  public let canonicalText: String
  /// What it was made of.
  let draft: ServiceDraft

  /// All settings, in the order of the documentation: for `config/livecue.yaml`, documents and tests.
  public static var settings: [Setting] { ServiceSettings.table.settings }

  /// The members of a profile file.
  public static var profileSettings: [Setting] { ProfileSettings.table.settings }

  /// What an empty file gives.
  public static let defaults = Configuration(
    ServiceDraft(), inputs: ServiceDraft().inputs.compactMap { $0.plan(profiles: [.native]) })

  /// Takes over a draft that was checked.
  init(_ draft: ServiceDraft, inputs: [InputPlan]) {
    self.draft = draft
    instance = draft.instance
    var broker = draft.broker
    broker.clientID = draft.clientID
    self.broker = broker
    outputs = OutputPlan(
      roomPrefix: draft.roomPrefix, instancePrefix: draft.instancePrefix, instance: draft.instance)
    self.inputs = inputs
    let defaultPlan = draft.room.plan
    self.defaultPlan = defaultPlan
    allowedRooms = Set(draft.allowedRooms)
    maxRooms = draft.maxRooms
    outboxMaxBytes = draft.outboxMaxBytes
    logLevel = draft.logLevel
    logFormat = draft.logFormat
    metrics = draft.metrics
    overlay = draft.overlay
    minFreeBytes = draft.minFreeBytes
    stateDirectory = draft.stateDirectory
    dayOffsetMinutes = draft.dayOffsetMinutes
    ledgerKeepDays = draft.ledgerKeepDays
    journalMaxBytes = draft.journalMaxBytes
    snapshotRows = draft.snapshotRows
    snapshotSeconds = draft.snapshotSeconds
    journalKeepHours = draft.journalKeepHours
    durability = draft.durability

    let rooms = draft.roomTexts()
    var roomPlans: [[UInt8]: RoomPlan] = [:]
    var priceUnits: [[UInt8]: String?] = [:]
    var planOf: [String: RoomPlan] = [:]
    for room in rooms {
      let plan = planOf[room.text] ?? room.draft.plan
      planOf[room.text] = plan
      roomPlans[room.name] = plan
      priceUnits[room.name] = .some(room.draft.priceUnit)
    }
    self.roomPlans = roomPlans
    self.priceUnits = priceUnits
    defaultPriceUnit = draft.room.priceUnit
    canonicalText = draft.canonicalText(rooms: rooms)
  }

  /// The filters to subscribe: those of the inputs, and of control and feedback for every room. No topic
  /// matches two.
  public var filters: [String] {
    inputs.map(\.filter) + ["control", "feedback"].map { "\(outputs.roomPrefix)/+/\($0)" }
  }

  /// True if some room has a plan of its own or may not be served, so that a room's name matters.
  public var hasRoomRules: Bool { !roomPlans.isEmpty || !allowedRooms.isEmpty }

  /// The plan of a room, whether it has settings of its own or not.
  public func plan(forRoom room: [UInt8]) -> RoomPlan {
    roomPlans.isEmpty ? defaultPlan : roomPlans[room] ?? defaultPlan
  }

  /// The plan of a room, whether it has settings of its own or not.
  public func plan(forRoom room: String) -> RoomPlan { plan(forRoom: Array(room.utf8)) }

  /// What prices count in a room; nil: not said.
  public func priceUnit(forRoom room: [UInt8]) -> String? { priceUnits[room] ?? defaultPriceUnit }

  /// True if the room is served.
  public func allows(room: [UInt8]) -> Bool {
    allowedRooms.isEmpty || allowedRooms.contains(room)
  }
}

extension Configuration: Equatable {
  /// True if both say the same, however their files are written.
  public static func == (left: Configuration, right: Configuration) -> Bool {
    left.canonicalText == right.canonicalText
  }
}
