import Screen
import Testing

/// Any text as cells of a terminal.
@Suite struct GlyphTests {
  private func cells(_ text: String) -> [String] { Glyph.glyphs(of: text).map { "\($0.text):\($0.width)" } }

  @Test func charactersHaveTheWidthThatATerminalGivesThem() {
    #expect(cells("aé") == ["a:1", "é:1"])
    #expect(cells("数ア") == ["数:2", "ア:2"])
    #expect(cells("🌹") == ["🌹:2"])
    #expect(cells("→█♥…") == ["→:1", "█:1", "♥:1", "…:1"])
  }

  @Test func marksStandOnTheirCharacterAndAreBounded() {
    #expect(cells("e\u{301}x") == ["e\u{301}:1", "x:1"])
    #expect(cells("\u{301}x") == ["x:1"])
    let many = "e" + String(repeating: "\u{301}", count: 500)
    #expect(Glyph.glyphs(of: many).map(\.text.unicodeScalars.count) == [4])
  }

  @Test func whatMovesTheCursorIsReplaced() {
    #expect(cells("\u{1B}[2J") == ["\u{FFFD}:1", "[:1", "2:1", "J:1"])
    #expect(cells("a\nb\tc\rd") == ["a:1", " :1", "b:1", " :1", "c:1", " :1", "d:1"])
    for value in Array(UInt32(0)...0x1F) + Array(UInt32(0x7F)...0x9F) {
      let glyphs = Glyph.glyphs(of: "x\(Unicode.Scalar(value) ?? "?")y")
      #expect(glyphs.allSatisfy { [" ", "\u{FFFD}", "x", "y"].contains($0.text) }, "\(value)")
      #expect(Glyph.width(of: glyphs) == 3)
    }
    #expect(cells("\u{2028}\u{2029}\u{E000}\u{378}") == [" :1", " :1", "\u{FFFD}:1", "\u{FFFD}:1"])
  }

  @Test func whatTurnsTheLineOrHasNoWidthIsLeftOut() {
    let unseen =
      "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}\u{200E}\u{200F}\u{61C}"
    #expect(cells("a\(unseen)b") == ["a:1", "b:1"])
    #expect(cells("a\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{AD}\u{FE0F}\u{E0041}b") == ["a:1", "b:1"])
  }

  @Test func whereTerminalsDisagreeASequenceIsTakenApart() {
    #expect(cells("👩\u{200D}👧") == ["👩:2", "👧:2"])
    #expect(cells("👍🏽") == ["👍:2"])
    #expect(cells("🇩🇪") == ["D:1", "E:1"])
    #expect(cells("❤\u{FE0F}") == ["❤:1"])
  }

  @Test func aTextFromRightToLeftEndsWithAMarkThatKeepsWhatFollows() {
    #expect(cells("אב") == ["א:1", "ב\u{200E}:1"])
    #expect(Glyph.glyphs(of: "אבגד", fitting: 3).map(\.text) == ["א", "ב\u{200E}", "…"])
  }

  @Test(arguments: [
    (0, ""), (1, "…"), (2, "…"), (3, "数…"), (4, "数…"), (5, "数ア…"), (6, "数ア字"), (7, "数ア字"),
  ])
  func aLongTextIsCutAtACellWithAnEllipsis(columns: Int, expected: String) {
    let glyphs = Glyph.glyphs(of: "数ア字", fitting: columns)
    #expect(glyphs.map(\.text).joined() == expected)
    #expect(Glyph.width(of: glyphs) <= columns)
  }

  @Test func eachCellHoldsNoMoreThanNcursesTakes() {
    let hostile = "ש" + String(repeating: "\u{5B0}", count: 9)
    #expect(Glyph.glyphs(of: hostile).map(\.text.unicodeScalars.count) == [5])
  }
}
