import Base
public import Bridge
import Configuration
public import Store

/// Where the replay of a store begins, and the bridge as it was then.
public struct JournalStart {
  /// The row after which the replay begins: 0, or the snapshot's.
  public let row: Int64
  /// The bridge in the state of that moment.
  public let bridge: Bridge
  /// The first row that is still there; rows up to `row` can be read, and not be handled again.
  public let firstRow: Int64

  /// Finds it: row 1 where the journal still has it, else the kept snapshot.
  public init(of store: any Store) throws {
    try store.refresh()
    firstRow = store.state.firstRow
    if firstRow == 1 {
      row = 0
      bridge = try JournalStart.firstBridge(of: store)
      return
    }
    var header: [UInt8] = []
    var rooms: [[UInt8]] = []
    let snapshotRow = try store.readSnapshot(
      header: { header = Array(copying: $0) },
      room: { _, _, content in
        rooms.append(Array(copying: content))
        return true
      })
    guard let snapshotRow else {
      throw InquiryFault.badState(
        "its journal starts at row \(firstRow), and there is no snapshot before that")
    }
    row = snapshotRow
    bridge = try JournalStart.restored(header, rooms)
  }

  /// The configuration under which a store began is its first row: limits that hold for the life of an engine
  /// are those of it.
  private static func firstBridge(of store: any Store) throws -> Bridge {
    var text: [UInt8]?
    try store.forEachRow(after: 0, includingPoison: true) { row, _, payload, _ in
      if row.kind == .configuration { text = Array(copying: payload) }
      return false
    }
    let configuration = try text.map { try Configuration.read(bytes: $0, file: "journal") } ?? .defaults
    return try Bridge(configuration: configuration)
  }

  private static func restored(_ header: [UInt8], _ rooms: [[UInt8]]) throws -> Bridge {
    guard let parts = SnapshotHeader(header) else {
      throw InquiryFault.badState("the header of the snapshot is cut off")
    }
    var bridge = try Bridge(
      configuration: try Configuration.read(bytes: Array(parts.configuration.utf8), file: "journal"))
    do throws(StateFault) {
      try bridge.restore(header: parts.engine)
      for room in rooms { try bridge.restoreRoom(room) }
      try bridge.finishRestoring()
    } catch {
      throw InquiryFault.badState("\(error)")
    }
    return bridge
  }
}

extension JournalStart {
  /// Does something with the rows of a store from a start on. A daemon that runs may cut the journal behind a
  /// new snapshot just after the start was found: then another is looked for, as long as no row was handled.
  public static func replay(
    _ store: any Store, from begin: (JournalStart) throws -> Void,
    _ body: (JournalRow, Span<UInt8>, Span<UInt8>) throws -> Void
  ) throws {
    var attempts = 0
    while true {
      attempts += 1
      let start = try JournalStart(of: store)
      try begin(start)
      var rows = 0
      var fault: (any Error)?
      do throws(StoreError) {
        try store.forEachRow(after: start.row, includingPoison: true) { row, topic, payload, _ in
          rows += 1
          do {
            try body(row, topic, payload)
          } catch {
            fault = error
          }
          return fault == nil
        }
      } catch {
        guard case .journalCut = error, rows == 0, attempts < 3 else { throw error }
        continue
      }
      if let fault { throw fault }
      return
    }
  }
}
