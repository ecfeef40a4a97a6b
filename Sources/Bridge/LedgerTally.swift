public import Base

/// What accepted gifts add to the ledger, summed up by room, day, sender, gift and receiver until it is
/// written.
///
/// A combo of a hundred gifts is one line here, so the store has a tenth of the work.
public struct LedgerTally: Sendable {
  /// One line.
  public struct Line: Sendable {
    /// Days since 1970-01-01 in the ledger's zone.
    public var day: Int32
    /// The room's name, in the tally's arena like the other texts.
    public var room: TextSlice
    /// Who gave.
    public var sender: TextSlice
    /// What.
    public var gift: TextSlice
    /// To whom; absent if the gifts named none.
    public var receiver: TextSlice
    /// How many.
    public var count: Int64
    /// price × count, in the room's unit.
    public var value: Int64
  }

  private let dayOffsetMinutes: Int
  private var places: [[UInt8]: Int] = [:]
  private var key: [UInt8] = []
  /// The lines, in the order in which they began.
  public private(set) var lines: [Line] = []
  /// The arena of their texts.
  public private(set) var bytes: [UInt8] = []

  /// A tally whose days begin `dayOffsetMinutes` before those of UTC.
  public init(dayOffsetMinutes: Int) {
    self.dayOffsetMinutes = dayOffsetMinutes
  }

  /// True if there is nothing to write.
  public var isEmpty: Bool { lines.isEmpty }

  /// Empties it, and keeps its memory.
  public mutating func removeAll() {
    places.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds what the engine accepted of a batch.
  mutating func add(
    _ accepted: [AcceptedCount], of batch: borrowing EventBatch, room: Span<UInt8>, at instant: Instant
  ) {
    let day = Day(of: instant, offsetMinutes: dayOffsetMinutes).number
    for gift in accepted {
      add(
        batch.events[gift.place], in: batch.bytes, count: gift.count, value: gift.value, room: room, day: day)
    }
  }

  private mutating func add(
    _ event: Event, in arena: [UInt8], count: Int, value: Int64, room: Span<UInt8>, day: Int32
  ) {
    key.removeAll(keepingCapacity: true)
    frame(UInt32(bitPattern: day))
    for position in room.indices { key.append(room[position]) }
    for text in [event.sender.id, event.gift.id, event.receiver.id] {
      // Each text is framed by its length: the key is a tuple, never joined text.
      frame(UInt32(text.count))
      key.append(contentsOf: arena[text.range])
    }
    if let place = places[key] {
      lines[place].count += Int64(count)
      let (sum, overflow) = lines[place].value.addingReportingOverflow(value)
      lines[place].value = overflow ? .max : sum
      return
    }
    places[key] = lines.count
    let start = bytes.count
    for position in room.indices { bytes.append(room[position]) }
    lines.append(
      Line(
        day: day, room: TextSlice(start: start, count: room.count),
        sender: bytes.append(event.sender.id, of: arena.span),
        gift: bytes.append(event.gift.id, of: arena.span),
        receiver: bytes.append(event.receiver.id, of: arena.span), count: Int64(count), value: value))
  }

  private mutating func frame(_ number: UInt32) {
    for shift: UInt32 in stride(from: 0, to: 32, by: 8) {
      key.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
