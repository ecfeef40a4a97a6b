/// What the library's callbacks leave behind: plain queues, reused, read by the connection between calls.
final class Inbox {
  /// Makes other payloads of messages as they arrive; nil: they stay.
  var rewriter: PayloadRewriter?
  /// Messages read.
  var arena = MessageArena()
  /// PUBACKs read.
  var acknowledgements: [(id: UInt16, reason: MQTTReason)] = []
  /// The answer to CONNECT.
  var connack: (reason: MQTTReason, sessionPresent: Bool, limits: BrokerLimits)?
  /// Answers to SUBSCRIBE.
  var subscriptions: [(id: Int32, codes: [Int32])] = []
  /// How the connection ended: a code of the library, or from 128 on a reason of the broker.
  var closing: Int32?
  /// What the library said about TLS.
  var complaints: [String] = []
  /// What OpenSSL found about the broker's certificate; 0: nothing wrong.
  var verifyCode = 0
  /// Rises with every callback, so that a read that brought nothing is seen.
  var callbackCount: UInt64 = 0

  /// Forgets everything but the messages, which are the owner's until it has recorded them.
  func removeAllButMessages() {
    acknowledgements.removeAll(keepingCapacity: true)
    connack = nil
    subscriptions.removeAll()
    closing = nil
    complaints.removeAll()
    verifyCode = 0
  }
}
