internal import CNcurses
import Glibc

/// Why there is no screen.
public enum ScreenFault: Error, Equatable, CustomStringConvertible {
  /// The C library has no locale of UTF-8.
  case noUnicode
  /// The terminal is not in the list of those that are known.
  case unknownTerminal(String)

  /// For a person.
  public var description: String {
    switch self {
    case .noUnicode: "the system has no locale of UTF-8; --plain does without"
    case .unknownTerminal(let name):
      "no terminal \"\(name)\" is known (TERM), or it cannot move its cursor; --plain does without"
    }
  }
}

/// Owns the terminal: shows canvases on it, reads its keys, and leaves it as it was.
///
/// One at a time in a process, since ncurses has one. It draws with ncursesw, which sends only what has
/// changed.
@safe
public final class NcursesScreen {
  private let screen: OpaquePointer
  private let window: UnsafeMutablePointer<WINDOW>
  private let usesColor: Bool
  private var isOpen = true
  /// The pair of colours that was made for a colour of the terminal.
  private var pairs: [Int16: Int16] = [:]

  /// Takes the terminal of standard output and standard input. `usesColor`: false to do without colours.
  public init(usesColor: Bool) throws(ScreenFault) {
    guard Glyph.prepare() else { throw .noUnicode }
    guard let screen = unsafe livecue_open_screen(), let window = unsafe livecue_window() else {
      let name = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
      throw .unknownTerminal(name)
    }
    unsafe self.screen = screen
    unsafe self.window = window
    self.usesColor = usesColor && has_colors()
    if self.usesColor {
      start_color()
      // Beside the ground of the terminal, whatever it is.
      use_default_colors()
    }
    cbreak()
    noecho()
    nonl()
    curs_set(0)
    unsafe keypad(window, true)
    unsafe nodelay(window, true)
    // A key that begins with the character of Escape comes whole from a terminal of today.
    set_escdelay(25)
  }

  deinit { close() }

  /// Leaves the terminal as it was. What is called afterwards does nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    endwin()
    unsafe delscreen(screen)
  }

  /// Its size in cells.
  public var size: (columns: Int, rows: Int) {
    guard isOpen else { return (0, 0) }
    return (Int(unsafe getmaxx(window)), Int(unsafe getmaxy(window)))
  }

  /// Shows a canvas.
  public func show(_ canvas: Canvas) {
    guard isOpen else { return }
    unsafe werase(window)
    for row in 0..<min(canvas.rows, size.rows) {
      for column in 0..<min(canvas.columns, size.columns) { put(canvas[row, column], row, column) }
    }
    unsafe wrefresh(window)
  }

  /// Takes over the size that the terminal has now.
  public func resize() {
    var size = winsize()
    guard isOpen, unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
    else { return }
    resizeterm(Int32(size.ws_row), Int32(size.ws_col))
    // The terminal may have moved its lines meanwhile: everything is sent anew.
    unsafe clearok(window, true)
  }

  /// Gives the terminal back for a while, as a shell wants it that stops us.
  public func suspend() {
    guard isOpen else { return }
    def_prog_mode()
    endwin()
  }

  /// Takes the terminal again.
  public func resume() {
    guard isOpen else { return }
    reset_prog_mode()
    resize()
  }

  /// The keys that were pressed since the last call. Does not wait.
  public func readKeys() -> [Key] {
    var keys: [Key] = []
    while isOpen {
      var code: wint_t = 0
      let kind = unsafe wget_wch(window, &code)
      guard kind != ERR else { break }
      if let key = kind == KEY_CODE_YES ? Self.special(Int32(bitPattern: code)) : Self.plain(code) {
        keys.append(key)
      }
    }
    return keys
  }

  private func put(_ cell: Cell, _ row: Int, _ column: Int) {
    // Blanks are there already, and right halves are drawn with their left ones.
    guard !cell.text.isEmpty, cell != .blank else { return }
    var scalars = cell.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    scalars.append(0)
    var attributes: attr_t = 0
    if cell.style.isBold { attributes |= livecue_bold }
    if cell.style.isDim { attributes |= livecue_dim }
    if cell.style.isReversed { attributes |= livecue_reversed }
    // The last cell of the last row cannot be left by the cursor, which ncurses calls an error; it is drawn
    // even so.
    _ = unsafe livecue_put(
      window, Int32(row), Int32(column), &scalars, attributes, pair(of: cell.style.color))
  }

  /// The pair of a colour on the terminal's ground; 0: its own colours.
  private func pair(of color: Color?) -> Int16 {
    guard usesColor, let number = color?.number(of: Int(livecue_colors())) else { return 0 }
    if let pair = pairs[number] { return pair }
    let next = Int16(pairs.count + 1)
    guard Int32(next) < livecue_pairs(), init_pair(next, number, -1) != ERR else { return 0 }
    pairs[number] = next
    return next
  }

  private static func special(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    default: nil
    }
  }

  private static func plain(_ code: wint_t) -> Key? {
    switch code {
    case 10, 13: .enter
    case 27: .escape
    case 8, 127: .backspace
    default: Unicode.Scalar(code).map { .character($0) }
    }
  }
}
