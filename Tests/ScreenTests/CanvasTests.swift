import Screen
import Simulation
import Testing

/// A rectangle of cells.
@Suite struct CanvasTests {
  @Test func whatIsWrittenStandsWhereItWasWritten() {
    var canvas = Canvas(columns: 8, rows: 2)
    #expect(canvas.write("ab", row: 1, column: 2, .bold) == 4)
    #expect(canvas.lines == ["", "  ab"])
    #expect(canvas[1, 2] == Cell(text: "a", style: .bold))
    #expect(canvas[1, 4] == .blank)
  }

  @Test func whatIsTooLongIsCutAtTheEdgeOrTheWidth() {
    var canvas = Canvas(columns: 6, rows: 1)
    #expect(canvas.write("abcdefgh", row: 0, column: 2) == 6)
    #expect(canvas.lines == ["  abc…"])
    canvas.write("xyz", row: 0, column: 0, width: 2)
    #expect(canvas.lines == ["x…abc…"])
  }

  @Test func outsideNothingIsWritten() {
    var canvas = Canvas(columns: 4, rows: 1)
    for (row, column) in [(-1, 0), (1, 0), (0, 4), (0, 99), (0, -1)] {
      canvas.write("x", row: row, column: column)
    }
    canvas.write("x", row: 0, endingAt: 9)
    canvas.write("x", row: 3, endingAt: 2)
    canvas.fill(row: 7, with: "=", .plain)
    #expect(canvas.lines == [""])
    #expect(Canvas(columns: -3, rows: -1).lines == [])
  }

  @Test func aTextCanEndAtAColumn() {
    var canvas = Canvas(columns: 6, rows: 1)
    #expect(canvas.write("x12", row: 0, endingAt: 5) == 2)
    #expect(canvas.lines == ["  x12"])
    #expect(canvas.write("123456", row: 0, endingAt: 6, width: 3) == 3)
    #expect(canvas.lines == ["  x12…"])
  }

  @Test func halfAWideCharacterNeverStays() {
    var canvas = Canvas(columns: 6, rows: 1)
    canvas.write("数ア字", row: 0, column: 0)
    #expect(canvas.lines == ["数ア字"])
    canvas.write("x", row: 0, column: 1)
    #expect(canvas.lines == [" xア字"])
    canvas.write("y", row: 0, column: 4)
    #expect(canvas.lines == [" xアy"])
    canvas.write("語", row: 0, column: 1)
    #expect(canvas.lines == [" 語 y"])
    // One that would be cut by the edge is left out.
    canvas.write("a語", row: 0, column: 4)
    #expect(canvas.lines == [" 語 a…"])
  }

  @Test func eachRowHasAsManyCellsAsTheCanvasWhateverIsWritten() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    let pieces = ["a", "数", "🌹", "e\u{301}", "\u{202E}", "אב", "\u{200D}", "\u{1B}", "🇩🇪", "…"]
    for _ in 0..<500 {
      var canvas = Canvas(columns: 20, rows: 2)
      for _ in 0..<10 {
        let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        canvas.write(
          text, row: Int.random(in: 0..<2, using: &generator),
          column: Int.random(in: 0..<20, using: &generator), width: Int.random(in: 0...20, using: &generator))
      }
      for row in 0..<2 {
        #expect(Glyph.width(of: Glyph.glyphs(of: canvas.lines[row])) <= 20, "seed \(seed): \(canvas.lines)")
      }
    }
  }
}
