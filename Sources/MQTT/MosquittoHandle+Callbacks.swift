import CMosquitto
import Glibc

extension MosquittoHandle {
  /// Lets the library leave in `inbox` what it reads. Called when the helper thread is done with the handle.
  ///
  /// The callbacks capture nothing and only append: the library holds its locks while they run, so nothing
  /// may be published from them.
  func attach(_ inbox: Inbox) {
    self.inbox = inbox
    // The handle keeps the inbox alive for as long as the library has its address.
    unsafe mosquitto_user_data_set(client, Unmanaged.passUnretained(inbox).toOpaque())
    unsafe mosquitto_connect_v5_callback_set(client) { _, inbox, code, flags, properties in
      let limits = unsafe BrokerLimits(properties)
      // Bit 0 of the acknowledge flags is Session Present (MQTT 5, 3.2.2.1.1).
      unsafe note(inbox) { $0.connack = (MQTTReason(connack: code), flags & 1 != 0, limits) }
    }
    unsafe mosquitto_disconnect_v5_callback_set(client) { _, inbox, code, _ in
      // After DISCONNECT from the broker the library reads on, and reports a second end: the first counts.
      unsafe note(inbox) { $0.closing = $0.closing ?? code }
    }
    unsafe mosquitto_subscribe_v5_callback_set(client) { _, inbox, id, count, codes, _ in
      let codes = unsafe Array(UnsafeBufferPointer(start: codes, count: Int(count)))
      unsafe note(inbox) { $0.subscriptions.append((id, codes)) }
    }
    unsafe mosquitto_publish_v5_callback_set(client) { _, inbox, id, code, _ in
      unsafe note(inbox) {
        $0.acknowledgements.append(
          (UInt16(truncatingIfNeeded: id), MQTTReason(rawValue: UInt8(truncatingIfNeeded: code))))
      }
    }
    unsafe mosquitto_message_v5_callback_set(client) { _, inbox, message, properties in
      guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
      let topicBytes = unsafe UnsafeRawBufferPointer(start: topic, count: strlen(topic))
      let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      unsafe note(inbox) { inbox in
        func take(_ payload: UnsafeRawBufferPointer) {
          unsafe inbox.arena.append(
            topic: topicBytes, payload: payload, id: UInt16(truncatingIfNeeded: message.mid),
            qos: UInt8(truncatingIfNeeded: message.qos), isRetained: message.retain)
        }
        let rewritten = unsafe inbox.rewriter?(
          topicBytes.map { $0 }, payload.map { $0 }, UserProperty.all(in: properties))
        if let rewritten {
          unsafe rewritten.withUnsafeBytes { unsafe take($0) }
        } else {
          unsafe take(payload)
        }
      }
    }
  }
}

/// Hands the inbox behind a callback's user data to `body`, and counts the callback.
func note(_ userData: UnsafeMutableRawPointer?, _ body: (Inbox) -> Void) {
  guard let userData = unsafe userData else { return }
  let inbox = unsafe Unmanaged<Inbox>.fromOpaque(userData).takeUnretainedValue()
  inbox.callbackCount &+= 1
  body(inbox)
}
