public import Base

/// What an incoming topic is.
public enum TopicRoute: Equatable, Sendable {
  /// Batches of the input at an index, for the room whose name lies at a range of the topic.
  case input(Int, room: Range<Int>)
  /// Batches of the input at an index, of whose room the topic says nothing.
  case inputOfAnyRoom(Int)
  /// Batches of the input at an index, for a room with a name that cannot be one.
  case badRoom(Int)
  /// An operator's command for the room whose name lies at a range of the topic.
  case control(room: Range<Int>)
  /// What a renderer says of the room whose name lies at a range of the topic.
  case feedback(room: Range<Int>)
  /// No input's filter matches.
  case unknown
}

/// Knows all topics: which input a message is for, and where output goes.
public struct TopicLayout: Sendable {
  private struct Input: Sendable {
    let filter: TopicFilter
    let roomLevel: Int?
  }

  private let inputs: [Input]
  /// `cue/`
  private let roomPrefix: [UInt8]
  /// `livecue/main/`
  private let instancePrefix: [UInt8]

  /// A layout; throws if a filter is none, which the configuration has checked.
  public init(inputs: [InputPlan], output: OutputPlan) throws(TopicFilterFault) {
    var filters: [Input] = []
    for input in inputs {
      let level: Int? = if case .level(let level) = input.room { level } else { nil }
      filters.append(Input(filter: try TopicFilter(input.filter), roomLevel: level))
    }
    self.inputs = filters
    roomPrefix = Array("\(output.roomPrefix)/".utf8)
    instancePrefix = Array("\(output.instancePrefix)/\(output.instance)/".utf8)
  }

  /// Finds the input of a topic, and the room in it; of those that are no input's, whether it is for a room's
  /// control or feedback. Cost: the number of inputs.
  public func route(_ topic: Span<UInt8>) -> TopicRoute {
    for (index, input) in inputs.enumerated() where input.filter.matches(topic) {
      guard let level = input.roomLevel else { return .inputOfAnyRoom(index) }
      guard let room = Self.level(level, of: topic), Self.isRoomName(topic, room) else {
        return .badRoom(index)
      }
      return .input(index, room: room)
    }
    return routeToRoom(topic)
  }

  /// `cue/{room}/control` and `cue/{room}/feedback`; the room is any one level.
  private func routeToRoom(_ topic: Span<UInt8>) -> TopicRoute {
    guard topic.count > roomPrefix.count else { return .unknown }
    for index in roomPrefix.indices where topic[index] != roomPrefix[index] { return .unknown }
    var end = roomPrefix.count
    while end < topic.count, topic[end] != UInt8(ascii: "/") { end += 1 }
    let room = roomPrefix.count..<end
    if Self.isEqual(topic, from: end, to: Self.controlEnd) { return .control(room: room) }
    if Self.isEqual(topic, from: end, to: Self.feedbackEnd) { return .feedback(room: room) }
    return .unknown
  }

  private static let controlEnd = Array("/control".utf8)
  private static let feedbackEnd = Array("/feedback".utf8)

  private static func isEqual(_ topic: Span<UInt8>, from start: Int, to text: [UInt8]) -> Bool {
    guard topic.count - start == text.count else { return false }
    for index in text.indices where topic[start + index] != text[index] { return false }
    return true
  }

  /// True if the bytes of a range can be a room's name: 1–128 bytes of UTF-8 without control characters and
  /// without `+ # /`.
  public static func isRoomName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard 1...128 ~= range.count else { return false }
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case 0..<0x20, 0x7F, UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "/"): return false
      default: break
      }
      let sequence = UTF8Sequence(bytes, at: index, before: range.upperBound)
      // C1 is C2 80 … C2 9F.
      guard sequence.isValid, !(bytes[index] == 0xC2 && bytes[index + 1] < 0xA0) else { return false }
      index += sequence.count
    }
    return true
  }

  /// Appends the topic of a room's track. The room is a range of `bytes`.
  @inline(__always)
  func append(_ track: Track, room: Range<Int>, of bytes: [UInt8], to output: inout [UInt8]) {
    output.append(contentsOf: roomPrefix)
    output.append(contentsOf: bytes[room])
    output.append(atMost: CommandWords.trackBytes) { space, end in
      JSONBlock.put(byte: UInt8(ascii: "/"), &space, &end)
      CommandWords.put(track, &space, &end)
    }
  }

  /// Appends another topic of a room, or of this instance if there is none.
  func append(_ suffix: String, room: Span<UInt8>?, to output: inout [UInt8]) {
    if let room {
      output.append(contentsOf: roomPrefix)
      for index in room.indices { output.append(room[index]) }
      output.append(UInt8(ascii: "/"))
    } else {
      output.append(contentsOf: instancePrefix)
    }
    output.append(contentsOf: suffix.utf8)
  }

  /// The range of a level, from 0; nil if the topic has fewer.
  private static func level(_ level: Int, of topic: Span<UInt8>) -> Range<Int>? {
    var start = 0
    var position = 0
    for index in 0...topic.count where index == topic.count || topic[index] == UInt8(ascii: "/") {
      if position == level { return start..<index }
      start = index + 1
      position += 1
    }
    return nil
  }
}
