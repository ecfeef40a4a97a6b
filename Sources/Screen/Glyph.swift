internal import CNcurses
import Glibc

/// What stands in one cell of a terminal, or in two: a character and the marks that combine with it.
public struct Glyph: Equatable, Sendable {
  /// The character and its marks.
  public var text: String
  /// Cells: 1 or 2.
  public let width: Int

  /// A glyph.
  init(_ text: String, width: Int) {
    self.text = text
    self.width = width
  }

  /// More marks than this on one character are left out: a cell of ncurses holds five scalars.
  private static let mostMarks = 3

  /// The glyphs of any text, whoever wrote it: nothing moves the cursor, turns the direction of the line or
  /// has another width than the terminal gives it.
  ///
  /// Widths are those of `wcwidth`, which ncurses itself counts by. Where terminals disagree with it the
  /// sequence is taken apart: joiners, variation selectors and skin tones go, flags become letters.
  public static func glyphs(of text: String) -> [Glyph] {
    _ = isReady
    var glyphs: [Glyph] = []
    var marks = 0
    var isRightToLeft = false
    for scalar in text.unicodeScalars {
      switch kind(of: scalar) {
      case .nothing: break
      case .mark:
        guard !glyphs.isEmpty, marks < mostMarks else { break }
        marks += 1
        glyphs[glyphs.count - 1].text.unicodeScalars.append(scalar)
      case .character(let shown, let width):
        marks = 0
        glyphs.append(Glyph(String(shown), width: width))
        isRightToLeft = isRightToLeft || turns(shown)
      }
    }
    // A terminal that turns right-to-left letters around must not take what follows them along.
    if isRightToLeft, let last = glyphs.indices.last { glyphs[last].text += "\u{200E}" }
    return glyphs
  }

  /// The glyphs of a text in at most so many cells; what is too long ends with an ellipsis.
  public static func glyphs(of text: String, fitting columns: Int) -> [Glyph] {
    let all = glyphs(of: text)
    guard width(of: all) > columns else { return all }
    guard columns > 0 else { return [] }
    var used = 0
    var kept: [Glyph] = []
    for glyph in all {
      guard used + glyph.width <= columns - 1 else { break }
      used += glyph.width
      kept.append(glyph)
    }
    if kept.contains(where: { $0.text.unicodeScalars.contains(where: turns) }) {
      kept[kept.count - 1].text += "\u{200E}"
    }
    return kept + [Glyph("…", width: 1)]
  }

  /// The cells that glyphs take.
  public static func width(of glyphs: [Glyph]) -> Int { glyphs.reduce(0) { $0 + $1.width } }

  private enum Kind {
    case nothing
    case mark
    case character(Unicode.Scalar, width: Int)
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    if (0x20..<0x7F).contains(scalar.value) { return .character(scalar, width: 1) }
    switch scalar.value {
    // Flags are pairs of these: they stand for the letters of a country's code.
    case 0x1F1E6...0x1F1FF:
      let letter = UInt8(ascii: "A") + UInt8(truncatingIfNeeded: scalar.value - 0x1F1E6)
      return .character(Unicode.Scalar(letter), width: 1)
    case 0x1F3FB...0x1F3FF, 0xFE00...0xFE0F, 0xE0000...0xE0FFF: return .nothing
    case 0x09, 0x0A, 0x0D: return .character(" ", width: 1)
    default: break
    }
    switch scalar.properties.generalCategory {
    case .format: return .nothing
    case .lineSeparator, .paragraphSeparator: return .character(" ", width: 1)
    case .control, .privateUse, .surrogate, .unassigned: return .character("\u{FFFD}", width: 1)
    default: break
    }
    switch wcwidth(wchar_t(bitPattern: scalar.value)) {
    case 0: return .mark
    case 1: return .character(scalar, width: 1)
    case 2: return .character(scalar, width: 2)
    default: return .character("\u{FFFD}", width: 1)
    }
  }

  /// True for letters of the scripts that are written from right to left.
  private static func turns(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }

  // `wcwidth` and ncurses know only the characters of the locale. A terminal of today takes UTF-8 whatever
  // the locale says, and Debian's C library always has this one.
  private static let isReady: Bool = {
    _ = unsafe setlocale(LC_CTYPE, "")
    if unsafe String(cString: nl_langinfo(Int32(CODESET))) != "UTF-8" {
      _ = unsafe setlocale(LC_CTYPE, "C.UTF-8")
    }
    return wcwidth(0x4E00) == 2
  }()

  /// Makes the C library ready for UTF-8. False: it has no locale for it.
  static func prepare() -> Bool { isReady }
}
