/// A key that was pressed.
public enum Key: Equatable, Sendable {
  case up, down, left, right, pageUp, pageDown, home, end, enter, backspace, escape
  /// One that writes a character.
  case character(Unicode.Scalar)
}
