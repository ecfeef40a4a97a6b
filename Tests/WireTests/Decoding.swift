import Base
import Wire

/// An event with its texts as strings, for comparing; `nil` for what is absent.
struct ReadEvent: Equatable {
  var kind: EventKind
  var index = 0
  var id: String?
  var time: Int64?
  var sender: ReadParty
  var gift: ReadGift?
  var receiver: ReadParty?
  var count: Int?
  var total: Int?
  var merges = true
  var streak: String?
  var ends = false
  var text: String?
  var style: String?
  var removes: [String] = []
}

struct ReadParty: Equatable {
  var id: String
  var name: String
  var avatar: String?
  var level: Int64?

  init(_ id: String, _ name: String? = nil, avatar: String? = nil, level: Int64? = nil) {
    self.id = id
    self.name = name ?? id
    self.avatar = avatar
    self.level = level
  }
}

struct ReadGift: Equatable {
  var id: String
  var name: String
  var icon: String?
  var price: Int64?

  init(_ id: String, _ name: String? = nil, icon: String? = nil, price: Int64? = nil) {
    self.id = id
    self.name = name ?? id
    self.icon = icon
    self.price = price
  }
}

extension EventBatch {
  func read(_ slice: TextSlice) -> String? { slice.isAbsent ? nil : bytes.string(slice) }

  func read(_ party: Party) -> ReadParty? {
    guard let id = read(party.id) else { return nil }
    return ReadParty(id, bytes.string(party.name), avatar: read(party.avatar), level: party.level)
  }

  func read(_ gift: Gift) -> ReadGift? {
    guard let id = read(gift.id) else { return nil }
    return ReadGift(id, bytes.string(gift.name), icon: read(gift.icon), price: gift.price)
  }

  var read: [ReadEvent] {
    events.map { event in
      ReadEvent(
        kind: event.kind, index: event.index, id: read(event.id), time: event.time,
        sender: read(event.sender) ?? ReadParty("(absent)"), gift: read(event.gift),
        receiver: read(event.receiver), count: event.count, total: event.total, merges: event.merges,
        streak: read(event.streak), ends: event.endsStreak, text: read(event.text),
        style: read(event.style), removes: event.removedIDs.map { bytes.string(removedIDs[Int($0)]) })
    }
  }
}

/// A decoder with what it needs.
struct Decoding {
  var decoder = BatchDecoder()
  var input = DecoderInput(source: 7, kind: nil, profile: CompiledProfile(.native))
  var limits = RoomLimits()
  var batch = EventBatch()
  var rejections: [Rejection] = []

  init(kind: EventKind? = nil, profile: Profile = .native) {
    input = DecoderInput(source: 7, kind: kind, profile: CompiledProfile(profile))
  }

  mutating func decode(_ payload: [UInt8]) {
    decoder.decode(payload.span, input: input, limits: limits, into: &batch, rejections: &rejections)
  }

  mutating func events(_ payload: String) -> [ReadEvent] {
    decode(Array(payload.utf8))
    return batch.read
  }

  /// What was refused, as `index reason`, or `reason` for the whole payload.
  mutating func refusals(_ payload: String) -> [String] {
    decode(Array(payload.utf8))
    return refusals
  }

  var refusals: [String] {
    rejections.map { ($0.index.map { "\($0) " } ?? "") + $0.reason.rawValue }
  }
}
