/// A limit that is told once: above it is full, and has room again at half of it.
struct HighWaterMark {
  var limit: Int
  private(set) var isFull = false

  /// A mark that nothing has reached.
  init(limit: Int) { self.limit = limit }

  /// Takes note of a level. True if it is full now and was not, or has room now and had none.
  mutating func note(_ level: Int) -> Bool {
    let wasFull = isFull
    isFull = wasFull ? level > limit / 2 : level > limit
    return isFull != wasFull
  }
}
