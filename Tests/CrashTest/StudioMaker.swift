import Base
import Simulation
import TestSupport

/// Makes what operators and renderers say in between, in the rooms of a `GiftMaker`, and adds up what that
/// comes to.
///
/// Senders that may be muted give gifts of their own: how many of them are shown depends on when a mute finds
/// them, so only the ledger knows their number. Commands have no `time`: each is obeyed however late it
/// comes.
struct StudioMaker {
  /// Gifts of senders that may be muted, which must be in the ledger: by room, sender and gift.
  private(set) var ofMutable: [Renderer.Key: Int64] = [:]
  /// Gifts of operators' tests, which must be shown or folded and in no ledger.
  private(set) var tested: [Renderer.Key: Int64] = [:]
  /// Operators' commands made.
  private(set) var commandCount = 0
  /// What renderers said that was made.
  private(set) var feedbackCount = 0
  private var generator: SplitMix
  private var paused: [(room: String, until: Int)] = []
  private var made = 0

  private static let parts = [#""gift""#, #""stage""#, #""comment""#, #""like""#, "null"]
  private static let pausesAtOnce = 4

  /// A maker whose messages depend on the seed.
  init(seed: UInt64) { generator = SplitMix(seed: seed) }

  /// How many gifts of tests must be shown or folded.
  var testedCount: Int64 { tested.values.reduce(0, +) }

  /// True if a sender is one of those that may be muted.
  static func isMutable(_ sender: String) -> Bool { sender.hasPrefix("m") }

  /// The next message.
  mutating func next() -> GiftMaker.Message {
    made += 1
    if let first = paused.first, first.until <= made {
      paused.removeFirst()
      return command(#""op":"resume""#, in: first.room)
    }
    switch pick(20) {
    case 0 where paused.count < StudioMaker.pausesAtOnce: return pause()
    case 0, 1: return command(#""op":"skip","track":"gift/\#(pick(3))""#, in: room())
    case 2: return command(#""op":"skip","track":"stage""#, in: room())
    case 3: return command(#""op":"clear","part":\#(part())"#, in: room())
    case 4: return command(#""op":"mute","sender":"\#(mutable())""#, in: room())
    case 5: return command(#""op":"unmute","sender":"\#(mutable())""#, in: room())
    case 6: return command(#""op":"remove","sender":"v\#(pick(9))""#, in: room())
    case 7, 8: return test()
    case 9: return feedback(#""op":"resync""#)
    case 10: return feedback(#""op":"click","group":\#(pick(300))"#)
    case 11: return feedback(#""op":"done","group":\#(pick(300)),"renderer":"another""#)
    case 12, 13, 14: return gifts()
    default: return crowd()
    }
  }

  /// Lets all rooms go on that stand still.
  mutating func resumeAll() -> [GiftMaker.Message] {
    let rooms = Set(paused.map(\.room)).sorted()
    paused.removeAll()
    return rooms.map { command(#""op":"resume""#, in: $0) }
  }

  /// What the leader of the stage says of a play: mostly that it is over, now and then that it failed, or
  /// nothing.
  mutating func answer(toPlay group: Int64, in room: String) -> GiftMaker.Message? {
    guard pick(10) > 0 else { return nil }
    feedbackCount += 1
    let word = pick(5) == 0 ? "failed" : "done"
    return GiftMaker.Message(
      topic: "cue/\(room)/feedback", payload: #"{"op":"\#(word)","group":\#(group),"renderer":"leader"}"#)
  }

  private mutating func pause() -> GiftMaker.Message {
    let room = room()
    paused.append((room, made + Int(pick(8)) + 1))
    return command(#""op":"pause","part":\#(part())"#, in: room)
  }

  private mutating func test() -> GiftMaker.Message {
    let room = room()
    guard pick(2) > 0 else {
      return command(
        #""op":"test","event":{"type":"comment","sender":"Tess","text":"does it work?"}"#, in: room)
    }
    let (gift, count) = ("g\(pick(5))", pick(3) + 1)
    tested[Renderer.Key(room: room, sender: "Tess", gift: gift, receiver: nil), default: 0] += count
    return command(
      #""op":"test","event":{"type":"gift","sender":"Tess","gift":"\#(gift)","count":\#(count)}"#, in: room)
  }

  private mutating func gifts() -> GiftMaker.Message {
    let (room, sender, count) = (room(), mutable(), pick(4) + 1)
    ofMutable[Renderer.Key(room: room, sender: sender, gift: "g4", receiver: nil), default: 0] += count
    return GiftMaker.Message(
      topic: "im/\(room)/gift", payload: #"[{"sender":"\#(sender)","gift":"g4","count":\#(count)}]"#)
  }

  private mutating func crowd() -> GiftMaker.Message {
    let sender = pick(4) == 0 ? mutable() : "v\(pick(9))"
    return GiftMaker.Message(
      topic: "im/\(room())/batch",
      payload: #"[{"type":"comment","sender":"\#(sender)","text":"hello \#(made)"},"#
        + #"{"type":"like","sender":"\#(sender)","count":\#(pick(9) + 1)}]"#)
  }

  private mutating func command(_ members: String, in room: String) -> GiftMaker.Message {
    commandCount += 1
    return GiftMaker.Message(
      topic: "cue/\(room)/control", payload: #"{"id":"o\#(commandCount)",\#(members)}"#)
  }

  private mutating func feedback(_ members: String) -> GiftMaker.Message {
    feedbackCount += 1
    return GiftMaker.Message(topic: "cue/\(room())/feedback", payload: "{\(members)}")
  }

  private mutating func mutable() -> String { "m\(pick(3))" }

  private mutating func part() -> String { StudioMaker.parts[Int(pick(Int64(StudioMaker.parts.count)))] }

  private mutating func room() -> String { "r\(pick(Int64(GiftMaker.rooms)))" }

  private mutating func pick(_ count: Int64) -> Int64 { Int64.random(in: 0..<count, using: &generator) }
}
