public import Base
internal import CSimdjson

/// One line of a capture: a message as it came, or a span in which the daemon was away.
public enum CaptureLine: Equatable, Sendable {
  /// A message. Both texts lie in the reader's `bytes`.
  case message(at: Instant, topic: TextSlice, payload: TextSlice)
  /// The daemon was away between two instants: timers stand still, silences do not count.
  case away(from: Instant, to: Instant)
}

/// Why a line of a capture cannot be read.
public enum CaptureLineFault: Error, Equatable, Sendable {
  /// It is no JSON object: simdjson's word.
  case notJSON(String)
  /// A member is missing or of the wrong type.
  case badMember(StaticString)

  /// The fault in a sentence, with what was expected.
  public var message: String {
    switch self {
    case .notJSON(let reason): "not a JSON object (\(reason)): expected {\"at\":ms,\"topic\":T,\"payload\":…}"
    case .badMember(let detail): detail.description
    }
  }

  /// Two faults are equal if they say the same.
  public static func == (a: CaptureLineFault, b: CaptureLineFault) -> Bool { a.message == b.message }
}

/// Reads capture lines: `{"at":ms,"topic":T,"payload":JSON}`, or with `"base64"` for a payload that is no
/// JSON, or `{"away":{"from":ms,"to":ms}}`. One thread at a time.
///
/// A payload is taken as the bytes that stand on the line, so that its own faults reach the decoder.
@safe public final class CaptureLineReader {
  /// Room is left beyond both ends for all that is added to an instant.
  private static let instants: ClosedRange<Instant> = -(1 << 53)...1 << 53

  private let handle: OpaquePointer
  /// The arena of the topic and payload of the line read last.
  public private(set) var bytes: [UInt8] = []

  /// A reader with empty buffers.
  public init() {
    guard let handle = unsafe livecue_line_create() else {
      preconditionFailure("no memory for a reader of lines")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe livecue_line_destroy(handle) }

  /// Reads a line.
  public func read(_ line: [UInt8]) throws(CaptureLineFault) -> CaptureLine {
    // The payload is a range of the reader's own copy of the line, so the line is needed no longer.
    let found = try unsafe members(of: line)
    bytes.removeAll(keepingCapacity: true)
    if unsafe found.has_away != 0 {
      let (from, to) = unsafe (found.away_from, found.away_to)
      guard Self.instants.contains(from), Self.instants.contains(to), from <= to else {
        throw .badMember("\"away\": expected two instants up to 2^53, the later one second")
      }
      return .away(from: from, to: to)
    }
    guard unsafe found.has_at != 0 else { throw .badMember("no member \"at\": expected milliseconds") }
    let at = unsafe found.at
    guard Self.instants.contains(at) else {
      throw .badMember("\"at\": expected milliseconds, at most 2^53 from 1970")
    }
    let topic = unsafe append(found.topic)
    guard !topic.isAbsent else { throw .badMember("no member \"topic\": expected a string") }
    if unsafe found.base64.bytes != nil {
      let encoded = unsafe append(found.base64)
      let start = bytes.count
      guard Base64.decode(Array(bytes[encoded.range]), into: &bytes) else {
        throw .badMember("\"base64\": expected base64 (RFC 4648, section 4)")
      }
      return .message(at: at, topic: topic, payload: TextSlice(start: start, count: bytes.count - start))
    }
    guard unsafe found.payload.bytes != nil else {
      throw .badMember("no member \"payload\" or \"base64\": expected the message's payload")
    }
    return .message(at: at, topic: topic, payload: unsafe append(found.payload))
  }

  private func members(of line: [UInt8]) throws(CaptureLineFault) -> livecue_line {
    var found = unsafe livecue_line()
    var fault: UnsafePointer<CChar>?
    let status = unsafe line.withUnsafeBufferPointer { buffer in
      unsafe livecue_line_read(handle, buffer.baseAddress, buffer.count, &found, &fault)
    }
    guard status == 0 else {
      throw .notJSON(unsafe fault.map { unsafe String(cString: $0) } ?? "unknown")
    }
    return unsafe found
  }

  private func append(_ text: livecue_line_text) -> TextSlice {
    unsafe bytes.append(text: UnsafeBufferPointer(start: text.bytes, count: text.count))
  }
}
