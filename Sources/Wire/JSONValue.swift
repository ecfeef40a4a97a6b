/// A JSON value as a tree, for the side that subscribes: commands that a person or a renderer reads.
///
/// It allocates freely and is not for the path that batches take.
public indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  /// Of a member given twice the last counts.
  case object([String: JSONValue])

  /// Reads a payload of at most so many levels.
  public init(_ payload: Span<UInt8>, maxDepth: Int = 64) throws(JSONFault) {
    let parser = JSONParser()
    try parser.parse(payload, maxDepth: maxDepth)
    self = parser.withDocument { tape, strings in
      JSONValue(at: Tape.root, tape, strings)
    }
  }

  /// Appends the value as JSON. Members of objects go in the order of their names' bytes.
  public func append(to output: inout [UInt8]) {
    switch self {
    case .null: JSONWriter.append(literal: "null", to: &output)
    case .bool(let value): JSONWriter.append(literal: value ? "true" : "false", to: &output)
    case .integer(let value): JSONWriter.append(value, to: &output)
    case .double(let value): JSONWriter.append(literal: "\(value)", to: &output)
    case .string(let value):
      let bytes = Array(value.utf8)
      JSONWriter.append(string: bytes.span, to: &output)
    case .array(let values):
      output.append(UInt8(ascii: "["))
      for (place, value) in values.enumerated() {
        if place > 0 { output.append(UInt8(ascii: ",")) }
        value.append(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (place, member) in sorted.enumerated() {
        output.append(UInt8(ascii: place == 0 ? "{" : ","))
        let name = Array(member.key.utf8)
        JSONWriter.append(string: name.span, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.append(to: &output)
      }
      JSONWriter.append(literal: members.isEmpty ? "{}" : "}", to: &output)
    }
  }

  /// The value of an object's member; nil if this is no object or has none.
  public subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The value as an integer.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The value as a text.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The value as a list.
  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

  /// The value at a place on the tape.
  /// - Parameter keepsDigits: integers beyond `Int64` become their decimal texts instead of numbers that are
  ///   rounded.
  init(at index: Int, _ tape: Span<UInt64>, _ strings: RawSpan, keepsDigits: Bool = false) {
    let word = tape[index]
    switch Tape.type(word) {
    case Tape.yes: self = .bool(true)
    case Tape.no: self = .bool(false)
    case Tape.signed: self = .integer(Int64(bitPattern: tape[index + 1]))
    case Tape.unsigned:
      self = keepsDigits ? .string(String(tape[index + 1])) : .double(Double(tape[index + 1]))
    case Tape.double: self = .double(Double(bitPattern: tape[index + 1]))
    case Tape.string: self = .string(JSONValue.text(at: Tape.offset(word), strings))
    case Tape.array:
      var values: [JSONValue] = []
      var element = index + 1
      while element < Tape.end(word) - 1 {
        values.append(JSONValue(at: element, tape, strings, keepsDigits: keepsDigits))
        element = Tape.index(after: element, word: tape[element])
      }
      self = .array(values)
    case Tape.object:
      var members: [String: JSONValue] = [:]
      var key = index + 1
      while key < Tape.end(word) - 1 {
        let value = JSONValue(at: key + 1, tape, strings, keepsDigits: keepsDigits)
        members[JSONValue.text(at: Tape.offset(tape[key]), strings)] = value
        key = Tape.index(after: key + 1, word: tape[key + 1])
      }
      self = .object(members)
    default: self = .null
    }
  }

  private static func text(at offset: Int, _ strings: RawSpan) -> String {
    let count = Tape.stringCount(strings, at: offset)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var position = 0
    while position < count {
      let word = Tape.eightBytes(strings, at: offset + 4 + position)
      for shift in 0..<min(8, count - position) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift)))
      }
      position += 8
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
