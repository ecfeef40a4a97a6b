public import Base

/// Which element of a payload is whose, valid or not: for who looks for an event or a sender.
public struct ElementIdentity: Equatable, Sendable {
  /// The element's place in the payload's array.
  public var index: Int
  /// What it is; nil if it says no known kind.
  public var kind: EventKind?
  /// Its room, where the payload says it; empty: none that can be read. Nil: the payload does not say rooms.
  public var room: [UInt8]?
  /// The event's id; empty: none that can be read.
  public var id: [UInt8]
  /// The sender's id; empty: none that can be read.
  public var sender: [UInt8]
  /// The gift's id; empty: none that can be read.
  public var gift: [UInt8]
  /// The receiver's id; empty: none that can be read.
  public var receiver: [UInt8]
}

extension BatchDecoder {
  /// Reads who each element of a payload is of, as far as that can be read. Nil if the payload is no JSON or
  /// has no elements where the profile says. It allocates for each element: for people, not for the data
  /// path.
  public mutating func identities(
    in payload: Span<UInt8>, input: borrowing DecoderInput
  ) -> [ElementIdentity]? {
    do throws(JSONFault) {
      try parser.parse(payload, maxDepth: BatchDecoder.identityDepth)
    } catch {
      return nil
    }
    if let translation = input.profile.translation { return identities(with: translation, input) }
    var arena: [UInt8] = []
    parser.appendStrings(to: &arena)
    let profile = input.profile
    let reader = EventReader(kind: input.kind, profile: profile, limits: RoomLimits())
    var elements = ElementIndex()
    elements.begin(profile)
    return parser.withDocument { tape, strings in
      let list: ElementList
      do throws(Refusal) {
        list = try Self.elements(of: profile, tape, strings)
      } catch {
        return nil
      }
      var found: [ElementIdentity] = []
      var index = list.isArray ? list.start + 1 : list.start
      let end = list.isArray ? Tape.end(tape[list.start]) - 1 : list.start + 1
      var position = 0
      let room = list.start == Tape.root ? 0 : Self.member(at: profile.roomPath, tape, strings)
      while index < end {
        if Tape.type(tape[index]) == Tape.object {
          elements.read(index, profile, tape, strings)
          found.append(reader.identity(at: position, elements, else: room, tape, strings, arena: &arena))
        }
        index = Tape.index(after: index, word: tape[index])
        position += 1
      }
      return found
    }
  }

  /// The same for the payload that was parsed last, by the cases of its profile: of elements that become
  /// events.
  private mutating func identities(
    with translation: Translation, _ input: borrowing DecoderInput
  ) -> [ElementIdentity]? {
    var limits = RoomLimits()
    limits.maxEvents = .max
    limits.maxDepth = Self.identityDepth
    do throws(Refusal) {
      try translate(with: translation, kind: input.kind, limits)
    } catch {
      return nil
    }
    let flat = DecoderInput(source: input.source, kind: nil, profile: translation.flat)
    let bytes = translated.bytes
    return identities(in: bytes.span, input: flat)?.map { identity in
      var identity = identity
      identity.index = translated.indices[identity.index]
      return identity
    }
  }

  /// What nests deeper than any limit of the configuration allows is read no more.
  private static var identityDepth: Int { 1000 }
}

extension EventReader {
  /// Whose an element is. What is wrong with it does not matter here.
  fileprivate func identity(
    at position: Int, _ element: borrowing ElementIndex, else room: Int, _ tape: Span<UInt64>,
    _ strings: RawSpan,
    arena: inout [UInt8]
  ) -> ElementIdentity {
    var kind: EventKind?
    do throws(Refusal) { kind = try self.kind(element, tape, strings, arena: &arena) } catch { kind = nil }
    let places = profile.places(of: kind ?? .gift)
    func text(_ fields: [FieldPlace]) -> [UInt8] {
      for place in fields {
        do throws(Refusal) {
          let id = try id(element.value(place, profile, tape), tape, strings, arena: &arena)
          if !id.isAbsent { return Array(arena[id.range]) }
        } catch {
          continue
        }
      }
      return []
    }
    var name: [UInt8]?
    if profile.roomNode != 0 {
      do throws(Refusal) {
        name = Array(arena[try self.room(element, else: room, tape, strings, arena: &arena).range])
      } catch {
        name = []
      }
    }
    return ElementIdentity(
      index: position, kind: kind, room: name, id: text([places.id]),
      sender: text([places.senderID, places.sender]),
      gift: text([places.giftID, places.gift]), receiver: text([places.receiverID, places.receiver]))
  }
}
