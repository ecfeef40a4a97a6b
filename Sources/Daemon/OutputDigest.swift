import Store
import Wire

/// What was said since the store was made, in a number: each message and the number before give the next.
///
/// The store keeps it with the row that everything is complete to. A start that handles the rows again must
/// come to the same number, or it would say other words under numbers that were used: another version of the
/// engine proves by it that it says the same.
struct OutputDigest: Equatable {
  /// After everything so far.
  private(set) var now: UInt64
  /// After the row that was handled last, before any timer since.
  private(set) var atRow: UInt64

  /// Goes on from what was saved.
  init(_ saved: UInt64 = 0) {
    now = saved
    atRow = saved
  }

  /// Takes in the messages from a place on, one by one: how they were grouped on their way does not matter.
  mutating func add(_ outgoing: borrowing OutgoingMessages, from place: Int) {
    let bytes = outgoing.bytes
    for message in outgoing.messages[place...] {
      var digester = Digester()
      digester.add(now)
      digester.add(bytes.span.extracting(message.topic.lowerBound..<message.payload.upperBound))
      now = digester.digest().low
    }
  }

  /// What was added last ends with what a row led to.
  mutating func passRow() { atRow = now }
}
