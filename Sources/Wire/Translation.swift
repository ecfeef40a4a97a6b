internal import Base

/// Turns the elements of a source that paths alone do not describe into flat ones,
/// `{"type":"gift","sender.id":…}`, by the cases of its profile. It knows no platform, and keeps nothing from
/// one payload to the next.
///
/// It allocates: a payload is read as a tree, written flat and read again. Profiles of plain paths never come
/// here.
final class Translation: Sendable {
  /// What reads the flat elements.
  let flat: CompiledProfile
  private let profile: Profile
  private let roomPath: [String]

  init(_ profile: Profile, roomPath: [String]) {
    self.profile = profile
    self.roomPath = roomPath
    flat = CompiledProfile(Self.flatProfile, roomPath: roomPath.isEmpty ? [] : [Self.roomMember])
  }

  /// The member of a flat element that is its room.
  private static let roomMember = "room"

  /// Each field is a member of its own name.
  private static let flatProfile = Profile(
    name: "flat", elementsPath: [], kindPath: ["type"],
    kindNames: EventKind.allCases.map { KindName(word: $0.name, kind: $0) },
    mappings: EventField.allCases.map { FieldMapping(kind: nil, field: $0, path: [$0.rawValue]) })

  /// Writes what the cases make of a payload.
  /// - Parameters:
  ///   - kind: what the topic says that every event is: only cases of that kind, and those that drop, are
  ///     looked at.
  ///   - limits: how many elements there may be, and how deep a text that is JSON may nest.
  func translate(
    _ payload: JSONValue, kind: EventKind?, limits: RoomLimits, into output: inout TranslatedPayload
  ) throws(Refusal) {
    output.begin()
    let elements = try elements(of: payload)
    guard elements.count <= limits.maxEvents else {
      throw Refusal(.tooManyEvents, "the batch has more elements than maxEvents")
    }
    for (index, element) in elements.enumerated() {
      guard case .object = element else {
        output.refuse(index, .unknownType, "found an element that is no object, expected an event")
        continue
      }
      var isBroken = false
      let element = opened(element, maxDepth: limits.maxDepth, isBroken: &isBroken)
      output.room = room(of: element, in: payload)
      guard !translate(element, at: index, kind: kind, into: &output) else { continue }
      if isBroken {
        output.refuse(
          index, .notJSON, "a text that the profile reads as JSON is none, and no case fits without it")
      } else {
        output.refuse(index, .unknownType, "found an element that fits no case of the profile")
      }
    }
    output.finish()
  }

  /// The room that an element says, or else the payload; nil: nothing says it.
  private func room(of element: JSONValue, in payload: JSONValue) -> JSONValue? {
    if roomPath.isEmpty { return nil }
    if let room = element.member(at: roomPath), room.isPresent { return room }
    return payload.member(at: roomPath)
  }

  private func elements(of payload: JSONValue) throws(Refusal) -> [JSONValue] {
    if case .array(let elements) = payload { return elements }
    guard case .object = payload else {
      throw Refusal(.notABatch, "found a single value, expected an array of events or an object")
    }
    guard !profile.elementsPath.isEmpty, let list = payload.member(at: profile.elementsPath) else {
      return [payload]
    }
    guard case .array(let elements) = list else {
      throw Refusal(.notABatch, "found no array where the profile says that the events are")
    }
    return elements
  }

  /// The element with the texts that are JSON read; a text that cannot be read stays, so that no case fits
  /// what lies in it, and then `isBroken` is true.
  private func opened(_ element: JSONValue, maxDepth: Int, isBroken: inout Bool) -> JSONValue {
    var element = element
    for path in profile.insidePaths {
      guard case .string(let text)? = element.member(at: path) else { continue }
      let parser = JSONParser()
      do throws(JSONFault) {
        try parser.parse(Array(text.utf8).span, maxDepth: maxDepth)
      } catch {
        isBroken = true
        continue
      }
      let inner = parser.withDocument { tape, strings in
        JSONValue(at: Tape.root, tape, strings, keepsDigits: true)
      }
      element = element.replacing(path[...], with: inner)
    }
    return element
  }

  /// False if no case fits.
  private func translate(
    _ element: JSONValue, at index: Int, kind: EventKind?, into output: inout TranslatedPayload
  ) -> Bool {
    var fits = false
    var hasEvent = false
    for (number, entry) in profile.cases.enumerated() {
      if case .event(let own) = entry.outcome, let kind, own != kind { continue }
      guard entry.conditions.allSatisfy({ $0.holds(in: element) }) else { continue }
      fits = true
      switch entry.outcome {
      // What became an event before, and goes on, is not dropped by a case that catches the rest.
      case .drop(let why): if !hasEvent { output.drop(index, by: number, why) }
      case .event(let kind):
        hasEvent = true
        if entry.eachPath.isEmpty {
          write(element, entry, kind, at: index, by: number, into: &output)
        } else if case .array(let parts)? = element.member(at: entry.eachPath) {
          for part in parts {
            write(element.adding("each", part), entry, kind, at: index, by: number, into: &output)
          }
        } else {
          output.refuse(index, .unknownType, "found no array where the profile says that the parts are")
        }
      }
      if !entry.goesOn { return true }
    }
    return fits
  }

  private func write(
    _ element: JSONValue, _ entry: ProfileCase, _ kind: EventKind, at index: Int, by number: Int,
    into output: inout TranslatedPayload
  ) {
    output.beginEvent(index, by: number, kind)
    for field in EventField.allCases {
      if let rule = entry.fields.first(where: { $0.field == field }) {
        output.write(field, rule.value.value(in: element))
        continue
      }
      // Whom or what a removal names its case alone says: a field that others share must not name everyone.
      if kind == .remove, field != .id, field != .time { continue }
      for mapping in profile.mappings
      where mapping.field == field && (mapping.kind == nil || mapping.kind == kind) {
        guard let value = element.member(at: mapping.path), value.isPresent else { continue }
        output.write(field, value)
        break
      }
    }
    output.endEvent()
  }
}
