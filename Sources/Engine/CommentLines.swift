import Base

/// A comment with its texts in the arena of its owner.
struct CommentLine {
  var id: TextSlice
  var sender: Party
  /// The place of its colour in the plan.
  var color: Int
  var text: TextSlice
  /// Digest of the sender's id.
  var author: UInt64
  /// True for a test of an operator's.
  var isTest: Bool

  /// All its texts, in the order in which they lie.
  fileprivate var texts: InlineArray<5, TextSlice> { [id, sender.id, sender.name, sender.avatar, text] }

  /// The same line in an arena where its texts lie `offset` bytes later.
  func moved(by offset: Int) -> CommentLine {
    var moved = self
    moved.id = id.moved(by: offset)
    moved.sender.id = sender.id.moved(by: offset)
    moved.sender.name = sender.name.moved(by: offset)
    moved.sender.avatar = sender.avatar.moved(by: offset)
    moved.text = text.moved(by: offset)
    return moved
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

  /// Adds a line that `make` makes, whose texts it appends to the arena in their order.
  mutating func append(_ make: (inout [UInt8]) -> CommentLine) {
    let line = make(&bytes)
    lines.append(line)
  }

  /// Adds a line whose texts lie one after the other in another arena.
  mutating func append(_ line: CommentLine, of arena: [UInt8]) {
    let start = Int(line.id.start)
    let offset = bytes.count - start
    bytes.append(contentsOf: arena[start..<start + line.texts.byteCount])
    lines.append(line.moved(by: offset))
  }

  /// Takes the oldest out.
  mutating func removeFirst() {
    first += 1
    if first == lines.count { removeAll() } else if first * 2 > lines.count { compact() }
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

  private static let keptBytes = 16_384

  /// Drops the texts of the lines that were taken from the front.
  private mutating func compact() {
    let dropped = Int(lines[first].id.start)
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
      for part in 0..<5 { writer.write(count: Int(line.texts[part].count)) }
    }
    for line in all {
      let start = Int(line.id.start)
      writer.bytes.append(contentsOf: bytes[start..<start + line.texts.byteCount])
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    let count = try reader.count(ofThings: 16)
    lines.reserveCapacity(count)
    var end = 0
    for _ in 0..<count {
      let color = try reader.count(upTo: Int(Int32.max))
      let author = try reader.word()
      let isTest = try reader.flag()
      var sender = Party()
      sender.level = try reader.optional { (reader) throws(StateFault) in try reader.signed() }
      let id = try CommentLines.text(from: &reader, after: &end)
      sender.id = try CommentLines.text(from: &reader, after: &end)
      sender.name = try CommentLines.text(from: &reader, after: &end)
      sender.avatar = try CommentLines.text(from: &reader, after: &end)
      let text = try CommentLines.text(from: &reader, after: &end)
      lines.append(
        CommentLine(id: id, sender: sender, color: color, text: text, author: author, isTest: isTest))
    }
    bytes.append(contentsOf: reader.bytes[try reader.pass(end)])
  }

  /// The next text, of which the length is read; the bytes follow later.
  private static func text(
    from reader: inout StateReader, after end: inout Int
  ) throws(StateFault) -> TextSlice {
    let count = try reader.count(upTo: reader.remaining)
    defer { end += count }
    return TextSlice(start: end, count: count)
  }
}

extension InlineArray where count == 5, Element == TextSlice {
  /// Bytes of the five texts.
  fileprivate var byteCount: Int {
    var total = 0
    for part in 0..<5 { total += Int(self[part].count) }
    return total
  }
}

extension TextSlice {
  /// The same text in an arena where it lies `offset` bytes later. One that was not given is nowhere.
  fileprivate func moved(by offset: Int) -> TextSlice {
    isAbsent ? .absent : TextSlice(start: Int(start) + offset, count: Int(count))
  }
}
