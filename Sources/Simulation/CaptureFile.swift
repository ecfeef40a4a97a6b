import CZlib
import Glibc

/// A capture, line by line: a file, compressed by gzip or not, or standard input.
///
/// Source: zlib's manual, "Gzip File Access Functions": a file that is not gzip is read as it is.
@safe public final class CaptureFile {
  private let file: gzFile
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var filled = 0
  private var position = 0
  /// The path, or `-`.
  public let path: String
  /// The number of the line read last, from 1.
  public private(set) var lineNumber = 0

  /// What can go wrong with a capture.
  public enum Fault: Error, Equatable, CustomStringConvertible {
    /// It cannot be opened: the system's word.
    case cannotOpen(path: String, reason: String)
    /// It cannot be read on: a damaged gzip stream or a fault of the device.
    case cannotRead(path: String, line: Int, reason: String)
    /// A line over the limit of bytes.
    case lineTooLong(path: String, line: Int)

    /// The fault in a sentence.
    public var description: String { message }

    /// The fault in a sentence.
    public var message: String {
      switch self {
      case .cannotOpen(let path, let reason): "\(path): cannot open: \(reason)"
      case .cannotRead(let path, let line, let reason): "\(path):\(line): cannot read: \(reason)"
      case .lineTooLong(let path, let line):
        "\(path):\(line): over \(CaptureFile.lineLimit) bytes: expected one batch a line"
      }
    }
  }

  /// No line is longer; a payload has at most 256 MiB by the MQTT standard.
  public static let lineLimit = 512 << 20

  /// Opens a file; `-` is standard input.
  public init(path: String) throws(Fault) {
    self.path = path
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let opened = unsafe gzdopen(descriptor, "rb") else {
      throw .cannotOpen(path: path, reason: unsafe String(cString: strerror(errno)))
    }
    unsafe file = opened
  }

  deinit { unsafe gzclose(file) }

  /// Reads the next line into `line`, without its end. Returns false at the end of the file.
  public func readLine(into line: inout [UInt8]) throws(Fault) -> Bool {
    line.removeAll(keepingCapacity: true)
    lineNumber += 1
    while true {
      if position == filled, try !fill() { return !line.isEmpty }
      let rest = buffer[position..<filled]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line.append(contentsOf: buffer[position..<end])
        position = end + 1
        return true
      }
      line.append(contentsOf: rest)
      position = filled
      if line.count > CaptureFile.lineLimit { throw .lineTooLong(path: path, line: lineNumber) }
    }
  }

  private func fill() throws(Fault) -> Bool {
    let wanted = UInt32(buffer.count)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe gzread(file, $0.baseAddress, wanted) }
    var code: Int32 = 0
    let reason = unsafe gzerror(file, &code).map { unsafe String(cString: $0) }
    guard count >= 0, code == Z_OK || code == Z_STREAM_END else {
      throw .cannotRead(path: path, line: lineNumber, reason: reason ?? "zlib's error \(code)")
    }
    position = 0
    filled = Int(count)
    return count > 0
  }
}
