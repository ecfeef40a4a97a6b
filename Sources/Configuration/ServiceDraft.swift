import Base

/// All settings while they are read.
struct ServiceDraft: Draft {
  var instance = "main"
  var broker = BrokerPlan()
  /// `broker.clientId` as it is written, with `{instance}`.
  var clientIDTemplate = "livecue-{instance}"
  var roomPrefix = OutputPlan().roomPrefix
  var instancePrefix = OutputPlan().instancePrefix
  var inputs = [
    InputDraft(filter: "im/{room}/gift", kind: .gift),
    InputDraft(filter: "im/{room}/comment", kind: .comment),
    InputDraft(filter: "im/{room}/like", kind: .like), InputDraft(filter: "im/{room}/batch", kind: .batch),
  ]
  var profiles: [Profile] = []
  var room = RoomDraft()
  var maxRooms = 100_000
  var outboxMaxBytes = 64 << 20
  var stateDirectory: String?
  var dayOffsetMinutes = 0
  var ledgerKeepDays = 0
  var journalMaxBytes = 1 << 30
  var snapshotRows = 20_000
  var snapshotSeconds = 60
  var journalKeepHours = 0
  var durability = Durability.power
  var minFreeBytes = 16 << 20
  var logLevel = Configuration.LogLevel.info
  var logFormat = Configuration.LogFormat.text
  var metrics = MetricsPlan()
  var overlay = OverlayPlan()
  var allowedRooms: [[UInt8]] = []
  var rooms: [NamedRoomDraft] = []

  /// The client id, with the instance's name in its place.
  var clientID: String {
    var result = ""
    var rest = clientIDTemplate[...]
    while let character = rest.first {
      let isPlace = rest.hasPrefix("{instance}")
      result += isPlace ? instance : String(character)
      rest = rest.dropFirst(isPlace ? "{instance}".count : 1)
    }
    return result
  }
}

/// One entry of `inputs`.
struct InputDraft: Draft, Equatable {
  enum Kind: String, CaseIterable, Sendable {
    case gift, comment, like, remove, batch

    /// Nil for `batch`: each element says its own.
    var eventKind: EventKind? {
      switch self {
      case .gift: .gift
      case .comment: .comment
      case .like: .like
      case .remove: .remove
      case .batch: nil
      }
    }
  }

  var filter = ""
  /// The room of all messages; nil: something else says it.
  var room: String?
  /// Where the room lies in an element; empty: something else says it.
  var roomMember: [String] = []
  var kind = Kind.batch
  var profile = Profile.native.name
  /// Nil: the profile's name.
  var source: String?
  /// Names of MQTT user properties that the profile reads.
  var userProperties: [[UInt8]] = []
}

/// The settings of one room, on top of those of all rooms.
struct NamedRoomDraft: Sendable {
  var name: String
  var draft: RoomDraft
}
