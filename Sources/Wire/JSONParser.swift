internal import CSimdjson

/// Why a payload is not JSON that we read.
public enum JSONFault: Error, Equatable, Sendable {
  /// Nested deeper than was allowed.
  case tooDeep
  /// Not JSON, and not one of the slips that are mended.
  case notJSON
}

/// Owns a simdjson parser and reads JSON with it. One thread at a time.
///
/// Payloads of real rooms hold texts that some client cut in the middle of a character. Such a text must
/// not cost the gifts beside it, so a payload that fails is tried once more on a copy that `JSONRepair`
/// made.
@safe public final class JSONParser {
  /// Payloads that were read only after a repair.
  public private(set) var repairedPayloads = 0

  private let handle: OpaquePointer
  private var document = unsafe livecue_json_document()
  private var hasDocument = false
  private var isLent = false

  /// A parser with empty buffers.
  public init() {
    guard let handle = unsafe livecue_json_create() else {
      preconditionFailure("No memory for a JSON parser.")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe livecue_json_destroy(handle) }

  /// Reads a payload of at most `maxDepth` nested containers. The result stays until the next parse.
  public func parse(_ payload: Span<UInt8>, maxDepth: Int) throws(JSONFault) {
    switch parseOnce(payload, maxDepth: maxDepth) {
    case livecue_json_ok: return
    case livecue_json_depth: throw .tooDeep
    case livecue_json_utf8, livecue_json_string, livecue_json_number: break
    default: throw .notJSON
    }
    guard let repaired = JSONRepair.repaired(payload) else { throw .notJSON }
    switch parseOnce(repaired.span, maxDepth: maxDepth) {
    case livecue_json_ok: repairedPayloads += 1
    case livecue_json_depth: throw .tooDeep
    default: throw .notJSON
    }
  }

  /// Lends the tape and the buffer of strings, of the payload that was parsed last. See `Tape`.
  public func withDocument<Result>(
    _ body: (_ tape: Span<UInt64>, _ strings: RawSpan) -> Result
  ) -> Result {
    precondition(hasDocument, "There is a document only after a parse that did not throw.")
    isLent = true
    defer { isLent = false }
    let tape = unsafe Span(_unsafeStart: document.tape, count: document.tape_count)
    let strings = unsafe RawSpan(_unsafeStart: document.strings, byteCount: document.readable_bytes)
    return body(tape, strings)
  }

  /// Appends the buffer of all strings, as far as it is used: a string keeps its offset from where the copy
  /// starts.
  public func appendStrings(to bytes: inout [UInt8]) {
    precondition(hasDocument, "There is a document only after a parse that did not throw.")
    unsafe bytes.append(
      contentsOf: UnsafeRawBufferPointer(start: document.strings, count: document.string_bytes))
  }

  /// Bytes of payload that the buffers hold now.
  var capacity: Int { unsafe livecue_json_capacity(handle) }

  private func parseOnce(_ payload: Span<UInt8>, maxDepth: Int) -> livecue_json_status {
    precondition(!isLent, "The document that is lent would go with the next parse.")
    let status = unsafe payload.withUnsafeBufferPointer { bytes in
      unsafe livecue_json_parse(handle, bytes.baseAddress, bytes.count, maxDepth, &document)
    }
    precondition(status != livecue_json_memory, "No memory to read a payload.")
    hasDocument = status == livecue_json_ok
    return status
  }
}
