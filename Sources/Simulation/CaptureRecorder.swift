public import Base
import Glibc
import Wire

/// Writes what comes in to the end of a capture file, as lines that `CaptureFile` reads, compressed if its
/// name ends in `.gz`.
///
/// A capture is an extra, so nothing about it may cost the service anything: what cannot be written is left
/// out and counted, and the file ends with a whole line again. Each piece that is written stands for itself,
/// also compressed (a member of its own; RFC 1952 lets members follow one another), so a kill costs what was
/// not written and no more.
public final class CaptureRecorder {
  /// The path of the file.
  public let path: String
  /// True if pieces are compressed: then they should be large, and `flush` called once a second, not each
  /// turn.
  public var isCompressed: Bool { compressor != nil }
  /// Lines that are in the file.
  public private(set) var linesWritten = 0
  /// Lines that could not be written.
  public private(set) var linesLost = 0
  /// What the system said when the last piece could not be written; nil if it was.
  public private(set) var fault: String?

  private let descriptor: Int32
  private let compressor: GzipCompressor?
  private let parser = JSONParser()
  private var buffer: [UInt8] = []
  private var bufferedLines = 0
  private var compressed: [UInt8] = []

  /// Bytes of lines that are written without waiting for `flush`.
  private static let pieceBytes = 1 << 18
  /// Far more than any payload of ours nests; what nests deeper is carried as base64.
  private static let maxDepth = 64

  /// Opens a file to append to, and makes it if it is not there.
  public init(path: String) throws(CaptureFile.Fault) {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else {
      throw .cannotOpen(path: path, reason: unsafe String(cString: strerror(errno)))
    }
    compressor = path.hasSuffix(".gz") ? GzipCompressor() : nil
    endBrokenLine()
  }

  deinit { close(descriptor) }

  /// True if there is something to flush.
  public var hasUnwritten: Bool { bufferedLines > 0 }

  /// Adds a message.
  public func add(topic: Span<UInt8>, payload: Span<UInt8>, at instant: Instant) {
    CaptureForm.append(at: instant, topic: topic, to: &buffer)
    if isPlain(payload) {
      JSONWriter.append(literal: ",\"payload\":", to: &buffer)
      for position in payload.indices { buffer.append(payload[position]) }
      JSONWriter.append(literal: "}\n", to: &buffer)
    } else {
      JSONWriter.append(literal: ",\"base64\":\"", to: &buffer)
      Base64.encode(Array(copying: payload), into: &buffer)
      JSONWriter.append(literal: "\"}\n", to: &buffer)
    }
    lineEnded()
  }

  /// Adds a span in which the daemon was away.
  public func addAway(from: Instant, to: Instant) {
    JSONWriter.append(literal: "{\"away\":{\"from\":\(from),\"to\":\(to)}}\n", to: &buffer)
    lineEnded()
  }

  /// Writes what is there.
  public func flush() {
    guard bufferedLines > 0 else { return }
    let start = lseek(descriptor, 0, SEEK_END)
    if let compressor {
      compressor.compress(buffer, into: &compressed)
      fault = write(compressed)
    } else {
      fault = write(buffer)
    }
    if fault == nil {
      linesWritten += bufferedLines
    } else {
      linesLost += bufferedLines
      // A part of the piece may be there. What is no file, a pipe, cannot be cut, and need not be.
      if start >= 0 { _ = ftruncate(descriptor, start) }
    }
    buffer.removeAll(keepingCapacity: true)
    bufferedLines = 0
  }

  private func lineEnded() {
    bufferedLines += 1
    if buffer.count >= CaptureRecorder.pieceBytes { flush() }
  }

  /// True if the payload can stand on a line as it is, and is read from it as the same bytes.
  private func isPlain(_ payload: Span<UInt8>) -> Bool {
    guard payload.count >= 2, "{[".utf8.contains(payload[0]), "}]".utf8.contains(payload[payload.count - 1])
    else { return false }
    for position in payload.indices where payload[position] == 0x0A || payload[position] == 0x0D {
      return false
    }
    let repaired = parser.repairedPayloads
    do throws(JSONFault) {
      try parser.parse(payload, maxDepth: CaptureRecorder.maxDepth)
    } catch {
      return false
    }
    return parser.repairedPayloads == repaired
  }

  /// A loss of power can leave the beginning of a line: the next one must not go on from it.
  private func endBrokenLine() {
    guard compressor == nil, case let end = lseek(descriptor, 0, SEEK_END), end > 0 else { return }
    var last: UInt8 = 0
    guard unsafe pread(descriptor, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") else { return }
    fault = write([UInt8(ascii: "\n")])
  }

  /// The system's word if that failed.
  private func write(_ bytes: [UInt8]) -> String? {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written > 0 {
        start += written
      } else if errno != EINTR {
        return unsafe String(cString: strerror(errno))
      }
    }
    return nil
  }
}

/// How a line of a capture begins.
enum CaptureForm {
  /// Appends `{"at":ms,"topic":T`.
  static func append(at instant: Instant, topic: Span<UInt8>, to line: inout [UInt8]) {
    JSONWriter.append(literal: "{\"at\":", to: &line)
    JSONWriter.append(instant, to: &line)
    JSONWriter.append(literal: ",\"topic\":", to: &line)
    JSONWriter.append(string: topic, to: &line)
  }
}
