import Base
import Configuration
import PrivateBroker
import Store
import TestSupport

/// A store that a test fills by hand.
final class FilledStore {
  let folder: TemporaryFolder
  let store: SQLiteStore
  private(set) var turn = TurnRecord()

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(directory: folder.path, instance: "main", durability: .process, now: 7)
    try store.start(instance: "main", bootID: "boot", engineVersion: 1)
  }

  var file: String { "\(folder.path)/\(SQLiteStore.fileName)" }

  /// Adds a line to the ledger, complete to a row.
  func gifts(
    _ room: String, _ day: String, _ sender: String, _ gift: String, _ count: Int64, _ value: Int64 = 0,
    receiver: String = "", row: Int64
  ) throws {
    turn.completedRow = row
    turn.addLedger(
      room: Array(room.utf8).span, day: Day(day)?.number ?? 0, sender: Array(sender.utf8).span,
      gift: Array(gift.utf8).span, receiver: Array(receiver.utf8).span, count: count, value: value)
    try commit()
  }

  /// Adds a message.
  func message(_ at: Instant, _ payload: String, to topic: String = "im/r1/gift") throws {
    let (name, bytes) = (Array(topic.utf8), Array(payload.utf8))
    turn.addMessage(
      at: at, topic: name.span, payload: bytes.span, messageID: 1,
      digest: Digest(topic: name.span, payload: bytes.span), properties: [UInt8]().span)
    try commit()
  }

  /// Adds a configuration.
  func configuration(_ at: Instant, _ text: String) throws {
    let configuration = try Configuration.read(bytes: Array(text.utf8), file: "test")
    turn.addConfiguration(at: at, canonical: Array(configuration.canonicalText.utf8).span)
    try commit()
  }

  /// Adds a time away.
  func away(from: Instant, to: Instant) throws {
    turn.addAway(AwaySpan(from: from, to: to))
    try commit()
  }

  /// Adds a piece of a snapshot, or finishes one.
  func commit(_ fill: (inout TurnRecord) -> Void) throws {
    fill(&turn)
    try commit()
  }

  /// A reader of what is there now.
  func reader() throws -> SQLiteStore { try SQLiteStore(reading: file) }

  private func commit() throws {
    try store.commit(turn)
    turn.removeAll()
  }
}
