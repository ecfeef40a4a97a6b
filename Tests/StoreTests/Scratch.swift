import Base
import Foundation
import Testing

@testable import Store

/// A state directory that goes with its owner.
final class Scratch {
  let directory: String

  init(in parent: String = NSTemporaryDirectory()) throws {
    directory = parent + "/livecue-store-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("left behind: \(directory): \(error)")
    }
  }

  var file: String { directory + "/" + SQLiteStore.fileName }

  /// A store that has started a run.
  func open(_ durability: Durability = .process, start: Bool = true) throws -> SQLiteStore {
    let store = try SQLiteStore(directory: directory, instance: "main", durability: durability, now: 7)
    if start { try store.start(instance: "main", bootID: "boot-1", engineVersion: 3) }
    return store
  }
}

/// A row as a test compares it.
struct SeenRow: Equatable {
  var id: Int64
  var at: Instant
  var kind: RowKind
  var messageID: UInt16
  var topic: String
  var payload: String
  var properties: String
}

extension SeenRow {
  init(_ row: JournalRow, _ topic: Span<UInt8>, _ payload: Span<UInt8>, _ properties: Span<UInt8>) {
    id = row.id
    at = row.at
    kind = row.kind
    messageID = row.messageID
    self.topic = text(topic)
    self.payload = text(payload)
    self.properties = text(properties)
  }
}

/// A redelivery pair as a test compares it.
struct SeenPair: Equatable {
  var messageID: UInt16
  var digest: Digest
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ span: Span<UInt8>) -> String {
  var bytes: [UInt8] = []
  for position in span.indices { bytes.append(span[position]) }
  return String(decoding: bytes, as: UTF8.self)
}

/// The digest of a message.
func digest(_ topic: String, _ payload: String) -> Digest {
  Digest(topic: utf8(topic).span, payload: utf8(payload).span)
}

extension TurnRecord {
  mutating func message(
    _ at: Instant, _ payload: String, topic: String = "im/r1/gift", messageID: UInt16 = 1,
    properties: String = ""
  ) {
    addMessage(
      at: at, topic: utf8(topic).span, payload: utf8(payload).span, messageID: messageID,
      digest: digest(topic, payload), properties: utf8(properties).span)
  }

  mutating func ledger(
    _ room: String, _ day: Int32, _ sender: String, _ gift: String, _ receiver: String = "", _ count: Int64,
    _ value: Int64 = 0
  ) {
    addLedger(
      room: utf8(room).span, day: day, sender: utf8(sender).span, gift: utf8(gift).span,
      receiver: utf8(receiver).span, count: count, value: value)
  }

  mutating func position(_ topic: String, _ epoch: Instant, _ sequence: Int64) {
    addPosition(topic: utf8(topic).span, epoch: epoch, sequence: sequence)
  }

  mutating func chunk(_ room: String, _ row: Int64, _ content: String) {
    addChunk(room: utf8(room).span, row: row, content: utf8(content).span)
  }

  mutating func leave(_ room: String, _ row: Int64) { removeChunk(room: utf8(room).span, row: row) }

  mutating func finish(_ row: Int64, _ header: String = "") {
    finishSnapshot(row: row, header: utf8(header).span)
  }

  /// A turn as a test writes it.
  static func with(_ fill: (inout TurnRecord) -> Void) -> TurnRecord {
    var turn = TurnRecord()
    fill(&turn)
    return turn
  }
}

extension Store {
  func rows(after: Int64 = 0, includingPoison: Bool = false) throws -> [SeenRow] {
    var rows: [SeenRow] = []
    try forEachRow(after: after, includingPoison: includingPoison) {
      (row, topic, payload, properties) in
      rows.append(SeenRow(row, topic, payload, properties))
      return true
    }
    return rows
  }

  func poisonRows() throws -> [SeenRow] {
    var rows: [SeenRow] = []
    try forEachPoisonRow { (row, topic, payload, properties) in
      rows.append(SeenRow(row, topic, payload, properties))
      return true
    }
    return rows
  }

  func pairs(_ limit: Int = 65_535) throws -> [SeenPair] {
    var pairs: [SeenPair] = []
    try forEachRedeliveryPair(limit: limit) { pairs.append(SeenPair(messageID: $0, digest: $1)) }
    return pairs
  }

  /// Lines `day room sender gift receiver count value`.
  func ledgerLines(by columns: LedgerColumns = .all, _ filter: LedgerFilter = LedgerFilter()) throws
    -> [String]
  {
    var lines: [String] = []
    try forEachLedgerLine(by: columns, filter) { line in
      let texts = [line.room, line.sender, line.gift, line.receiver].map { line.bytes.string($0) }
      lines.append("\(line.day) \(texts.joined(separator: " ")) \(line.count) \(line.value)")
      return true
    }
    return lines
  }

  /// Lines `topic epoch sequence`.
  func positions() throws -> [String] {
    var lines: [String] = []
    try forEachPosition { (topic, epoch, sequence) in
      lines.append("\(text(topic)) \(epoch) \(sequence)")
      return true
    }
    return lines
  }

  /// The row, then the header, then lines `room row content`.
  func snapshot() throws -> [String] {
    var lines: [String] = []
    let row = try readSnapshot(header: { lines.append("header \(text($0))") }) { (name, row, content) in
      lines.append("\(text(name)) \(row) \(text(content))")
      return true
    }
    return (row.map { ["\($0)"] } ?? []) + lines
  }
}

/// The store error that `body` throws; nil if it throws none.
func storeError(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StoreError
  }
}
