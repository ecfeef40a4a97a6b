public import Base

/// Whether this instance is there.
public enum InstanceState: String, Sendable {
  case online, offline
}

/// Writes what is said about input and about this instance, beside the commands.
public struct ReportEncoder: Sendable {
  /// Refusals that one report lists; its `count` says how many there were.
  public static let maxItems = 20
  /// Bytes of the payload's excerpt, before the escapes of JSON.
  public static let maxExcerptBytes = 1024

  private let layout: TopicLayout

  /// An encoder for a layout of topics.
  public init(layout: TopicLayout) {
    self.layout = layout
  }

  /// Adds the report of what was refused of one payload: to the room's `rejected`, or without a good room
  /// to the instance's. `topic` is that on which the payload came.
  public func encode(
    _ rejections: [Rejection], topic: Span<UInt8>, room: Span<UInt8>?, at: Instant, payload: Span<UInt8>,
    position: OutputPosition? = nil, into outgoing: inout OutgoingMessages
  ) {
    let excerpt = Self.excerpt(of: payload)
    outgoing.append(at: at, position: position) { output in
      layout.append("rejected", room: room, to: &output)
    } payload: { output in
      JSONWriter.append(literal: #"{"v":1"#, to: &output)
      if let room {
        JSONWriter.append(literal: #","room":"#, to: &output)
        JSONWriter.append(string: room, to: &output)
      }
      JSONWriter.append(literal: #","topic":"#, to: &output)
      JSONWriter.append(string: topic, to: &output)
      JSONWriter.append(literal: #","at":"#, to: &output)
      JSONWriter.append(at, to: &output)
      JSONWriter.append(literal: #","count":"#, to: &output)
      JSONWriter.append(rejections.count, to: &output)
      JSONWriter.append(literal: #","items":["#, to: &output)
      for (position, rejection) in rejections.prefix(Self.maxItems).enumerated() {
        if position > 0 { JSONWriter.append(literal: ",", to: &output) }
        Self.write(rejection, &output)
      }
      JSONWriter.append(literal: #"],"payload":"#, to: &output)
      JSONWriter.append(string: excerpt.span, to: &output)
      JSONWriter.append(literal: "}", to: &output)
    }
  }

  /// Adds the retained message that says whether this instance is there, and since when.
  public func encode(
    _ state: InstanceState, version: String, since: Instant, into outgoing: inout OutgoingMessages
  ) {
    outgoing.append(at: since, isRetained: true) { output in
      layout.append("status", room: nil, to: &output)
    } payload: { output in
      JSONWriter.append(literal: #"{"state":""#, to: &output)
      JSONWriter.append(literal: state.rawValue, to: &output)
      JSONWriter.append(literal: #"","version":"#, to: &output)
      let bytes = Array(version.utf8)
      JSONWriter.append(string: bytes.span, to: &output)
      JSONWriter.append(literal: #","since":"#, to: &output)
      JSONWriter.append(since, to: &output)
      JSONWriter.append(literal: "}", to: &output)
    }
  }

  /// Adds the answer to an operator's command, beside the topic of the command.
  public func encode(
    answerTo id: JSONValue?, _ refusal: ControlRefusal?, topic: Span<UInt8>, at: Instant,
    position: OutputPosition? = nil, into outgoing: inout OutgoingMessages
  ) {
    outgoing.append(at: at, position: position) { output in
      for index in topic.indices { output.append(topic[index]) }
      output.append(contentsOf: "/reply".utf8)
    } payload: { output in
      JSONWriter.append(literal: #"{"id":"#, to: &output)
      (id ?? .null).append(to: &output)
      guard let refusal else { return JSONWriter.append(literal: #","ok":true}"#, to: &output) }
      JSONWriter.append(literal: #","ok":false,"error":""#, to: &output)
      JSONWriter.append(literal: refusal.fault.rawValue, to: &output)
      JSONWriter.append(literal: #"","detail":"#, to: &output)
      let detail = Array(refusal.detail.description.utf8)
      JSONWriter.append(string: detail.span, to: &output)
      JSONWriter.append(literal: "}", to: &output)
    }
  }

  private static func write(_ rejection: Rejection, _ output: inout [UInt8]) {
    JSONWriter.append(literal: #"{"index":"#, to: &output)
    if let index = rejection.index {
      JSONWriter.append(index, to: &output)
    } else {
      JSONWriter.append(literal: "null", to: &output)
    }
    JSONWriter.append(literal: #","reason":""#, to: &output)
    JSONWriter.append(literal: rejection.reason.rawValue, to: &output)
    JSONWriter.append(literal: #"","detail":"#, to: &output)
    let detail = Array(rejection.detail.description.utf8)
    JSONWriter.append(string: detail.span, to: &output)
    JSONWriter.append(literal: "}", to: &output)
  }

  /// The start of a payload as UTF-8: cut at a character, U+FFFD for what is none.
  static func excerpt(of payload: Span<UInt8>) -> [UInt8] {
    var excerpt: [UInt8] = []
    var index = 0
    while index < payload.count {
      let sequence = UTF8Sequence(payload, at: index, before: payload.count)
      let length = sequence.isValid ? sequence.count : UTF8Sequence.replacement.count
      if excerpt.count + length > maxExcerptBytes { break }
      if sequence.isValid {
        for offset in 0..<length { excerpt.append(payload[index + offset]) }
      } else {
        excerpt.append(contentsOf: UTF8Sequence.replacement)
      }
      index += sequence.count
    }
    return excerpt
  }
}
