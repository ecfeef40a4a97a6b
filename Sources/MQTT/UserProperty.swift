import CMosquitto
import Glibc

/// A pair of texts that a publisher adds to a message (MQTT 5, "User Property").
public struct UserProperty: Equatable, Sendable {
  /// Its name; several may have one.
  public var name: [UInt8]
  /// Its value.
  public var value: [UInt8]

  /// All that a message has, in their order. The properties are the library's.
  @unsafe static func all(in properties: OpaquePointer?) -> [UserProperty] {
    var found: [UserProperty] = []
    var next = unsafe properties
    while let current = unsafe next {
      var name: UnsafeMutablePointer<CChar>?
      var value: UnsafeMutablePointer<CChar>?
      unsafe next = mosquitto_property_read_string_pair(
        current, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, !found.isEmpty)
      guard unsafe next != nil, let name = unsafe name, let value = unsafe value else { break }
      found.append(unsafe UserProperty(name: bytes(name), value: bytes(value)))
      unsafe free(name)
      unsafe free(value)
    }
    return found
  }

  @unsafe private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
  }
}

/// Makes another payload of a message as it arrives, from its topic, payload and user properties; nil: it
/// stays.
public typealias PayloadRewriter = (
  _ topic: [UInt8], _ payload: [UInt8], _ userProperties: [UserProperty]
) -> [UInt8]?
