/// One cell of a canvas.
public struct Cell: Equatable, Sendable {
  /// The character and its marks; empty in the right half of a wide one.
  public var text: String
  /// How it looks.
  public var style: Style

  /// A cell.
  public init(text: String, style: Style) {
    self.text = text
    self.style = style
  }

  /// A blank.
  public static let blank = Cell(text: " ", style: .plain)
}

/// A rectangle of cells, as a terminal has them: what is to be seen, without a terminal.
///
/// Whatever is written outside is cut off, and half a wide character is never left standing.
public struct Canvas: Equatable, Sendable {
  /// Its width in cells.
  public let columns: Int
  /// Its height in cells.
  public let rows: Int
  /// The cells, row by row.
  public private(set) var cells: [Cell]

  /// A blank canvas.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    cells = [Cell](repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a place.
  public subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// Writes a text from a column on, in at most `width` cells; what is too long is cut with an ellipsis.
  ///
  /// - Returns: The column after it.
  @discardableResult
  public mutating func write(
    _ text: String, row: Int, column: Int, width: Int = .max, _ style: Style = .plain
  ) -> Int {
    let room = min(width, columns - column)
    guard row >= 0, row < rows, column >= 0, room > 0 else { return column }
    return write(Glyph.glyphs(of: text, fitting: room), row: row, column: column, style)
  }

  /// Writes a text so that it ends before a column.
  ///
  /// - Returns: The column at which it begins.
  @discardableResult
  public mutating func write(
    _ text: String, row: Int, endingAt end: Int, width: Int = .max, _ style: Style = .plain
  ) -> Int {
    let glyphs = Glyph.glyphs(of: text, fitting: max(0, min(width, end)))
    let start = end - Glyph.width(of: glyphs)
    if row >= 0, row < rows, end <= columns { write(glyphs, row: row, column: start, style) }
    return start
  }

  /// Fills a row with one character of one cell.
  public mutating func fill(row: Int, with character: Character = " ", _ style: Style) {
    guard row >= 0, row < rows else { return }
    for column in 0..<columns { cells[row * columns + column] = Cell(text: String(character), style: style) }
  }

  /// The text of a row, without the blanks at its end.
  public func text(row: Int) -> String {
    var text = cells[row * columns..<(row + 1) * columns].map(\.text).joined()
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// The text of all rows.
  public var lines: [String] { (0..<rows).map { text(row: $0) } }

  @discardableResult
  private mutating func write(_ glyphs: [Glyph], row: Int, column: Int, _ style: Style) -> Int {
    var column = column
    for glyph in glyphs {
      guard column + glyph.width <= columns else { break }
      let place = row * columns + column
      // What is half covered goes whole.
      if cells[place].text.isEmpty { cells[place - 1].text = " " }
      let next = place + glyph.width
      if column + glyph.width < columns, cells[next].text.isEmpty { cells[next].text = " " }
      cells[place] = Cell(text: glyph.text, style: style)
      if glyph.width == 2 { cells[place + 1] = Cell(text: "", style: style) }
      column += glyph.width
    }
    return column
  }
}
