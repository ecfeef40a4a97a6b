import CYAML

/// A parser event of libyaml with what we need of it.
struct YAMLEvent {
  enum Kind {
    case scalar(String, isPlain: Bool)
    case listStart, mappingStart
    case collectionEnd
    case alias(String)
    case documentStart, documentEnd
    case streamStart, streamEnd
  }

  var kind: Kind
  var anchor: String?
  var hasTag = false
  var position: SourcePosition
}

/// A fault after which a document cannot be read on.
struct YAMLFault: Error {
  var position: SourcePosition
  var message: String
}

/// Owns one libyaml parser and the bytes that it reads.
@safe final class YAMLEventSource {
  private let file: String
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  // "yaml_parser_set_input_string: … the input string must not be destroyed before the parser" (yaml.h).
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(bytes: [UInt8], file: String) {
    self.file = file
    unsafe input = .allocate(capacity: bytes.count)
    _ = unsafe input.initialize(from: bytes)
    unsafe parser = .allocate(capacity: 1)
    let isReady = unsafe yaml_parser_initialize(parser)
    precondition(isReady == 1, "libyaml has no memory for a parser")
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    // Without this libyaml would guess UTF-16 from the first two bytes.
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  /// The next event. After `streamEnd` or a fault there is none, and it must not be called.
  func next() throws(YAMLFault) -> YAMLEvent {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault() }
    // "An application is responsible for freeing any buffers associated with the event" (yaml.h).
    defer { unsafe yaml_event_delete(&event) }
    let position = unsafe place(event.start_mark)
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let text = unsafe String(decoding: bytes, as: UTF8.self)
      let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
      return unsafe YAMLEvent(
        kind: .scalar(text, isPlain: isPlain), anchor: string(scalar.anchor), hasTag: scalar.tag != nil,
        position: position)
    case YAML_SEQUENCE_START_EVENT:
      let start = unsafe event.data.sequence_start
      return unsafe YAMLEvent(
        kind: .listStart, anchor: string(start.anchor), hasTag: start.tag != nil, position: position)
    case YAML_MAPPING_START_EVENT:
      let start = unsafe event.data.mapping_start
      return unsafe YAMLEvent(
        kind: .mappingStart, anchor: string(start.anchor), hasTag: start.tag != nil, position: position)
    case YAML_ALIAS_EVENT:
      let name = unsafe string(event.data.alias.anchor) ?? ""
      return YAMLEvent(kind: .alias(name), position: position)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      return YAMLEvent(kind: .collectionEnd, position: position)
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, position: position)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, position: position)
    case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, position: position)
    default: return YAMLEvent(kind: .streamEnd, position: position)
    }
  }

  private func string(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let text = unsafe text else { return nil }
    return unsafe String(cString: text)
  }

  private func place(_ mark: yaml_mark_t) -> SourcePosition {
    SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1)
  }

  private func fault() -> YAMLFault {
    var message = "it cannot be read"
    if let problem = unsafe parser.pointee.problem { message = unsafe String(cString: problem) }
    if let context = unsafe parser.pointee.context {
      message = unsafe String(cString: context) + ", " + message
    }
    // A fault of the reader (bytes that are no UTF-8) has an offset instead of a mark.
    guard unsafe parser.pointee.error == YAML_READER_ERROR else {
      return unsafe YAMLFault(
        position: place(parser.pointee.problem_mark), message: "\(message), expected YAML")
    }
    var position = SourcePosition(file: file, line: 1, column: 1)
    let bytes = unsafe Array(input.prefix(parser.pointee.problem_offset))
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        position.line += 1
        position.column = 1
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
    }
    return YAMLFault(position: position, message: "\(message), expected UTF-8 text")
  }
}
