import CMosquitto
import Glibc

/// How much one read takes in at most.
struct ReadLimit {
  var messages: Int
  var bytes: Int
}

extension MosquittoHandle {
  /// The socket; nil once the library has closed it.
  var socket: Int32? {
    let descriptor = unsafe mosquitto_socket(client)
    return descriptor >= 0 ? descriptor : nil
  }

  /// True if packets wait for `write`.
  var wantsWrite: Bool { unsafe mosquitto_want_write(client) }

  /// Reads until the socket is dry or a limit is reached; may go beyond the limit by what one packet holds,
  /// and on a connection that publishes by as many packets as it has messages unacknowledged. With TLS the
  /// library reads on while something is decrypted, so by what one record of 16 KiB holds; in return nothing
  /// stays behind unseen.
  ///
  /// The acknowledgements of what was read are queued by this, and written by `write`.
  func readUntilDry(_ limit: ReadLimit) {
    guard let inbox else { return }
    let messageCount = inbox.arena.messages.count
    defer { queuedCount += inbox.arena.messages.count - messageCount }
    // Packets that bring nothing must not keep us here either.
    for _ in 0..<limit.messages * 4 {
      let before = inbox.callbackCount
      // `mosquitto_loop_read` says nothing about dryness, and ignores its `max_packets`. It returns when a
      // read leaves EAGAIN in `errno`, but so does the byte that it writes to its own full socket pair for
      // each packet that it queues: only EAGAIN without a callback means dry.
      errno = 0
      let code = unsafe mosquitto_loop_read(client, 1)
      let detail = errno
      guard stillOpen(after: code, detail) else { return }
      if detail == EAGAIN && inbox.callbackCount == before { return }
      if inbox.arena.messages.count >= limit.messages || inbox.arena.bytes.count >= limit.bytes { return }
    }
  }

  /// Writes the packets that wait, as many as the socket takes: acknowledgements, publishes, pings.
  func write() {
    // The library sends each packet by itself, and with TCP_NODELAY each acknowledgement of four bytes would
    // be a segment. Corked, a burst goes out in full segments: a sixth less of our time, and less of the
    // broker's.
    noteTLS()
    let isBurst = queuedCount > Self.burstPackets
    queuedCount = 0
    if isBurst { setCork(1) }
    errno = 0
    let code = unsafe mosquitto_loop_write(client, 1)
    if stillOpen(after: code, errno) && isBurst { setCork(0) }
  }

  /// Queues a ping if one is due, and sees if the last was answered. To be called every second.
  func attendKeepAlive() {
    _ = stillOpen(after: unsafe mosquitto_loop_misc(client), 0)
  }

  /// Queues a SUBSCRIBE with QoS 1. Returns its id, or the library's code.
  func subscribe(_ filter: String) -> Result<Int32, PublishFault> {
    var id: Int32 = 0
    // Retained input would come again at every subscribe. Ignored by the library for 3.1.1.
    let retained = settings.takesRetained ? MQTT_SUB_OPT_SEND_RETAIN_ALWAYS : MQTT_SUB_OPT_SEND_RETAIN_NEVER
    let options = Int32(retained.rawValue)
    let code = unsafe mosquitto_subscribe_v5(client, &id, filter, 1, options, nil)
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue: return .success(id)
    case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue: return .failure(.invalidTopic)
    default: return .failure(.library(code: code))
    }
  }

  /// Queues an UNSUBSCRIBE.
  func unsubscribe(_ filter: String) {
    _ = unsafe mosquitto_unsubscribe(client, nil, filter)
  }

  /// Queues a PUBLISH with QoS 1; copies both. The topic ends with a zero byte.
  func publish(topic: Span<UInt8>, payload: Span<UInt8>, retain: Bool) throws(PublishFault) -> UInt16 {
    var id: Int32 = 0
    let code = unsafe topic.withUnsafeBytes { topic in
      unsafe payload.withUnsafeBytes { payload in
        unsafe mosquitto_publish(
          client, &id, topic.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: payload.count),
          payload.baseAddress, 1, retain)
      }
    }
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue:
      queuedCount += 1
      return UInt16(truncatingIfNeeded: id)
    case MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue: throw .tooLarge
    case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue: throw .invalidTopic
    case MOSQ_ERR_NO_CONN.rawValue: throw .notConnected
    default: throw .library(code: code)
    }
  }

  /// Queues DISCONNECT; the library closes the socket when it is written. The broker forgets the will.
  func disconnect() {
    _ = unsafe mosquitto_disconnect_v5(client, 0, nil)
  }

  private static let burstPackets = 4

  private func setCork(_ value: Int32) {
    guard let socket else { return }
    var value = value
    // If the system refuses, packets go out one by one as before.
    _ = unsafe setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Notes how the connection ended, if it did.
  private func stillOpen(after code: Int32, _ detail: Int32) -> Bool {
    if code == MOSQ_ERR_SUCCESS.rawValue && socket != nil { return true }
    if closingErrno == 0 && code == MOSQ_ERR_ERRNO.rawValue { closingErrno = detail }
    // The library calls back before it returns a failure, except while TLS is being set up.
    if let inbox, inbox.closing == nil { inbox.closing = code }
    return false
  }
}
