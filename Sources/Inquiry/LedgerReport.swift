public import Base
public import Store

/// What somebody wants to know of the ledger.
public struct LedgerQuestion: Sendable {
  /// The columns by which it is added up, in the order in which they are shown.
  public var columns: [LedgerColumn]
  /// Only this room.
  public var room: [UInt8]?
  /// Not before this day.
  public var from: Day?
  /// Not after this day.
  public var to: Day?

  /// A question; without arguments: all lines.
  public init(
    columns: [LedgerColumn] = LedgerColumn.allCases, room: [UInt8]? = nil, from: Day? = nil, to: Day? = nil
  ) {
    self.columns = columns
    self.room = room
    self.from = from
    self.to = to
  }
}

/// A column of the ledger by which it can be added up. The raw value is its word.
public enum LedgerColumn: String, CaseIterable, Sendable {
  case day, room, sender, gift, receiver

  var columns: LedgerColumns {
    switch self {
    case .day: .day
    case .room: .room
    case .sender: .sender
    case .gift: .gift
    case .receiver: .receiver
    }
  }
}

/// One line of an answer.
public struct LedgerEntry: Equatable, Sendable {
  /// One text for each column that was asked for, as bytes of UTF-8.
  public var keys: [[UInt8]]
  /// How many gifts; saturates.
  public var count: Int64
  /// Their value; saturates.
  public var value: Int64
  /// What the value counts; empty: not said.
  public var unit: String
}

/// How far a ledger goes.
public struct LedgerReach: Equatable, Sendable {
  /// The row of the journal that it is complete to.
  public var row: Int64
  /// When that was; nil if the row has been cut from the journal.
  public var instant: Instant?
  /// The last row that there is.
  public var lastRow: Int64
  /// True if the daemon has stopped cleanly: nothing is missing.
  public var isWhole: Bool
  /// True in a backup that no daemon has run on.
  public var isBackup: Bool
}

/// An answer: lines, their sums, and how far the ledger goes, all of one moment.
public struct LedgerReport: Sendable {
  /// The columns that were asked for.
  public private(set) var columns: [LedgerColumn]
  /// The lines in the order of their keys' bytes; values of two units are two lines.
  public private(set) var entries: [LedgerEntry] = []
  /// One sum for each unit, in the order of the units' names; none without entries. It has no keys.
  public private(set) var totals: [LedgerEntry] = []
  /// How far the ledger goes.
  public private(set) var reach: LedgerReach

  /// Asks a store. `unit` says what prices count in a room. Costs memory in proportion to the lines.
  public init(
    _ question: LedgerQuestion, of store: SQLiteStore, unit: ([UInt8]) -> String?
  ) throws(StoreError) {
    columns = question.columns
    reach = LedgerReach(row: 0, lastRow: 0, isWhole: true, isBackup: false)
    var sums = Sums()
    try store.readInOneView { () throws(StoreError) in
      reach = try LedgerReport.reach(of: store)
      // What a value counts depends on the room, so lines of two rooms are not added up before that is known.
      let asked = question.columns.reduce(into: LedgerColumns.room) { $0.insert($1.columns) }
      let filter = LedgerFilter(
        room: question.room, firstDay: question.from?.number ?? .min, lastDay: question.to?.number ?? .max)
      try store.forEachLedgerLine(by: asked, filter) { line in
        sums.add(line, by: question.columns, unit: unit)
        return true
      }
    }
    entries = sums.entries.sorted(by: LedgerReport.isBefore)
    addUp()
  }

  /// Leaves only some entries, and their sums.
  public mutating func keep(_ isWanted: (LedgerEntry) -> Bool) {
    entries.removeAll { !isWanted($0) }
    addUp()
  }

  private mutating func addUp() {
    var totals = Sums()
    for entry in entries {
      totals.add(LedgerEntry(keys: [], count: entry.count, value: entry.value, unit: entry.unit))
    }
    self.totals = totals.entries.sorted(by: LedgerReport.isBefore)
  }

  private static func isBefore(_ left: LedgerEntry, _ right: LedgerEntry) -> Bool {
    for (one, other) in zip(left.keys, right.keys) where one != other {
      return one.lexicographicallyPrecedes(other)
    }
    return left.unit.utf8.lexicographicallyPrecedes(right.unit.utf8)
  }

  private static func reach(of store: SQLiteStore) throws(StoreError) -> LedgerReach {
    try store.refresh()
    let state = store.state
    // After a clean stop the rest of the rows has added nothing.
    let row = state.stoppedCleanly ? state.lastRow : state.completedRow
    return LedgerReach(
      row: row, instant: try store.instant(ofRow: row), lastRow: state.lastRow,
      isWhole: state.stoppedCleanly, isBackup: state.isBackup)
  }
}

/// Lines added up by their keys and units.
private struct Sums {
  private struct Key: Hashable {
    var keys: [[UInt8]]
    var unit: String
  }

  private var places: [Key: Int] = [:]
  private(set) var entries: [LedgerEntry] = []
  private var unitOfRoom: [[UInt8]: String] = [:]

  mutating func add(_ line: LedgerLine, by columns: [LedgerColumn], unit: ([UInt8]) -> String?) {
    let room = Array(line.bytes[line.room.range])
    let counted = unitOfRoom[room] ?? unit(room) ?? ""
    unitOfRoom[room] = counted
    let keys = columns.map { column in
      switch column {
      case .day: Array(Day(number: line.day).text.utf8)
      case .room: room
      case .sender: Array(line.bytes[line.sender.range])
      case .gift: Array(line.bytes[line.gift.range])
      case .receiver: Array(line.bytes[line.receiver.range])
      }
    }
    add(LedgerEntry(keys: keys, count: line.count, value: line.value, unit: counted))
  }

  mutating func add(_ entry: LedgerEntry) {
    let key = Key(keys: entry.keys, unit: entry.unit)
    guard let place = places[key] else {
      places[key] = entries.count
      return entries.append(entry)
    }
    entries[place].count = Sums.sum(entries[place].count, entry.count)
    entries[place].value = Sums.sum(entries[place].value, entry.value)
  }

  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
