import CommandLine
import Configuration
import Daemon
import MQTT

/// The options of the commands that are clients of a broker themselves: where it is, and who we are.
enum BrokerOptions {
  static let flags = [
    ConfigurationOptions.config,
    Flag("broker", "HOST:PORT", "The broker, instead of the configuration's (default localhost:1883)."),
    Flag("username", "NAME", "The user name, instead of the configuration's."),
    Flag("password-file", "FILE", "A file whose first line is the password."),
  ]

  /// The configuration with the broker that the options name.
  static func configuration(_ arguments: Arguments) throws -> (Configuration, BrokerPlan) {
    let configuration = try ConfigurationOptions.configuration(arguments)
    var broker = configuration.broker
    if let place = arguments.string("broker") { try setPlace(place, of: &broker) }
    if let username = arguments.string("username") { broker.username = username }
    if let file = arguments.string("password-file") { broker.passwordFile = file }
    return (configuration, broker)
  }

  /// The settings of a client with an id of its own that leaves nothing behind at the broker.
  static func settings(_ broker: BrokerPlan, purpose: String) throws -> MQTTSettings {
    // A random id, so that many of us can watch one broker.
    let suffix = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    var settings = try MQTTSettings(
      broker, password: try broker.readPassword(), connection: "\(purpose)-\(suffix)")
    settings.sessionExpirySeconds = 0
    return settings
  }

  private static func setPlace(_ place: String, of broker: inout BrokerPlan) throws(UsageError) {
    let wrong = UsageError(
      "--broker is \"\(place)\": expected HOST or HOST:PORT, an IPv6 address in brackets")
    var host = place[...]
    // Colons inside brackets are of an address.
    if let colon = place.lastIndex(of: ":"), place.lastIndex(of: "]").map({ $0 < colon }) ?? true {
      guard let port = Int(place[place.index(after: colon)...]), (1...65_535).contains(port) else {
        throw wrong
      }
      broker.port = port
      host = place[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { throw wrong }
    broker.host = String(host)
  }
}
