public import Base

/// An operator's command as it came: what it wants, and how the answer is to be told apart.
public struct ControlRequest {
  /// The `id`, as it was given: a string or an integer; nil: none was.
  public var id: JSONValue?
  /// What it wants.
  public var operation: ControlOperation
  /// The instant after which it is too late; nil: never.
  public var expires: Instant?
  /// The events of a test as a payload of the native format.
  public var events: [UInt8] = []

  /// How long after its `time` a command may arrive that gives no `expires`.
  public static let lifeMilliseconds: Int64 = 5000
  /// Bytes of a payload, and of the ids in it.
  public static let maxBytes = 262_144
  /// Levels of a payload.
  public static let maxDepth = 32
}

/// What is wrong with a command or a renderer's word.
public struct ControlRefusal: Error, Equatable {
  /// The word of the answer.
  public var fault: ControlFault
  /// What was found and what was expected, for a person. Constant text.
  public var detail: StaticString

  /// A refusal.
  public init(_ fault: ControlFault, _ detail: StaticString) {
    self.fault = fault
    self.detail = detail
  }

  /// Two are equal if they say the same.
  public static func == (a: ControlRefusal, b: ControlRefusal) -> Bool {
    a.fault == b.fault && a.detail.description == b.detail.description
  }
}

extension ControlRequest {
  /// The object of a payload, for `id` and `init`.
  public static func object(_ payload: Span<UInt8>) throws(ControlRefusal) -> JSONValue {
    guard payload.count <= maxBytes else {
      throw ControlRefusal(.notJSON, "the payload has more than 262144 bytes")
    }
    let value: JSONValue
    do throws(JSONFault) {
      value = try JSONValue(payload, maxDepth: maxDepth)
    } catch {
      throw ControlRefusal(.notJSON, "the payload is not JSON (RFC 8259) of at most 32 levels")
    }
    guard case .object = value else { throw ControlRefusal(.notJSON, "the payload is no JSON object") }
    return value
  }

  /// The `id` of a payload's object; nil if it is no string of at most 256 bytes and no integer.
  public static func id(of object: JSONValue) -> JSONValue? {
    switch object["id"] {
    case .string(let text) where text.utf8.count <= 256: .string(text)
    case .integer(let number): .integer(number)
    default: nil
    }
  }

  /// Reads the object of a command for a room.
  public init(_ object: JSONValue, room: [UInt8]) throws(ControlRefusal) {
    if let other = object["room"], other != .null {
      guard let text = other.string, Array(text.utf8) == room else {
        throw ControlRefusal(.wrongRoom, "the member room is not the room of the topic")
      }
    }
    id = ControlRequest.id(of: object)
    if let given = try ControlRequest.instant("expires", of: object) {
      expires = given
    } else if let time = try ControlRequest.instant("time", of: object) {
      let (end, overflow) = time.addingReportingOverflow(ControlRequest.lifeMilliseconds)
      expires = overflow ? .max : end
    }
    guard let word = object["op"]?.string else {
      throw ControlRefusal(.unknownOperation, "found no op, expected a string")
    }
    operation = try ControlRequest.operation(word, object)
    if operation == .test {
      guard let event = object["event"], case .object = event else {
        throw ControlRefusal(.badMember, "found no event, expected an object of the native format")
      }
      event.append(to: &events)
    }
  }

  private static func operation(
    _ word: String, _ object: JSONValue
  ) throws(ControlRefusal) -> ControlOperation {
    switch word {
    case "pause": return .pause(try part(object))
    case "resume": return .resume(try part(object))
    case "clear": return .clear(try part(object))
    case "skip": return .skip(try track(object))
    case "mute": return .mute(sender: try sender(object))
    case "unmute": return .unmute(sender: try sender(object))
    case "remove":
      guard let ids = object["ids"], ids != .null else { return .removeAll(sender: try sender(object)) }
      return .remove(ids: try list(ids))
    case "test": return .test
    default:
      throw ControlRefusal(
        .unknownOperation,
        "expected op to be pause, resume, skip, clear, mute, unmute, remove or test")
    }
  }

  private static func part(_ object: JSONValue) throws(ControlRefusal) -> RoomPart? {
    guard let value = object["part"], value != .null, value != .string("all") else { return nil }
    guard let part = value.string.flatMap(RoomPart.init) else {
      throw ControlRefusal(.badMember, "expected part to be gift, stage, comment, like or all")
    }
    return part
  }

  private static func track(_ object: JSONValue) throws(ControlRefusal) -> Track {
    let text = object["track"]?.string ?? ""
    if text == "stage" { return .stage }
    guard text.hasPrefix("gift/"), let number = Int(text.dropFirst(5)), number >= 0 else {
      throw ControlRefusal(.noSuchTrack, "expected track to be gift/0, gift/1, … or stage")
    }
    return .gift(number)
  }

  /// A sender's id: a string, an integer, or an object with an `id`.
  private static func sender(_ object: JSONValue) throws(ControlRefusal) -> [UInt8] {
    let value = object["sender"]
    guard let id = idBytes(value?["id"] ?? value) else {
      throw ControlRefusal(.badMember, "expected sender to be an id: a string of 1-256 bytes or an integer")
    }
    return id
  }

  private static func list(_ value: JSONValue) throws(ControlRefusal) -> [[UInt8]] {
    guard let values = value.array else {
      throw ControlRefusal(.badMember, "expected ids to be a list of ids")
    }
    var ids: [[UInt8]] = []
    for value in values {
      guard let id = idBytes(value) else {
        throw ControlRefusal(.badMember, "expected each of ids to be a string of 1-256 bytes or an integer")
      }
      ids.append(id)
    }
    return ids
  }

  private static func idBytes(_ value: JSONValue?) -> [UInt8]? {
    switch value {
    case .string(let text) where 1...256 ~= text.utf8.count: Array(text.utf8)
    case .integer(let number): Array("\(number)".utf8)
    default: nil
    }
  }

  private static func instant(_ name: String, of object: JSONValue) throws(ControlRefusal) -> Instant? {
    guard let value = object[name], value != .null else { return nil }
    guard let instant = value.integer else {
      throw ControlRefusal(.badMember, "expected time and expires to be milliseconds since 1970")
    }
    return instant
  }
}

/// What a renderer says, as it came.
public struct FeedbackReport: Equatable {
  /// What it says.
  public var operation: FeedbackOperation
  /// Its name; empty: it did not say.
  public var renderer: [UInt8]

  /// Reads a payload. Nil if it is none: not an object, no `op` that we know, or no `group` where there must
  /// be one.
  public init?(_ payload: Span<UInt8>) {
    guard payload.count <= 65_536 else { return nil }
    let value: JSONValue
    do throws(JSONFault) {
      value = try JSONValue(payload, maxDepth: 8)
    } catch {
      return nil
    }
    let group = value["group"]?.integer.map { Int($0) }
    switch (value["op"]?.string, group) {
    case ("done", let group?): operation = .done(group: group)
    case ("failed", let group?): operation = .failed(group: group)
    case ("click", let group?): operation = .click(group: group)
    case ("resync", _): operation = .resync
    default: return nil
    }
    renderer = Array((value["renderer"]?.string ?? "").utf8.prefix(256))
  }
}
