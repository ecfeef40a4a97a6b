/// The limits of a server. What is beyond one is refused or dropped, and counted.
public struct HTTPSettings: Equatable, Sendable {
  /// Clients at a time. At the last of them the one that has asked for nothing the longest is dropped; if all
  /// are being answered, one more waits.
  public var maxConnections = 32
  /// A client that neither sends nor takes anything for so long is dropped; a stream that waits is not.
  public var timeoutSeconds = 10
  /// Memory for one request's line and headers; beyond it 431 or 414 is answered.
  public var maxHeadBytes = 16_384
  /// The body of a request; beyond it 413 is answered.
  public var maxBodyBytes = 65_536
  /// What may wait for the slow reader of a stream; beyond it the reader is dropped.
  public var maxStreamBytes = 1 << 20

  /// The defaults.
  public init() {}
}

/// What a server counts.
public struct HTTPCounters: Equatable, Sendable {
  /// Requests answered by a route.
  public var requests = 0
  /// Requests refused: no such path or method, or a body over its limit.
  public var refusals = 0
  /// Clients dropped that had no whole request, to make room for others.
  public var idleClients = 0
  /// Streams ended because their readers were too slow.
  public var slowReaders = 0

  /// All zero.
  public init() {}
}
