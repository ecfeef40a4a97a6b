/// Lines of texts under a head, aligned for a terminal. Control characters become `·`: texts come from
/// strangers.
struct PageTable {
  private var lines: [[String]?]
  private let numbers: Range<Int>

  /// A table; the columns of `numbers` are aligned at their right.
  init(head: [String], numbers: Range<Int> = 0..<0) {
    lines = [head, nil]
    self.numbers = numbers
  }

  /// Adds a line with one text a column.
  mutating func add(_ line: [String]) { lines.append(line.map(PageTable.visible)) }

  /// Adds a line of dashes.
  mutating func rule() { lines.append(nil) }

  /// The page.
  var text: String {
    var widths: [Int] = []
    for case let line? in lines {
      for (place, text) in line.enumerated() {
        if place == widths.count { widths.append(0) }
        widths[place] = max(widths[place], PageTable.width(text))
      }
    }
    var page = ""
    for line in lines {
      let cells = widths.enumerated().map { place, width in
        guard let line else { return String(repeating: "-", count: width) }
        let space = String(repeating: " ", count: width - PageTable.width(line[place]))
        return numbers.contains(place) ? space + line[place] : line[place] + space
      }
      var text = cells.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      page += text + "\n"
    }
    return page
  }

  /// A text without what a terminal would obey.
  static func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: result.append("\u{B7}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// How many places of a terminal a text takes: two for a character of East Asia, none for a mark on
  /// another.
  private static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { sum, scalar in
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        return sum + 2
      default:
        let category = scalar.properties.generalCategory
        return sum + (category == .nonspacingMark || category == .enclosingMark ? 0 : 1)
      }
    }
  }
}
