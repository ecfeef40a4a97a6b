public import Base

/// Where and how figures are told.
public struct MetricsPlan: Equatable, Sendable {
  /// Where `/metrics`, `/healthz`, `/readyz` and `/stats` are; nil: nowhere.
  public var listen: ListenAddress? = .port4(9750)
  /// Clients at a time.
  public var maxConnections = 32
  /// How long a client may say and take nothing.
  public var timeoutSeconds = 10
  /// Bytes of a request's line and headers.
  public var maxRequestBytes = 16_384
  /// How often the retained `stats` are published at most; 0: never.
  public var statsSeconds = 10
  /// True: the broker is asked how many messages it dropped.
  public var readsBrokerDrops = true

  /// The defaults.
  public init() {}
}
