import Base
import Glibc
public import Wire

/// Writes messages as capture lines to a descriptor, in large pieces.
public final class CaptureWriter {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// What the system said when a write failed; nothing is written after that.
  public private(set) var fault: String?

  /// A writer to an open descriptor, which stays the caller's.
  public init(descriptor: Int32) { self.descriptor = descriptor }

  /// Adds messages: `{"at":ms,"topic":T,"payload":…}` a line. An empty payload, which clears what is
  /// retained, is no JSON: `"base64":""`.
  public func add(_ outgoing: borrowing OutgoingMessages) {
    for message in outgoing.messages {
      CaptureForm.append(at: message.at, topic: outgoing.bytes.span.extracting(message.topic), to: &buffer)
      if message.payload.isEmpty {
        JSONWriter.append(literal: ",\"base64\":\"\"}\n", to: &buffer)
        continue
      }
      JSONWriter.append(literal: ",\"payload\":", to: &buffer)
      buffer.append(contentsOf: outgoing.bytes[message.payload])
      JSONWriter.append(literal: "}\n", to: &buffer)
    }
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Writes what is buffered.
  public func flush() {
    var start = 0
    while start < buffer.count, fault == nil {
      let written = unsafe buffer.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if written >= 0 {
        start += written
      } else if errno != EINTR {
        fault = unsafe String(cString: strerror(errno))
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
