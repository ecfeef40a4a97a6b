public import Base
public import Bridge
public import Store
public import Wire

/// Plays captures through a bridge in virtual time: no broker, no clock, the same bytes each time.
public struct Simulator {
  private var bridge: Bridge
  private var outgoing = OutgoingMessages()
  private let reader = CaptureLineReader()
  private let until: Instant?
  /// True: rooms' snapshots are handed on too, beside the commands.
  public var keepsSnapshots = false
  /// What came out, for the summary.
  public private(set) var summary = SimulationSummary()

  /// A simulator that stops at the instant `until`, or without one when the last queue has drained.
  public init(bridge: Bridge, until: Instant?) {
    self.bridge = bridge
    self.bridge.collectsWaits = true
    self.until = until
    summary.pendingAtStart = bridge.giftsPending
  }

  /// Plays one line of a capture and hands what it causes to `write`. Lines after `until` do nothing.
  public mutating func play(
    _ line: [UInt8], write: (borrowing OutgoingMessages) -> Void
  ) throws(CaptureLineFault) {
    switch try reader.read(line) {
    case .message(let at, let topic, let payload):
      if let until, at > until { return }
      let bytes = reader.bytes
      bridge.receive(
        topic: bytes.span.extracting(topic.range), payload: bytes.span.extracting(payload.range), at: at,
        into: &outgoing)
      summary.inputEnd = max(summary.inputEnd ?? at, at)
    case .away(let from, let to):
      if let until, to > until { return }
      bridge.skip(from: from, to: to, into: &outgoing)
    }
    hand(to: write)
  }

  /// Plays one row of a journal and hands what it causes to `write`. Rows after `until` do nothing.
  public mutating func play(
    _ row: JournalRow, topic: Span<UInt8>, payload: Span<UInt8>, write: (borrowing OutgoingMessages) -> Void
  ) throws(RowFault) {
    if let until, row.at > until { return }
    try bridge.apply(row, topic: topic, payload: payload, into: &outgoing)
    if row.kind == .message { summary.inputEnd = row.at }
    hand(to: write)
  }

  /// The input is over: plays on until nothing waits or shows, or until the end that was given.
  public mutating func finish(write: (borrowing OutgoingMessages) -> Void) {
    while let deadline = bridge.nextDeadline, until.map({ deadline <= $0 }) ?? !bridge.isQuiet {
      bridge.advance(to: deadline, into: &outgoing)
      hand(to: write)
    }
    summary.complete(with: bridge)
  }

  private mutating func hand(to write: (borrowing OutgoingMessages) -> Void) {
    if !keepsSnapshots { outgoing.removeMessages { message, _ in message.isRetained } }
    summary.add(outgoing)
    bridge.takeWaits(into: &summary.waits)
    write(outgoing)
    outgoing.removeAll()
  }
}
