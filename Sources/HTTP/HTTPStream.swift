import CMicrohttpd
import Glibc

/// The body of an answer that is written bit by bit, to one reader.
///
/// What the reader has not taken waits in memory, up to the server's `maxStreamBytes`; who is slower is
/// dropped. A reader that has left is noticed when something is written, so write a comment now and then.
@safe
public final class HTTPStream {
  /// Called once when the stream is over: finished and taken, the reader left, was too slow, or the server
  /// stopped.
  public var ended: (() -> Void)?

  private enum State { case unattached, open, finished, over }

  private var state = State.unattached
  private var bytes: [UInt8] = []
  /// The bytes before it are taken.
  private var start = 0
  private var limit = Int.max
  private var connection: OpaquePointer?
  /// True while the library waits for us: it asked, and there was nothing.
  private var isSuspended = false
  private weak var server: HTTPServer?

  /// A stream that nobody reads yet. What is written before it is answered is its beginning.
  public init() {}

  /// Bytes that wait for the reader.
  public var waitingBytes: Int { bytes.count - start }

  /// True if what is written may still arrive.
  public var isOpen: Bool { state == .unattached || state == .open }

  /// Writes to the reader. False if that is in vain: the stream is over, or this would be too much for so
  /// slow a reader, and now it is.
  @discardableResult
  public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Writes to the reader; see above.
  @discardableResult
  public func write(_ more: [UInt8]) -> Bool {
    guard isOpen else { return false }
    // Who has taken all that was written is not slow, however much comes next.
    guard waitingBytes == 0 || waitingBytes + more.count <= limit else {
      server?.counters.slowReaders += 1
      drop()
      return false
    }
    if start > 0, start >= bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
    resume()
    return true
  }

  /// Ends it once what waits is taken.
  public func finish() {
    guard isOpen else { return }
    state = .finished
    resume()
  }

  /// Ends it now, whatever waits.
  func drop() {
    guard state != .over else { return }
    state = .over
    bytes = []
    start = 0
    // "MHD will not detect disconnects" of a connection that waits for room to write: the shutdown wakes it.
    if let connection = unsafe connection {
      _ = unsafe shutdown(http_connection_socket(connection), Int32(SHUT_RDWR))
    }
    resume()
  }

  func attach(to connection: OpaquePointer, of server: HTTPServer) {
    precondition(unsafe self.connection == nil && state != .over, "a stream answers one request")
    unsafe self.connection = connection
    self.server = server
    limit = server.settings.maxStreamBytes
    if state == .unattached { state = .open }
  }

  /// The library is done with it.
  func detach() {
    unsafe connection = nil
    isSuspended = false
    state = .over
    bytes = []
    start = 0
    let ended = ended
    self.ended = nil
    ended?()
  }

  private func resume() {
    guard isSuspended, let connection = unsafe connection else { return }
    isSuspended = false
    unsafe MHD_resume_connection(connection)
    server?.turnSoon()
  }

  /// Gives the library what waits, or lets it wait.
  func read(into buffer: UnsafeMutablePointer<CChar>, atMost count: Int) -> Int {
    if state == .over { return -2 }
    let taken = min(count, waitingBytes)
    if taken > 0 {
      unsafe bytes[start..<start + taken].withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: source)
      }
      start += taken
      return taken
    }
    // MHD_CONTENT_READER_END_OF_STREAM is a macro that Swift does not see.
    guard state == .open, let connection = unsafe connection else { return -1 }
    // "Returning zero should only be used in conjunction with MHD_suspend_connection() to avoid busy
    // waiting."
    isSuspended = true
    unsafe MHD_suspend_connection(connection)
    return 0
  }
}
