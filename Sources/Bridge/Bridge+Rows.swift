import Base
import Configuration
public import Store
public import Wire

/// A row of a journal that cannot be handled.
public enum RowFault: Error, Equatable, CustomStringConvertible {
  /// Its configuration cannot be read: of another program, or damaged.
  case configuration(row: Int64, reason: String)
  /// Its span of time is none.
  case away(row: Int64)
  /// Its epoch is none.
  case epoch(row: Int64)

  /// The fault in a sentence.
  public var description: String {
    switch self {
    case .configuration(let row, let reason): "the configuration in row \(row) cannot be read: \(reason)"
    case .epoch(let row): "row \(row) begins an epoch, and does not say which"
    case .away(let row): "row \(row) says that we were away, and not from when to when"
    }
  }
}

extension Bridge {
  /// Handles one row of a journal, at its own instant: what a run, a start after it and every replay do with
  /// it, so that they say the same. What it causes is added to `outgoing` in order. A row that is poison is
  /// only reported.
  public mutating func apply(
    _ row: JournalRow, topic: Span<UInt8>, payload: Span<UInt8>, into outgoing: inout OutgoingMessages
  ) throws(RowFault) {
    self.row = row.id
    switch row.kind {
    case .message where row.isPoison:
      refusePoison(topic: topic, payload: payload, at: row.at, into: &outgoing)
    case .message:
      receive(topic: topic, payload: payload, at: row.at, into: &outgoing)
    case .configuration:
      do {
        let text = Array(copying: payload)
        try adopt(
          try Configuration.read(bytes: text, file: "journal"), at: row.at, into: &outgoing)
      } catch {
        throw .configuration(row: row.id, reason: "\(error)")
      }
    case .away:
      guard let span = AwaySpan(payload: payload) else { throw .away(row: row.id) }
      skip(from: span.from, to: span.to, into: &outgoing)
    case .epoch:
      guard let epoch = Instant(epochPayload: payload) else { throw .epoch(row: row.id) }
      beginEpoch(epoch)
    case .sessionLost: break
    }
  }
}
