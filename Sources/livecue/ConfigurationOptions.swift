import Base
import CommandLine
import Configuration
import Glibc

/// The options that several commands share: which configuration, which profile.
enum ConfigurationOptions {
  static let config = Flag("config", "FILE", "The configuration; without it, the defaults.")
  static let instance = Flag(
    "instance", "NAME", "The name of this service where the configuration gives none (default main).")
  static let profile = Flag(
    "profile", "NAME|FILE",
    "How payloads are read, instead of the inputs' own profiles: a name in config/profiles, or a file.",
    choices: [Profile.native.name])

  /// Reads the configuration that the options name.
  static func configuration(_ arguments: Arguments) throws -> Configuration {
    if let instance = arguments.string("instance"), !Configuration.isInstanceName(instance) {
      throw UsageError(
        "--instance is \"\(instance)\": expected 1 to 64 of the characters A-Z a-z 0-9 _ -")
    }
    return try configurationAgain(arguments)
  }

  /// Reads it once more; the options were checked before.
  static func configurationAgain(_ arguments: Arguments) throws(ConfigurationErrors) -> Configuration {
    let instance = arguments.string("instance")
    guard let file = arguments.string("config") else {
      return try Configuration.read(bytes: [], file: "defaults", instance: instance)
    }
    return try Configuration.read(file: file, instance: instance)
  }

  /// The inputs of a configuration, with the profile that the options name, if they do.
  static func inputs(_ arguments: Arguments, of configuration: Configuration) throws -> [InputPlan] {
    guard let name = arguments.string("profile") else { return configuration.inputs }
    let profile = try profile(named: name)
    return configuration.inputs.map { input in
      var input = input
      input.profile = profile
      return input
    }
  }

  /// Reads a profile by its name or its path.
  static func profile(named name: String) throws -> Profile {
    if name == Profile.native.name { return .native }
    return try Profile.read(file: try profileFile(named: name))
  }

  /// Finds a profile's file: a path, or a name beside the sources, the installed program, or the
  /// configuration.
  static func profileFile(named name: String) throws(UsageError) -> String {
    if name.contains("/") || name.hasSuffix(".yaml") { return name }
    let folders = ["config/profiles"] + foldersAboveProgram() + ["/etc/livecue/profiles"]
    for folder in folders {
      let path = "\(folder)/\(name).yaml"
      if unsafe access(path, R_OK) == 0 { return path }
    }
    throw UsageError(
      "no profile \"\(name)\": expected native, a file, or the name of one in \(folders.joined(separator: ", "))"
    )
  }

  /// `config/profiles` of the checkout that the program was built in, `share/livecue/profiles` where it is
  /// installed.
  private static func foldersAboveProgram() -> [String] {
    guard let resolved = unsafe realpath("/proc/self/exe", nil) else { return [] }
    defer { unsafe free(resolved) }
    var parts = unsafe String(cString: resolved).split(separator: "/").dropLast()
    var folders = ["/\(parts.dropLast().joined(separator: "/"))/share/livecue/profiles"]
    // .build/x86_64-unknown-linux-gnu/release is three below the checkout.
    for _ in 0..<3 where !parts.isEmpty {
      parts = parts.dropLast()
      folders.append("/\(parts.joined(separator: "/"))/config/profiles")
    }
    return folders
  }
}
