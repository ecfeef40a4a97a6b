import Base

/// The lines of the comment list, oldest first: of each its id and who wrote it, so that it can be removed.
struct ListedIDs {
  private struct Line {
    var start: Int32
    var count: Int32
    var author: UInt64
  }

  private var lines: [Line] = []
  private var first = 0
  private var bytes: [UInt8] = []

  /// How many lines the list has.
  var count: Int { lines.count - first }

  /// Adds a line at the end.
  mutating func append(_ id: TextSlice, of arena: [UInt8], author: UInt64) {
    lines.append(Line(start: Int32(bytes.count), count: id.count, author: author))
    bytes.append(contentsOf: arena[id.range])
  }

  /// The oldest lines leave.
  mutating func removeFirst(_ count: Int) {
    first += count
    if first == lines.count {
      lines.removeAll(keepingCapacity: lines.count <= 64)
      bytes.removeAll(keepingCapacity: lines.count <= 64)
      first = 0
    } else if first > 16, first * 2 > lines.count {
      let dropped = Int(lines[first].start)
      bytes.removeFirst(dropped)
      lines.removeFirst(first)
      first = 0
      for place in lines.indices { lines[place].start -= Int32(dropped) }
    }
  }

  /// Lines leave of which `isUnwanted` says so, by id and author; `take` is called with the id of each.
  mutating func remove(
    where isUnwanted: (ArraySlice<UInt8>, UInt64) -> Bool, take: (ArraySlice<UInt8>) -> Void
  ) {
    var kept: [Line] = []
    for line in lines[first...] {
      let id = bytes[Int(line.start)..<Int(line.start + line.count)]
      if isUnwanted(id, line.author) { take(id) } else { kept.append(line) }
    }
    guard kept.count < count else { return }
    lines = kept
    first = 0
    if lines.isEmpty { bytes.removeAll() }
  }
}

extension ListedIDs {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: count)
    for line in lines[first...] {
      writer.write(word: line.author)
      writer.write(text: bytes[Int(line.start)..<Int(line.start + line.count)])
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    let count = try reader.count(ofThings: 9)
    lines.reserveCapacity(count)
    for _ in 0..<count {
      let author = try reader.word()
      let id = try reader.text()
      lines.append(Line(start: Int32(bytes.count), count: Int32(id.count), author: author))
      bytes.append(contentsOf: reader.bytes[id])
    }
  }
}
