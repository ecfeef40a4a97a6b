import CMosquitto

/// Why a connection cannot be made at all.
public enum MQTTFault: Error, CustomStringConvertible {
  /// A setting that cannot work, and what was expected.
  case invalidSetting(StaticString, expected: StaticString)
  /// libmosquitto refused what the settings ask for, with its code.
  case library(call: StaticString, code: Int32)

  /// For people.
  public var description: String {
    switch self {
    case .invalidSetting(let name, let expected): "\(name): expected \(expected)"
    case .library(let call, let code): "\(call): \(libraryText(code))"
    }
  }
}

/// Why a message was not handed to the library. Nothing of it was queued.
public enum PublishFault: Error, Equatable, Sendable {
  /// There is no connection. What is not published now is published after `connectionDidOpen`.
  case notConnected
  /// `publishWindow` messages are unacknowledged. The next acknowledgement makes room.
  case windowFull
  /// The message is larger than the broker takes. Only MQTT 5 knows before it is sent.
  case tooLarge
  /// The topic is empty, has wildcards or is no UTF-8.
  case invalidTopic
  /// The library refused it, with its code.
  case library(code: Int32)
}

/// libmosquitto's text for one of its result codes.
func libraryText(_ code: Int32) -> String {
  unsafe String(cString: mosquitto_strerror(code))
}
