/// Why an element, or a whole payload, was refused. The raw value is the word on the `rejected` topics.
public enum RejectionReason: String, CaseIterable, Sendable {
  case notJSON = "not-json"
  case notABatch = "not-a-batch"
  case tooLarge = "too-large"
  case tooManyEvents = "too-many-events"
  case tooDeep = "too-deep"
  case unknownType = "unknown-type"
  case missingSender = "missing-sender"
  case missingGift = "missing-gift"
  case missingText = "missing-text"
  case badCount = "bad-count"
  case badPrice = "bad-price"
  case idTooLong = "id-too-long"
  case badRoom = "bad-room"
  case tooManyRooms = "too-many-rooms"
  case tooManyStreaks = "too-many-streaks"
  case poison = "poison"
}

/// One refusal.
public struct Rejection: Equatable, Sendable {
  /// The element's place in the payload's array; nil when the payload was refused whole.
  public var index: Int?
  /// Why.
  public var reason: RejectionReason
  /// What was found and what was expected, for a person. Constant text: it never quotes the payload.
  public var detail: StaticString

  /// A refusal of one element, or with no index of a whole payload.
  public init(index: Int?, reason: RejectionReason, detail: StaticString) {
    self.index = index
    self.reason = reason
    self.detail = detail
  }

  /// Two refusals are equal if they say the same.
  public static func == (a: Rejection, b: Rejection) -> Bool {
    a.index == b.index && a.reason == b.reason && a.detail.description == b.detail.description
  }
}
