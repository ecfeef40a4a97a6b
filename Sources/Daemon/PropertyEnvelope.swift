import Base
import Configuration
import MQTT
import Wire

/// Puts the user properties that an input's profile reads beside the payload, as one object: what comes in,
/// is recorded, captured and handled again is then one payload like any other.
enum PropertyEnvelope {
  /// What does so for the inputs of a configuration; nil if none of them reads properties.
  static func rewriter(of configuration: Configuration) throws(TopicFilterFault) -> PayloadRewriter? {
    var wanted: [(filter: TopicFilter, names: [[UInt8]])] = []
    for input in configuration.inputs where !input.userProperties.isEmpty {
      wanted.append((try TopicFilter(input.filter), input.userProperties))
    }
    guard !wanted.isEmpty else { return nil }
    return { topic, payload, properties in
      guard let input = wanted.first(where: { $0.filter.matches(topic.span) }) else { return nil }
      return envelope(of: payload, properties.filter { input.names.contains($0.name) })
    }
  }

  /// `{"payload":P,"properties":{"name":"value"}}`. The properties come last: of a member given twice the
  /// last counts, so no payload can say them in their place.
  static func envelope(of payload: [UInt8], _ properties: [UserProperty]) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.append(literal: #"{"payload":"#, to: &bytes)
    bytes.append(contentsOf: payload)
    JSONWriter.append(literal: #","properties":{"#, to: &bytes)
    for (place, property) in properties.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONWriter.append(string: property.name.span, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONWriter.append(string: property.value.span, to: &bytes)
    }
    JSONWriter.append(literal: "}}", to: &bytes)
    return bytes
  }
}
