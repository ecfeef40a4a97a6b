/// A colour of a terminal's text.
public enum Color: Equatable, Hashable, Sendable {
  /// One of the terminal's own: 0 black, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 white.
  case basic(UInt8)
  /// Red, green and blue, 0–255.
  case rgb(UInt8, UInt8, UInt8)

  /// Reads `#RRGGBB`; nil if it is none.
  public init?(hex: String) {
    let bytes = Array(hex.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#"), !bytes.dropFirst().contains(UInt8(ascii: "+")),
      let value = UInt32(hex.dropFirst(), radix: 16)
    else { return nil }
    self = .rgb(
      UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value))
  }

  /// The number that a terminal of so many colours knows for it, or for the one nearest to it; nil: it has no
  /// colours.
  ///
  /// With 256 they are those of xterm: 16–231 a cube of 6 × 6 × 6, 232–255 greys.
  public func number(of colors: Int) -> Int16? {
    guard colors >= 8 else { return nil }
    switch self {
    case .basic(let number): return Int16(number & 7)
    case .rgb(let red, let green, let blue):
      let wanted = [Int(red), Int(green), Int(blue)]
      guard colors >= 256 else {
        // Each of the eight is a sum of full primaries. What is dark in all of them is still meant to be
        // read.
        let half = max(64, (wanted.max() ?? 0) / 2)
        let bits = wanted.enumerated().reduce(0) { $0 | ($1.element > half ? 1 << $1.offset : 0) }
        return Int16(bits == 0 ? 7 : bits)
      }
      let places = wanted.map(Color.nearestStep)
      let cube = places.map { Color.steps[$0] }
      let grey = max(0, min(23, (wanted.reduce(0, +) / 3 - 3) / 10))
      let greys = [Int](repeating: 8 + 10 * grey, count: 3)
      if Color.distance(greys, wanted) < Color.distance(cube, wanted) { return Int16(232 + grey) }
      return Int16(16 + 36 * places[0] + 6 * places[1] + places[2])
    }
  }

  private static let steps = [0, 95, 135, 175, 215, 255]

  private static func nearestStep(_ value: Int) -> Int {
    steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0
  }

  private static func distance(_ a: [Int], _ b: [Int]) -> Int {
    zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  }
}

/// How a cell looks.
public struct Style: Equatable, Hashable, Sendable {
  /// The colour of its text; nil: the terminal's.
  public var color: Color?
  /// Brighter or heavier.
  public var isBold = false
  /// Fainter.
  public var isDim = false
  /// Text and ground exchanged.
  public var isReversed = false

  /// The terminal's own.
  public static let plain = Style()
  /// Heavier.
  public static let bold = Style(isBold: true)
  /// Fainter.
  public static let dim = Style(isDim: true)

  /// A style.
  public init(_ color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
    self.color = color
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
  }
}
