public import Base

/// What became of an element, for a person.
public struct ElementOutcome: Equatable, Sendable {
  /// What became of it.
  public enum Result: Equatable, Sendable {
    /// An event was made; whether it is a valid one, its reader says.
    case event(EventKind)
    /// A case of the profile drops it.
    case dropped(String)
  }

  /// The element's place in the payload's array.
  public var index: Int
  /// Which case of the profile it was, from 0.
  public var caseIndex: Int
  /// What became of it.
  public var result: Result
}

/// The flat elements that a translation wrote, and which elements of the payload they are from.
struct TranslatedPayload {
  /// A JSON array of flat elements.
  private(set) var bytes: [UInt8] = []
  /// For each flat element the place of its element in the payload.
  private(set) var indices: [Int] = []
  /// What no flat element was made of although something was expected.
  private(set) var rejections: [Rejection] = []
  /// What became of each element, in order.
  private(set) var outcomes: [ElementOutcome] = []
  /// The room of the element in hand, where the payload says it.
  var room: JSONValue?

  mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(UInt8(ascii: "["))
    indices.removeAll(keepingCapacity: true)
    rejections.removeAll(keepingCapacity: true)
    outcomes.removeAll(keepingCapacity: true)
  }

  mutating func finish() { bytes.append(UInt8(ascii: "]")) }

  mutating func refuse(_ index: Int, _ reason: RejectionReason, _ detail: StaticString) {
    rejections.append(Rejection(index: index, reason: reason, detail: detail))
  }

  mutating func drop(_ index: Int, by number: Int, _ why: String) {
    outcomes.append(ElementOutcome(index: index, caseIndex: number, result: .dropped(why)))
  }

  mutating func beginEvent(_ index: Int, by number: Int, _ kind: EventKind) {
    outcomes.append(ElementOutcome(index: index, caseIndex: number, result: .event(kind)))
    JSONWriter.append(literal: indices.isEmpty ? "{\"type\":\"" : ",{\"type\":\"", to: &bytes)
    JSONWriter.append(literal: kind.name, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    if let room {
      JSONWriter.append(literal: ",\"room\":", to: &bytes)
      room.append(to: &bytes)
    }
    indices.append(index)
  }

  mutating func endEvent() { bytes.append(UInt8(ascii: "}")) }

  /// Writes a field. A value that is absent, an array or an object is left out.
  mutating func write(_ field: EventField, _ value: JSONValue?) {
    guard let value, value.isPresent else { return }
    if field == .ids, case .array = value {
      // What is wrong with one of them its reader says.
      JSONWriter.append(literal: ",\"ids\":", to: &bytes)
      value.append(to: &bytes)
      return
    }
    let number = field.isNumber ? value.decimal : nil
    guard number != nil || value.isPlain else { return }
    JSONWriter.append(literal: ",\"\(field.rawValue)\":", to: &bytes)
    if let number {
      JSONWriter.append(number, to: &bytes)
    } else if field.isTruth, let truth = value.truth {
      JSONWriter.append(literal: truth ? "true" : "false", to: &bytes)
    } else {
      switch value {
      case .integer(let value): JSONWriter.append(value, to: &bytes)
      case .bool(let value): JSONWriter.append(literal: value ? "true" : "false", to: &bytes)
      case .string(let text): JSONWriter.append(string: Array(text.utf8).span, to: &bytes)
      // No field takes a fraction; a text in its place is refused where a number is needed, with that reason.
      case .null, .double, .array, .object: JSONWriter.append(literal: "1.5", to: &bytes)
      }
    }
  }
}

extension EventField {
  /// True if a decimal text is its number.
  fileprivate var isNumber: Bool {
    switch self {
    case .time, .senderLevel, .receiverLevel, .giftPrice, .count, .total: true
    default: false
    }
  }

  /// True if a text may be its truth value.
  fileprivate var isTruth: Bool { [.senderAnonymous, .combo, .end, .raises, .corrects].contains(self) }
}

extension BatchDecoder {
  /// What cases made of each element, in order, of the payload that was decoded last by a profile with cases.
  public var outcomes: [ElementOutcome] { translated.outcomes }

  /// Decodes the payload that was parsed last, by the cases of its profile.
  mutating func decode(
    with translation: Translation, _ input: borrowing DecoderInput, _ limits: RoomLimits,
    into batch: inout EventBatch, rejections: inout [Rejection]
  ) {
    do throws(Refusal) {
      try translate(with: translation, kind: input.kind, limits)
    } catch {
      rejections.append(Rejection(index: nil, reason: error.reason, detail: error.detail))
      return
    }
    droppedElements += translated.outcomes.count { if case .dropped = $0.result { true } else { false } }
    var flatLimits = limits
    flatLimits.maxBatchBytes = .max
    let flat = DecoderInput(source: input.source, kind: nil, profile: translation.flat)
    let bytes = translated.bytes
    decode(bytes.span, input: flat, limits: flatLimits, into: &batch, rejections: &rejections)
    for position in batch.events.indices {
      batch.events[position].index = translated.indices[batch.events[position].index]
    }
    for position in rejections.indices {
      if let index = rejections[position].index { rejections[position].index = translated.indices[index] }
    }
    if translated.rejections.isEmpty { return }
    rejections = (rejections + translated.rejections).sorted { ($0.index ?? -1) < ($1.index ?? -1) }
  }

  /// Translates the payload that was parsed last.
  mutating func translate(
    with translation: Translation, kind: EventKind?, _ limits: RoomLimits
  ) throws(Refusal) {
    let payload = parser.withDocument { tape, strings in
      JSONValue(at: Tape.root, tape, strings, keepsDigits: true)
    }
    try translation.translate(payload, kind: kind, limits: limits, into: &translated)
  }
}
