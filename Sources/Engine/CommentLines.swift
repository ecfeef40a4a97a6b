import Base

/// A comment whose texts lie one after the other in the arena of its owner. Forty bytes: each room keeps a
/// hundred.
struct CommentLine {
  /// Digest of the sender's id.
  let author: UInt64
  private let level: Int64
  private var start: Int32
  private let idCount: UInt16
  private let senderCount: UInt16
  private let nameCount: UInt16
  private let avatarCount: UInt16
  private let textCount: UInt16
  private let styleCount: UInt16
  private let colorPlace: UInt16
  private let flags: UInt8

  /// Of more colours than this the rest has no turn.
  static let maxColors = 65_536

  private static let hasLevel: UInt8 = 1
  private static let isOfTest: UInt8 = 2

  /// A comment of texts that were appended to an arena in this order: id, the sender's id, name and picture,
  /// text, style.
  ///
  /// - Parameters:
  ///   - color: The place of its colour in the plan.
  ///   - author: Digest of the sender's id.
  ///   - isTest: True for a test of an operator's.
  init(
    id: TextSlice, sender: Party, color: Int, text: TextSlice, style: TextSlice, author: UInt64, isTest: Bool
  ) {
    start = id.start
    idCount = UInt16(id.count)
    senderCount = UInt16(sender.id.count)
    nameCount = UInt16(sender.name.count)
    avatarCount = UInt16(sender.avatar.count)
    textCount = UInt16(text.count)
    styleCount = UInt16(style.count)
    level = sender.level ?? 0
    colorPlace = UInt16(color)
    self.author = author
    flags =
      (sender.level == nil ? 0 : CommentLine.hasLevel) | (isTest ? CommentLine.isOfTest : 0)
  }

  /// The place of its colour in the plan.
  var color: Int { Int(colorPlace) }

  /// True for a test of an operator's.
  var isTest: Bool { flags & CommentLine.isOfTest != 0 }

  /// What it is removed by.
  var id: TextSlice { slice(after: 0, idCount) }

  /// Who wrote it.
  var sender: Party {
    var party = Party()
    let first = Int32(idCount)
    party.id = slice(after: first, senderCount)
    party.name = slice(after: first + Int32(senderCount), nameCount)
    party.avatar = slice(after: first + Int32(senderCount) + Int32(nameCount), avatarCount)
    if flags & CommentLine.hasLevel != 0 { party.level = level }
    return party
  }

  /// What was written.
  var text: TextSlice { slice(after: byteCount - Int32(styleCount) - Int32(textCount), textCount) }

  /// What sort of comment it is; absent: said by a viewer.
  var style: TextSlice { slice(after: byteCount - Int32(styleCount), styleCount) }

  /// The bytes of all its texts.
  var range: Range<Int> { Int(start)..<Int(start + byteCount) }

  /// The same line in an arena where its texts lie `offset` bytes later.
  func moved(by offset: Int) -> CommentLine {
    var moved = self
    moved.start += Int32(offset)
    return moved
  }

  private var byteCount: Int32 {
    Int32(idCount) + Int32(senderCount) + Int32(nameCount) + Int32(avatarCount) + Int32(textCount)
      + Int32(styleCount)
  }

  private func slice(after offset: Int32, _ count: UInt16) -> TextSlice {
    count == 0 ? .absent : TextSlice(start: Int(start + offset), count: Int(count))
  }
}

/// Comments, oldest first, with one arena: added at the end, mostly taken from the front.
struct CommentLines {
  private var lines: [CommentLine] = []
  private var first = 0
  /// The arena of their texts.
  private(set) var bytes: [UInt8] = []

  /// How many there are.
  var count: Int { lines.count - first }

  /// The lines, oldest first. Texts lie in `bytes`.
  var all: ArraySlice<CommentLine> { lines[first...] }

  /// Adds a line that `make` makes, whose texts, of about `byteCount` bytes, it appends to the arena in their
  /// order.
  mutating func append(byteCount: Int, _ make: (inout [UInt8]) -> CommentLine) {
    bytes.reserve(byteCount)
    let line = make(&bytes)
    lines.reserve(1)
    lines.append(line)
  }

  /// Adds a line whose texts lie one after the other in another arena.
  mutating func append(_ line: CommentLine, of arena: [UInt8]) {
    let range = line.range
    bytes.reserve(range.count)
    let offset = bytes.count - range.lowerBound
    bytes.append(contentsOf: arena[range])
    lines.reserve(1)
    lines.append(line.moved(by: offset))
  }

  /// Takes the oldest out.
  mutating func removeFirst() {
    first += 1
    if first == lines.count { removeAll() } else if first > 8 + lines.count / 8 { compact() }
  }

  /// Takes out those of which `isUnwanted` says so, and returns how many.
  mutating func removeAll(where isUnwanted: (CommentLine, [UInt8]) -> Bool) -> Int {
    let arena = bytes
    guard lines[first...].contains(where: { isUnwanted($0, arena) }) else { return 0 }
    let before = count
    let kept = lines[first...].filter { !isUnwanted($0, arena) }
    lines = Array(kept)
    first = 0
    // The bytes of what was taken out go when all before them have gone.
    if lines.isEmpty { bytes.removeAll() }
    return before - count
  }

  /// Takes all out; keeps the memory of a usual crowd, and gives a flood's back.
  mutating func removeAll() {
    let isUsual = bytes.count <= CommentLines.keptBytes
    lines.removeAll(keepingCapacity: isUsual)
    bytes.removeAll(keepingCapacity: isUsual)
    first = 0
  }

  private static let keptBytes = 4096

  /// Drops the texts of the lines that were taken from the front.
  private mutating func compact() {
    let dropped = lines[first].range.lowerBound
    bytes.removeFirst(dropped)
    lines.removeFirst(first)
    first = 0
    for place in lines.indices { lines[place] = lines[place].moved(by: -dropped) }
  }
}

extension CommentLines {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: count)
    for line in all {
      writer.write(count: line.color)
      writer.write(word: line.author)
      writer.write(flag: line.isTest)
      writer.write(line.sender.level) { $0.write(signed: $1) }
      for text in [line.id, line.sender.id, line.sender.name, line.sender.avatar, line.text, line.style] {
        writer.write(count: Int(text.count))
      }
    }
    for line in all { writer.bytes.append(contentsOf: bytes[line.range]) }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    let count = try reader.count(ofThings: 17)
    lines.reserveCapacity(count)
    var end = 0
    for _ in 0..<count {
      let color = try reader.count(upTo: CommentLine.maxColors - 1)
      let author = try reader.word()
      let isTest = try reader.flag()
      var sender = Party()
      sender.level = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
      let id = try CommentLines.text(from: &reader, after: &end)
      sender.id = try CommentLines.text(from: &reader, after: &end)
      sender.name = try CommentLines.text(from: &reader, after: &end)
      sender.avatar = try CommentLines.text(from: &reader, after: &end)
      let text = try CommentLines.text(from: &reader, after: &end)
      let style = try CommentLines.text(from: &reader, after: &end)
      lines.append(
        CommentLine(
          id: id, sender: sender, color: color, text: text, style: style, author: author, isTest: isTest))
    }
    bytes.append(contentsOf: reader.bytes[try reader.pass(end)])
  }

  /// The next text, of which the length is read; the bytes follow later.
  private static func text(
    from reader: inout StateReader, after end: inout Int
  ) throws(StateFault) -> TextSlice {
    let count = try reader.count(upTo: min(reader.remaining, Int(UInt16.max)))
    defer { end += count }
    return TextSlice(start: end, count: count)
  }
}
