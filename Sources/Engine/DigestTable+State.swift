import Base

extension DigestTable {
  /// Calls `body` with each key and its value, oldest first.
  func forEach(_ body: (KeyDigest, Value) -> Void) {
    var place = oldest
    while let current = place {
      body(digest(at: current), self[current])
      place = newer(than: current)
    }
  }

  /// Writes the keys in the order of use. How the values are written, the caller says.
  func save(to writer: inout StateWriter, _ save: (inout StateWriter, Value) -> Void) {
    writer.write(count: count)
    forEach { key, value in
      writer.write(key)
      save(&writer, value)
    }
  }

  /// Reads keys with values that take `size` bytes or more each.
  init(
    from reader: inout StateReader, valuesOf size: Int,
    _ read: (inout StateReader) throws(StateFault) -> Value
  ) throws(StateFault) {
    let count = try reader.count(ofThings: KeyDigest.savedBytes + size)
    self.init(capacity: count)
    for _ in 0..<count {
      let start = reader.offset
      let key = try reader.digest()
      guard find(key) == nil else { throw StateFault(.contradiction, at: start) }
      insert(key, try read(&reader))
    }
  }
}

extension KeyDigest {
  /// How many bytes it takes.
  fileprivate static var savedBytes: Int { 16 }
}

extension StateWriter {
  /// Writes a digest.
  mutating func write(_ digest: KeyDigest) {
    write(word: digest.low)
    write(word: digest.high)
  }
}

extension StateReader {
  /// Reads a digest.
  mutating func digest() throws(StateFault) -> KeyDigest {
    KeyDigest(low: try word(), high: try word())
  }
}
