/// How a foreign payload maps to events: data, read from `config/profiles/*.yaml`, never code for one
/// platform.
public struct Profile: Equatable, Sendable {
  /// The name that inputs refer to.
  public var name: String
  /// Member path at which the array of elements lies when the payload is an object that has it.
  /// A payload that is an array is the array; any other object is one element.
  public var elementsPath: [String]
  /// Member path of what says which kind an element is, where the topic does not.
  public var kindPath: [String]
  /// The values at `kindPath` and what they mean.
  public var kindNames: [KindName]
  /// Where the members of an event lie in an element. Of two mappings of one field the first that is present
  /// wins.
  public var mappings: [FieldMapping]
  /// Members whose texts are JSON themselves, which paths go into; they are opened in this order.
  public var insidePaths: [[String]] = []
  /// What becomes of which element, where paths alone do not say it; empty: every element is an event.
  public var cases: [ProfileCase] = []

  /// A profile.
  public init(
    name: String, elementsPath: [String], kindPath: [String], kindNames: [KindName], mappings: [FieldMapping],
    insidePaths: [[String]] = [], cases: [ProfileCase] = []
  ) {
    self.name = name
    self.elementsPath = elementsPath
    self.kindPath = kindPath
    self.kindNames = kindNames
    self.mappings = mappings
    self.insidePaths = insidePaths
    self.cases = cases
  }
}

/// A source's word for a kind of event.
public struct KindName: Equatable, Sendable {
  /// The source's word.
  public var word: String
  /// Our kind.
  public var kind: EventKind

  /// A word and its kind.
  public init(word: String, kind: EventKind) {
    self.word = word
    self.kind = kind
  }
}

/// Where one field of an event lies in an element of the payload.
public struct FieldMapping: Equatable, Sendable {
  /// The kind that it is for; nil: all kinds.
  public var kind: EventKind?
  /// The field.
  public var field: EventField
  /// Member names from the element down.
  public var path: [String]

  /// A mapping.
  public init(kind: EventKind?, field: EventField, path: [String]) {
    self.kind = kind
    self.field = field
    self.path = path
  }
}

/// A member of an event. The raw value is its name in a profile.
public enum EventField: String, CaseIterable, Sendable {
  case id, time
  /// A plain string or integer that is both id and name.
  case sender
  case senderID = "sender.id"
  case senderName = "sender.name"
  case senderLevel = "sender.level"
  case senderAvatar = "sender.avatar"
  case senderAnonymous = "sender.anonymous"
  /// A plain string or integer that is both id and name.
  case gift
  case giftID = "gift.id"
  case giftName = "gift.name"
  case giftIcon = "gift.icon"
  case giftPrice = "gift.price"
  /// A plain string or integer that is both id and name.
  case receiver
  case receiverID = "receiver.id"
  case receiverName = "receiver.name"
  case receiverLevel = "receiver.level"
  case receiverAvatar = "receiver.avatar"
  /// How many, as a delta.
  case count
  /// How many so far.
  case total
  case combo, streak, end, text
  /// What sort of comment it is.
  case style
  /// Ids of comments, for a removal: one or an array.
  case ids
  /// True for a delta that raises the sum of its streak, so that totals which correct it add nothing twice.
  case raises
  /// True for a total that only corrects what the deltas of its streak came to.
  case corrects

  /// True if the native format has it; the others are for profiles alone.
  public var isNative: Bool { self != .raises && self != .corrects }
}

extension Profile {
  /// LiveCue's own format (DESIGN.md, section 3). `config/profiles/native.yaml` says the same, and a test
  /// keeps it so.
  public static let native = Profile(
    name: "native", elementsPath: ["events"], kindPath: ["type"],
    kindNames: EventKind.allCases.map { KindName(word: $0.name, kind: $0) },
    mappings: EventField.allCases.filter(\.isNative).map { field in
      FieldMapping(kind: nil, field: field, path: field.rawValue.split(separator: ".").map(String.init))
    } + [
      FieldMapping(kind: .gift, field: .gift, path: ["giftName"]),
      FieldMapping(kind: nil, field: .giftIcon, path: ["icon"]),
      FieldMapping(kind: nil, field: .senderAvatar, path: ["avatar"]),
    ])
}

/// What says which room a message is for.
public enum RoomPlace: Equatable, Sendable {
  /// This level of the topic, from 0.
  case level(Int)
  /// All messages are for this room.
  case fixed(String)
  /// The member at this path of each element; where an element has none, of the payload.
  case member([String])
}

/// One MQTT filter that delivers batches.
public struct InputPlan: Equatable, Sendable {
  /// The filter, with a `+` where the room is, if the topic says it.
  public var filter: String
  /// What says the room.
  public var room: RoomPlace
  /// The kind of every event; nil: each element says its own.
  public var kind: EventKind?
  /// How its payloads are read.
  public var profile: Profile
  /// Inputs of one source share the ids of events.
  public var source: String
  /// Names of MQTT user properties that the profile reads beside the payload; empty: none.
  public var userProperties: [[UInt8]] = []

  /// An input whose topic says the room; its source is the profile's name unless it is given.
  public init(
    filter: String, roomLevel: Int, kind: EventKind?, profile: Profile, source: String? = nil
  ) {
    self.init(filter: filter, room: .level(roomLevel), kind: kind, profile: profile, source: source)
  }

  /// An input; its source is the profile's name unless it is given.
  public init(filter: String, room: RoomPlace, kind: EventKind?, profile: Profile, source: String? = nil) {
    self.filter = filter
    self.room = room
    self.kind = kind
    self.profile = profile
    self.source = source ?? profile.name
  }
}

extension InputPlan {
  /// Which level of the topic is the room; nil: none is.
  public var roomLevel: Int? {
    if case .level(let level) = room { level } else { nil }
  }
}

/// Where output goes.
public struct OutputPlan: Equatable, Sendable {
  /// First levels of a room's topics: `cue` gives `cue/{room}/gift/0`.
  public var roomPrefix: String
  /// First levels of this instance's own topics: `livecue` gives `livecue/{instance}/status`.
  public var instancePrefix: String
  /// The name of this instance.
  public var instance: String

  /// The topics of the design.
  public init(roomPrefix: String = "cue", instancePrefix: String = "livecue", instance: String = "main") {
    self.roomPrefix = roomPrefix
    self.instancePrefix = instancePrefix
    self.instance = instance
  }
}
