/// What a descriptor's owner wants to hear about.
public struct Interest: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// Tell when there is something to read, or the peer has closed.
  public static let read = Interest(rawValue: 1)
  /// Tell when there is room to write.
  public static let write = Interest(rawValue: 2)

  /// An interest of the given bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// What happened to a descriptor.
public struct Readiness: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// There is something to read, or the peer has closed its side.
  public static let readable = Readiness(rawValue: 1)
  /// There is room to write.
  public static let writable = Readiness(rawValue: 2)
  /// The descriptor is broken, or closed on both sides. Reported whatever the interest.
  public static let hungUp = Readiness(rawValue: 4)

  /// A readiness of the given bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}
