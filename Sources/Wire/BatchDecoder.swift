public import Base

/// How the payloads of one input are read.
public struct DecoderInput: Sendable {
  /// Which input it is; copied to the batch.
  public var source: UInt32
  /// The kind of every event; nil: each element says its own.
  public var kind: EventKind?
  /// Where the members lie.
  public var profile: CompiledProfile

  /// An input.
  public init(source: UInt32, kind: EventKind?, profile: CompiledProfile) {
    self.source = source
    self.kind = kind
    self.profile = profile
  }
}

/// Reads payloads into events. One per thread; its buffers are reused, so the steady path allocates nothing.
public struct BatchDecoder {
  let parser = JSONParser()
  var translated = TranslatedPayload()
  private var elements = ElementIndex()

  /// A decoder with empty buffers.
  public init() {}

  /// Elements so far that a case of their profile dropped.
  public internal(set) var droppedElements = 0

  /// Payloads so far that were JSON only after a repair.
  public var repairedPayloads: Int { parser.repairedPayloads }

  /// Reads a payload whole. Both results are emptied first. What is wrong with an element drops that element
  /// alone; a payload that is no batch is refused with one rejection without an index.
  ///
  /// Cost: linear in the payload; about 240 ns for an event of 100 bytes, of which parsing is 105.
  public mutating func decode(
    _ payload: Span<UInt8>, input: borrowing DecoderInput, limits: RoomLimits, into batch: inout EventBatch,
    rejections: inout [Rejection]
  ) {
    batch.removeAll()
    batch.source = input.source
    rejections.removeAll(keepingCapacity: true)
    do throws(Refusal) {
      try parse(payload, limits)
    } catch {
      rejections.append(Rejection(index: nil, reason: error.reason, detail: error.detail))
      return
    }
    if let translation = input.profile.translation {
      decode(with: translation, input, limits, into: &batch, rejections: &rejections)
      return
    }
    // A text keeps its offset in this copy, so that most texts need no further step.
    parser.appendStrings(to: &batch.bytes)
    let profile = input.profile
    let kind = input.kind
    elements.begin(profile)
    parser.withDocument { tape, strings in
      do throws(Refusal) {
        let list = try Self.elements(of: profile, tape, strings)
        if list.isArray, Tape.memberCount(tape[list.start]) > limits.maxEvents {
          throw Refusal(.tooManyEvents, "the batch has more elements than maxEvents")
        }
        let room = list.start == Tape.root ? 0 : Self.member(at: profile.roomPath, tape, strings)
        readElements(
          list, kind, profile, limits, room, tape, strings, into: &batch, rejections: &rejections)
      } catch {
        rejections.append(Rejection(index: nil, reason: error.reason, detail: error.detail))
      }
    }
  }

  private func parse(_ payload: Span<UInt8>, _ limits: RoomLimits) throws(Refusal) {
    guard payload.count <= limits.maxBatchBytes else {
      throw Refusal(.tooLarge, "the payload has more bytes than maxBatchBytes")
    }
    do {
      try parser.parse(payload, maxDepth: limits.maxDepth)
    } catch {
      switch error {
      case .tooDeep: throw Refusal(.tooDeep, "the payload is nested deeper than maxDepth")
      case .notJSON: throw Refusal(.notJSON, "the payload is not JSON (RFC 8259)")
      }
    }
  }

  private mutating func readElements(
    _ list: ElementList, _ kind: EventKind?, _ profile: CompiledProfile, _ limits: RoomLimits,
    _ room: Int, _ tape: Span<UInt64>, _ strings: RawSpan, into batch: inout EventBatch,
    rejections: inout [Rejection]
  ) {
    let reader = EventReader(kind: kind, profile: profile, limits: limits)
    var index = list.isArray ? list.start + 1 : list.start
    let end = list.isArray ? Tape.end(tape[list.start]) - 1 : list.start + 1
    var position = 0
    while index < end {
      do throws(Refusal) {
        guard Tape.type(tape[index]) == Tape.object else {
          throw Refusal(.unknownType, "found an element that is no object, expected an event")
        }
        elements.read(index, profile, tape, strings)
        let kind = try reader.kind(elements, tape, strings, arena: &batch.bytes)
        // Filled in place: an event is large enough that copying it would show.
        batch.events.append(Event(kind: kind, index: position))
        let last = batch.events.count - 1
        try reader.fill(&batch.events[last], elements, tape, strings, arena: &batch.bytes)
        if kind == .remove {
          try reader.readRemovedIDs(
            of: &batch.events[last], elements, tape, strings, into: &batch.removedIDs, arena: &batch.bytes)
        }
        if profile.roomNode != 0 {
          batch.rooms.append(try reader.room(elements, else: room, tape, strings, arena: &batch.bytes))
        }
      } catch {
        if let last = batch.events.last, last.index == position { batch.events.removeLast() }
        rejections.append(Rejection(index: position, reason: error.reason, detail: error.detail))
      }
      index = Tape.index(after: index, word: tape[index])
      position += 1
    }
  }

  /// The member at a path of the payload; 0 if there is none.
  static func member(at path: [[UInt8]], _ tape: Span<UInt64>, _ strings: RawSpan) -> Int {
    if path.isEmpty { return 0 }
    var index = Tape.root
    for name in path {
      guard Tape.type(tape[index]) == Tape.object else { return 0 }
      index = Tape.member(name, of: index, tape, strings)
      if index == 0 { return 0 }
    }
    return index
  }

  /// Where the elements lie: an array, or one object.
  struct ElementList {
    let start: Int
    let isArray: Bool
  }

  static func elements(
    of profile: CompiledProfile, _ tape: Span<UInt64>, _ strings: RawSpan
  ) throws(Refusal) -> ElementList {
    switch Tape.type(tape[Tape.root]) {
    case Tape.array: return ElementList(start: Tape.root, isArray: true)
    case Tape.object: break
    default: throw Refusal(.notABatch, "found a single value, expected an array of events or an object")
    }
    guard !profile.elementsPath.isEmpty else { return ElementList(start: Tape.root, isArray: false) }
    var index = Tape.root
    for name in profile.elementsPath {
      let member = Tape.type(tape[index]) == Tape.object ? Tape.member(name, of: index, tape, strings) : 0
      if member == 0 { return ElementList(start: Tape.root, isArray: false) }
      index = member
    }
    guard Tape.type(tape[index]) == Tape.array else {
      throw Refusal(.notABatch, "found no array where the profile says that the events are")
    }
    return ElementList(start: index, isArray: true)
  }
}

/// Why an element was refused. An error without a box, so that a bad element costs no allocation either.
struct Refusal: Error {
  let reason: RejectionReason
  let detail: StaticString

  init(_ reason: RejectionReason, _ detail: StaticString) {
    self.reason = reason
    self.detail = detail
  }
}
