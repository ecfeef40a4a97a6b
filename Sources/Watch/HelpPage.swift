import Screen

/// Draws what the keys do and what the words mean.
enum HelpPage {
  private static let lines = [
    "Keys", "  q, Ctrl-C     quit", "  ?             this page; any key leaves it",
    "  ↑ ↓           choose a room; Page Up, Page Down, Home, End too", "  Enter, →      watch the room",
    "  ←, Backspace  back to the rooms", "", "Tracks",
    "  showing       the banner comes in", "  counting      the combo runs up to its new number",
    "  holding       the combo window runs down; a gift that arrives joins",
    "  hiding        the banner goes out", "", "Words",
    "  waiting       groups that wait for a track (as of the last snapshot)",
    "  folded        gifts that were told in a summary, since you watch",
    "  missed        commands that did not arrive; a snapshot was asked for",
  ]

  static func draw(rows: Range<Int>, on canvas: inout Canvas) {
    for (place, line) in lines.prefix(rows.count).enumerated() {
      canvas.write(
        line, row: rows.lowerBound + place, column: 1, width: canvas.columns - 2,
        line.hasPrefix(" ") ? .plain : .bold)
    }
  }
}
