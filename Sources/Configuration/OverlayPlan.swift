public import Base

/// What `livecue overlay` serves, and to whom.
public struct OverlayPlan: Equatable, Sendable {
  /// Where its page and streams are.
  public var listen = ListenAddress.port4(9760)
  /// The file whose first line readers must show, if there is one; relative to the working directory, or
  /// `credential:NAME` for one that systemd hands over.
  public var tokenFile: String?
  /// Names under which browsers reach it, besides those of this machine.
  public var hosts: [String] = []
  /// Hosts from which the page takes pictures and films; `*` stands for every host that is not of a local
  /// network.
  public var pictureHosts = ["*"]
  /// The folder of an operator's own themes; nil: there is none. Relative to the working directory.
  public var themes: String?
  /// Streams that are read at a time.
  public var maxReaders = 1000
  /// Bytes that may wait for a slow reader.
  public var maxReaderBytes = 1 << 20
  /// Commands of a room that are kept for readers that come back.
  public var historyCommands = 1000
  /// How often a quiet stream is written to.
  public var keepAliveSeconds = 1
  /// Rooms whose snapshot is kept while nobody reads them.
  public var maxRooms = 1000

  /// The defaults.
  public init() {}
}
