import CommandLine
import Configuration
import Glibc
import Inquiry
import Store

/// The options of the commands that read a store: which one.
enum StoreOptions {
  static let state = Flag(
    "state", "DIR|FILE",
    "A state directory, or a store file such as a backup, instead of the configuration's.")
  static let flags = [
    Flag(
      "config", "FILE",
      "The configuration, which says where the store is; without it, --state and the journal's own."), state,
  ]

  /// Where the daemon records: as configured, or where systemd says; nil: nowhere.
  static func directory(_ configuration: Configuration) -> String? {
    if let configured = configuration.stateDirectory { return configured }
    guard let given = unsafe getenv("STATE_DIRECTORY") else { return nil }
    // Of several, which systemd joins by colons, the first is ours.
    return unsafe String(cString: given).split(separator: ":").first.map(String.init)
  }

  /// Opens the store that the options name, for reading: beside a daemon, after its end, or a backup.
  static func open(_ arguments: Arguments) throws -> SQLiteStore {
    let named = try arguments.string("state") ?? directory(try ConfigurationOptions.configuration(arguments))
    guard let named else {
      throw UsageError("which store? expected --state DIR or FILE, or --config FILE with state.directory")
    }
    return try open(named)
  }

  /// Opens the store in a directory, or a file.
  static func open(_ path: String) throws -> SQLiteStore {
    var status = stat()
    let isDirectory = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    return try SQLiteStore(reading: isDirectory ? "\(path)/\(SQLiteStore.fileName)" : path)
  }

  /// The configuration that the options name; without one, that under which the daemon ran last.
  static func configuration(_ arguments: Arguments, of store: SQLiteStore) throws -> Configuration {
    if arguments.has("config") { return try ConfigurationOptions.configuration(arguments) }
    return try Configuration.inForce(in: store) ?? .defaults
  }
}
