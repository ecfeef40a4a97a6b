public import Base

/// Sees each input of the engine once it is recorded, in the order of the journal. It must be quick: the loop
/// waits for it.
public protocol InputObserver: AnyObject {
  /// A message was recorded.
  func received(topic: Span<UInt8>, payload: Span<UInt8>, at instant: Instant)

  /// The daemon was away between two instants.
  func wasAway(from: Instant, to: Instant)

  /// The messages of a turn have been seen.
  func turnEnded()
}
