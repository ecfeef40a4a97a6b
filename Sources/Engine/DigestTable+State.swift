import Base

extension KeyTable {
  /// Calls `body` with each key and its value, oldest first.
  func forEach(_ body: (Key, Value) -> Void) {
    var place = oldest
    while let current = place {
      body(key(at: current), self[current])
      place = newer(than: current)
    }
  }
}

extension KeyTable where Key == KeyDigest {
  /// Writes all keys and then all values, in the order of use. How the values are written, the caller says.
  func save(to writer: inout StateWriter, _ save: (inout StateWriter, Value) -> Void) {
    writer.write(count: count)
    var offset = writer.appendWords(2 * count)
    forEach { key, _ in
      writer.set(key.low, at: offset)
      writer.set(key.high, at: offset + 8)
      offset += KeyDigest.savedBytes
    }
    forEach { _, value in save(&writer, value) }
  }

  /// Reads keys with values that take `size` bytes or more each.
  init(
    from reader: inout StateReader, valuesOf size: Int,
    _ read: (inout StateReader) throws(StateFault) -> Value
  ) throws(StateFault) {
    let count = try reader.count(ofThings: KeyDigest.savedBytes + size)
    self.init(capacity: count)
    let keys = try reader.pass(count * KeyDigest.savedBytes)
    for offset in stride(from: keys.lowerBound, to: keys.upperBound, by: KeyDigest.savedBytes) {
      let key = KeyDigest(low: reader.word(at: offset), high: reader.word(at: offset + 8))
      guard find(key) == nil else { throw StateFault(.contradiction, at: offset) }
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
