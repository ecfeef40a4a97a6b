import Base
import Configuration
import Glibc

/// What is wrong with a configuration on this machine, and what is allowed there and probably not meant.
struct ConfigurationAdvice {
  /// The daemon would not start.
  private(set) var errors: [String] = []
  /// The daemon would start.
  private(set) var warnings: [String] = []

  init(_ configuration: Configuration) {
    checkSecrets(configuration.broker)
    if let directory = configuration.stateDirectory { checkState(directory) }
    checkTracks(configuration)
    let broker = configuration.broker
    if !broker.tls.isEnabled, broker.passwordFile != nil, !Self.isThisMachine(broker.host) {
      warnings.append(
        "broker.tls: the password goes to \(broker.host) in the clear, expected broker.tls.enabled: true")
    }
  }

  private mutating func checkSecrets(_ broker: BrokerPlan) {
    let files = [broker.passwordFile, broker.tls.keyFile, broker.tls.pskFile].compactMap { $0 }
    let isHandedOver = files.contains { $0.hasPrefix("credential:") }
    if isHandedOver, BrokerPlan.credentialsDirectory == nil {
      warnings.append("credentials are not looked at: only the service has them (LoadCredential=)")
      return
    }
    do throws(ConfigurationErrors) {
      _ = try broker.readPassword()
      _ = try broker.readTLS()
    } catch {
      errors.append("\(error)")
    }
  }

  /// A directory that is there must be ours to write; one that is not, its parent.
  private mutating func checkState(_ directory: String) {
    var status = stat()
    let isThere = unsafe stat(directory, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFDIR {
      errors.append("state.directory: \(directory) is no directory, expected one")
      return
    }
    let parent = directory.lastIndex(of: "/").map {
      $0 == directory.startIndex ? "/" : String(directory[..<$0])
    }
    let place = isThere ? directory : parent ?? "."
    guard unsafe access(place, W_OK | X_OK) != 0 else { return }
    let reason = unsafe String(cString: strerror(errno))
    let fault = isThere ? "cannot be written" : "is not there and cannot be made"
    let text = "state.directory: \(directory) \(fault) (\(reason))"
    // The service may be another user, which may.
    if errno == EACCES { warnings.append("\(text) by this user") } else { errors.append(text) }
  }

  /// A gift of priority 0 that no track takes is never shown by itself.
  private mutating func checkTracks(_ configuration: Configuration) {
    func isOnlyForVIPs(_ plan: RoomPlan) -> Bool { !plan.gift.trackMinPriorities.contains(0) }
    let words = "every track has a minPriority above 0: ordinary gifts are never shown, they only fold"
    if isOnlyForVIPs(configuration.defaultPlan) { warnings.append("gift.tracks: \(words)") }
    let rooms = configuration.roomPlans.filter { isOnlyForVIPs($0.value) }.keys
      .map { String(decoding: $0, as: UTF8.self) }.sorted()
    for room in rooms.prefix(10) { warnings.append("rooms.\(room).gift.tracks: \(words)") }
    if rooms.count > 10 { warnings.append("and \(rooms.count - 10) more rooms without a track for them") }
  }

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
  }
}
