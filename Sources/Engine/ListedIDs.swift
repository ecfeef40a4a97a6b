import Base

/// The lines of the comment list, oldest first: of each its id and who wrote it, so that it can be removed.
struct ListedIDs {
  private var authors: [UInt64] = []
  private var idCounts: [UInt16] = []
  /// The ids, one after the other.
  private var bytes: [UInt8] = []
  private var first = 0
  /// Where the id of the first line begins.
  private var start = 0

  /// How many lines the list has.
  var count: Int { authors.count - first }

  /// Adds a line at the end.
  mutating func append(_ id: TextSlice, of arena: [UInt8], author: UInt64) {
    add(arena[id.range], author)
  }

  private mutating func add(_ id: ArraySlice<UInt8>, _ author: UInt64) {
    authors.reserve(1)
    authors.append(author)
    idCounts.reserve(1)
    idCounts.append(UInt16(id.count))
    bytes.reserve(id.count)
    bytes.append(contentsOf: id)
  }

  /// The oldest lines leave.
  mutating func removeFirst(_ count: Int) {
    for place in first..<first + count { start += Int(idCounts[place]) }
    first += count
    guard first > 16 + authors.count / 8 || first == authors.count else { return }
    authors.removeFirst(first)
    idCounts.removeFirst(first)
    bytes.removeFirst(start)
    first = 0
    start = 0
  }

  /// Lines leave of which `isUnwanted` says so, by id and author; `take` is called with the id of each.
  mutating func remove(
    where isUnwanted: (ArraySlice<UInt8>, UInt64) -> Bool, take: (ArraySlice<UInt8>) -> Void
  ) {
    var kept = ListedIDs()
    forEach { id, author in
      if isUnwanted(id, author) { take(id) } else { kept.add(id, author) }
    }
    if kept.count < count { self = kept }
  }

  private func forEach(_ body: (ArraySlice<UInt8>, UInt64) -> Void) {
    var start = self.start
    for place in first..<authors.count {
      let end = start + Int(idCounts[place])
      body(bytes[start..<end], authors[place])
      start = end
    }
  }
}

extension ListedIDs {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    writer.write(count: count)
    forEach { id, author in
      writer.write(word: author)
      writer.write(text: id)
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    let count = try reader.count(ofThings: 9)
    for _ in 0..<count {
      let author = try reader.word()
      let id = try reader.text()
      guard id.count <= Int(UInt16.max) else { throw reader.fault(.contradiction) }
      add(reader.bytes[id], author)
    }
  }
}
