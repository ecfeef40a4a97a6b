import Base

/// A piece of a `TextStore`.
struct TextBlock {
  /// Offset of its first byte.
  var start: Int32
  /// Which size it has.
  var sizeClass: UInt8
}

/// The texts that a room keeps, in one array: blocks of a few sizes, given back to a list for each size.
///
/// It replaces a heap allocation for each name by a step in an array that stops growing once the room has
/// seen its usual crowd.
struct TextStore {
  private var bytes: [UInt8] = []
  private var freeHeads: [Int32] = []
  private var liveBlocks = 0

  /// Bytes it occupies, for memory figures.
  var capacity: Int { bytes.capacity }

  /// A block of at least `count` bytes.
  mutating func allocate(_ count: Int) -> TextBlock {
    liveBlocks += 1
    let sizeClass = TextStore.sizeClass(of: count)
    if sizeClass < freeHeads.count, freeHeads[sizeClass] >= 0 {
      let start = freeHeads[sizeClass]
      freeHeads[sizeClass] = link(at: Int(start))
      return TextBlock(start: start, sizeClass: UInt8(sizeClass))
    }
    let start = bytes.count
    precondition(start < Int(Int32.max) - (1 << 24), "a room's texts are bounded far below 2 GiB")
    bytes.append(contentsOf: repeatElement(0, count: TextStore.size(of: sizeClass)))
    return TextBlock(start: Int32(start), sizeClass: UInt8(sizeClass))
  }

  /// Gives a block back. When the last one is, the memory goes too.
  mutating func free(_ block: TextBlock) {
    liveBlocks -= 1
    if liveBlocks == 0 {
      bytes.removeAll(keepingCapacity: bytes.count <= TextStore.keptBytes)
      freeHeads.removeAll(keepingCapacity: true)
      return
    }
    let sizeClass = Int(block.sizeClass)
    while freeHeads.count <= sizeClass { freeHeads.append(-1) }
    setLink(at: Int(block.start), to: freeHeads[sizeClass])
    freeHeads[sizeClass] = block.start
  }

  /// Copies a text into a block at an offset.
  mutating func write(_ text: TextSlice, of source: [UInt8], to block: TextBlock, at offset: Int) {
    let start = Int(block.start) + offset
    let from = Int(text.start)
    for position in 0..<Int(text.count) { bytes[start + position] = source[from + position] }
  }

  /// A new block with the first `count` bytes of another.
  mutating func copy(_ block: TextBlock, count: Int) -> TextBlock {
    let copy = allocate(count)
    for position in 0..<count { bytes[Int(copy.start) + position] = bytes[Int(block.start) + position] }
    return copy
  }

  /// Appends the first `count` bytes of a block to an arena and returns where they begin there.
  func append(_ block: TextBlock, count: Int, to arena: inout [UInt8]) -> Int {
    let start = arena.count
    arena.append(contentsOf: bytes[Int(block.start)..<Int(block.start) + count])
    return start
  }

  /// An idle room keeps at most this much.
  private static let keptBytes = 4096

  /// 32, 48, 64, 96, 128, 192, … : a power of two or half as much again.
  private static func size(of sizeClass: Int) -> Int {
    (sizeClass & 1 == 0 ? 32 : 48) << (sizeClass >> 1)
  }

  private static func sizeClass(of count: Int) -> Int {
    var sizeClass = 0
    while size(of: sizeClass) < count { sizeClass += 1 }
    return sizeClass
  }

  private func link(at start: Int) -> Int32 {
    let word =
      UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
      | UInt32(bytes[start + 3]) << 24
    return Int32(bitPattern: word)
  }

  private mutating func setLink(at start: Int, to next: Int32) {
    let word = UInt32(bitPattern: next)
    for position in 0..<4 {
      bytes[start + position] = UInt8(truncatingIfNeeded: word >> UInt32(8 * position))
    }
  }
}
