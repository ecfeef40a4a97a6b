public import Base

/// Which lines of the ledger count.
public struct LedgerFilter: Sendable {
  /// Only this room.
  public var room: [UInt8]?
  /// Not before this day.
  public var firstDay: Int32
  /// Not after this day.
  public var lastDay: Int32

  /// All lines, or those of a room or a range of days.
  public init(room: [UInt8]? = nil, firstDay: Int32 = .min, lastDay: Int32 = .max) {
    self.room = room
    self.firstDay = firstDay
    self.lastDay = lastDay
  }
}

/// By what the ledger is added up. Everything: its own lines.
public struct LedgerColumns: OptionSet, Sendable {
  /// One bit a column.
  public let rawValue: UInt8

  /// A set of columns.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The day.
  public static let day = LedgerColumns(rawValue: 1)
  /// The room.
  public static let room = LedgerColumns(rawValue: 2)
  /// Who gave.
  public static let sender = LedgerColumns(rawValue: 4)
  /// What.
  public static let gift = LedgerColumns(rawValue: 8)
  /// To whom.
  public static let receiver = LedgerColumns(rawValue: 16)
  /// All of them.
  public static let all: LedgerColumns = [.day, .room, .sender, .gift, .receiver]
}

/// One line of a ledger query. Reused from line to line; columns that were added up are 0 or absent.
public struct LedgerLine: Sendable {
  /// Days since 1970-01-01.
  public var day: Int32 = 0
  /// The room.
  public var room = TextSlice.absent
  /// Who gave.
  public var sender = TextSlice.absent
  /// What.
  public var gift = TextSlice.absent
  /// To whom; absent where gifts named none.
  public var receiver = TextSlice.absent
  /// How many; saturates.
  public var count: Int64 = 0
  /// Their value in the room's unit; saturates.
  public var value: Int64 = 0
  /// The arena of the texts.
  public var bytes: [UInt8] = []

  init() {}
}
