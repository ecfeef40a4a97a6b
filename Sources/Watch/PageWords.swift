import Base
import Screen

/// Words and marks that the pages share.
enum PageWords {
  static let header = Style(isBold: true, isReversed: true)
  static let alarm = Style(.basic(1), isBold: true)
  static let notice = Style(.basic(3), isBold: true)

  /// A bar of so many cells, of which a share is filled, to an eighth of a cell.
  static func bar(_ share: Double, columns: Int) -> String {
    let eighths = Int((min(1, max(0, share)) * Double(columns * 8)).rounded())
    let rest = eighths % 8
    let part = rest == 0 ? "" : String(Unicode.Scalar(UInt32(0x2590 - rest)) ?? " ")
    return String(repeating: "█", count: eighths / 8) + part
  }

  /// A length in seconds, to a tenth below 100.
  static func seconds(_ milliseconds: Int64) -> String {
    guard milliseconds < 99_950 else { return "\((milliseconds + 500) / 1000) s" }
    let tenths = (milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// How long ago something was, in the unit that fits.
  static func age(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1000
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) days"
    }
  }

  /// Who gives what to whom.
  static func words(of giving: Giving) -> String { "\(sender(of: giving)) → \(gift(of: giving))" }

  static func sender(of giving: Giving) -> String {
    giving.receiver.map { "\(giving.sender) for \($0)" } ?? giving.sender
  }

  static func gift(of giving: Giving) -> String { giving.isTest ? "\(giving.gift) (test)" : giving.gift }
}

extension Canvas {
  /// Writes who gives what in so many cells: a long name of one leaves room for the other.
  mutating func write(
    _ giving: Giving, row: Int, column: Int, width: Int, _ style: Style
  ) {
    let arrow = " → "
    let sender = PageWords.sender(of: giving)
    let gift = PageWords.gift(of: giving)
    let room = width - arrow.count
    let giftWidth = Glyph.width(of: Glyph.glyphs(of: gift))
    let senderWidth = min(Glyph.width(of: Glyph.glyphs(of: sender)), max(room - giftWidth, room / 2))
    let end = column + width
    var place = write(sender, row: row, column: column, width: senderWidth, style)
    place = write(arrow, row: row, column: place, width: end - place, style.isDim ? style : .dim)
    write(gift, row: row, column: place, width: end - place, style)
  }
}
