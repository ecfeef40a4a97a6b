public import Base
import Glibc

/// One question to a server of this machine, for the command line: it waits for the answer.
public enum LocalRequest {
  /// An answer.
  public struct Answer: Equatable, Sendable {
    /// The status code.
    public var status: Int
    /// The body.
    public var body: [UInt8]
  }

  /// The longest answer.
  static let maxBytes = 16 << 20

  /// Asks for a path with GET. Throws if nobody answers in time, or what answers is something else.
  public static func get(
    _ path: String, from address: ListenAddress, milliseconds: Int64 = 5000
  ) throws(HTTPFault) -> Answer {
    let descriptor = SocketAddress.makeSocket(for: address)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno, address: address) }
    defer { close(descriptor) }
    let deadline = now() + milliseconds
    if SocketAddress.connect(descriptor, address) != 0, errno != EINPROGRESS {
      let isNobody = [ECONNREFUSED, ENOENT].contains(errno)
      throw isNobody ? .nobodyListens(address) : .system(call: "connect", code: errno, address: address)
    }
    try waitFor(POLLOUT, descriptor, until: deadline, address)
    // HTTP/1.0: the answer is not in pieces, and ends with the connection.
    let question = Array("GET \(path) HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)
    // So short a question fits into the socket's room at once.
    let sent = unsafe send(descriptor, question, question.count, Int32(MSG_NOSIGNAL))
    guard sent == question.count else {
      throw errno == ECONNREFUSED
        ? .nobodyListens(address) : .system(call: "send", code: errno, address: address)
    }
    return try answer(in: try readAll(descriptor, until: deadline, address), address)
  }

  private static func readAll(
    _ descriptor: Int32, until deadline: Int64, _ address: ListenAddress
  ) throws(HTTPFault) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try waitFor(POLLIN, descriptor, until: deadline, address)
      let count = unsafe recv(descriptor, &piece, piece.count, 0)
      if count == 0 { return bytes }
      guard count > 0 else {
        if errno == EAGAIN || errno == EINTR { continue }
        throw .system(call: "recv", code: errno, address: address)
      }
      bytes += piece[..<count]
      if bytes.count > maxBytes { throw .badAnswer(address) }
    }
  }

  private static func waitFor(
    _ event: Int32, _ descriptor: Int32, until deadline: Int64, _ address: ListenAddress
  ) throws(HTTPFault) {
    while true {
      var watch = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let count = unsafe poll(&watch, 1, Int32(clamping: max(0, deadline - now())))
      if count == 1 { return }
      if count == 0 { throw .noAnswer(address) }
      guard errno == EINTR else { throw .system(call: "poll", code: errno, address: address) }
    }
  }

  private static func answer(in bytes: [UInt8], _ address: ListenAddress) throws(HTTPFault) -> Answer {
    let blank = Array("\r\n\r\n".utf8)
    let words = bytes.prefix { $0 != 13 }.split(separator: 32).map { String(decoding: $0, as: UTF8.self) }
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
      let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) })
    else { throw .badAnswer(address) }
    return Answer(status: status, body: Array(bytes[(end + blank.count)...]))
  }

  private static func now() -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
