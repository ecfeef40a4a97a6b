import Base
import Bridge
import Configuration
import TestSupport
import Wire

/// A bridge that is fed by hand, and what it published so far.
struct Door {
  var bridge: Bridge
  var published: [PublishedMessage] = []
  private var outgoing = OutgoingMessages()

  /// A bridge with a configuration in YAML; empty: the defaults.
  init(_ yaml: String = "") throws {
    bridge = try Bridge(
      configuration: try Configuration.read(bytes: Array(yaml.utf8), file: "test.yaml"))
  }

  /// A message arrives. Returns what it caused.
  @discardableResult
  mutating func receive(
    _ topic: String, _ payload: [UInt8], retained: Bool = false, at instant: Instant = 1000
  ) -> [PublishedMessage] {
    let topic = Array(topic.utf8)
    bridge.receive(
      topic: topic.span, payload: payload.span, isRetained: retained, at: instant, into: &outgoing)
    return hand()
  }

  /// A message arrives. Returns what it caused.
  @discardableResult
  mutating func receive(
    _ topic: String, _ payload: String, retained: Bool = false, at instant: Instant = 1000
  ) -> [PublishedMessage] {
    receive(topic, Array(payload.utf8), retained: retained, at: instant)
  }

  /// Time passes. Returns what it caused.
  @discardableResult
  mutating func advance(to instant: Instant) -> [PublishedMessage] {
    bridge.advance(to: instant, into: &outgoing)
    return hand()
  }

  /// Gifts that were accepted.
  var giftsAccepted: Int { bridge.engineCounters.giftsAccepted }

  private mutating func hand() -> [PublishedMessage] {
    let caused = outgoing.published
    published += caused
    outgoing.removeAll()
    return caused
  }
}

/// A batch of gifts of one.
func roses(_ senders: String...) -> String {
  "[\(senders.map { #"{"sender":"\#($0)","gift":"rose"}"# }.joined(separator: ","))]"
}

extension PublishedMessage {
  /// The refusals of a report: index and reason.
  var refusals: [String] {
    (self["items"]?.array ?? []).map { item in
      "\(item["index"]?.integer.map { "\($0) " } ?? "")\(item["reason"]?.string ?? "?")"
    }
  }
}
