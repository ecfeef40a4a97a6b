/// What a commit survives.
public enum Durability: String, CaseIterable, Sendable {
  /// A power loss: one fsync a turn.
  case power
  /// The death of the process: the kernel writes when it likes.
  case process
}
