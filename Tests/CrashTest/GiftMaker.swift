import Base
import Simulation
import TestSupport

/// Makes the gifts of a run, and adds up what each is worth by the rules of counting (DESIGN.md, section 4).
///
/// A third have ids, and some of these are sent twice; a third are the same without ids; a third are
/// cumulative without streak ids. A streak is never left open to a gap that the daemon measures otherwise
/// than we do: where frames have times we know the gap, and where they have none a streak begins and ends
/// within one message.
struct GiftMaker {
  /// A message to publish.
  struct Message {
    var topic: String
    var payload: String
  }

  /// The state of a streak whose frames have times.
  private struct Streak {
    var last: Int64 = 0
    var time: Instant = .min
    var isEnded = true
    /// True if its last count came again: once more would begin a new streak.
    var isRepeated = false
  }

  /// What must be shown or folded, by room, sender and gift.
  private(set) var published: [Renderer.Key: Int64] = [:]
  /// Messages made.
  private(set) var messageCount = 0
  /// Messages of these whose id was sent before.
  private(set) var sentAgain = 0
  private var generator: SplitMix
  private var withIDs: [Message] = []
  private var streaks: [Renderer.Key: Streak] = [:]
  private let gap: Int64

  static let rooms = 20
  private static let rememberedIDs = 200

  /// A maker whose gifts depend on the seed and on the instants that it is given. `gap` is streakGapMs.
  init(seed: UInt64, gap: Int64) {
    generator = SplitMix(seed: seed)
    self.gap = gap
  }

  /// How many gifts must be shown or folded.
  var giftCount: Int64 { published.values.reduce(0, +) }

  /// The next message. `time` is the source's clock.
  mutating func next(at time: Instant) -> Message {
    messageCount += 1
    switch messageCount % 3 {
    case 0: return withID()
    case 1: return identical()
    default: return Bool.random(using: &generator) ? timedFrame(at: time) : wholeStreak()
    }
  }

  /// A gift that counts as it stands, of a sender that no other message has.
  mutating func single(room: String, sender: String, total: Int64, adds: Int64) -> Message {
    messageCount += 1
    add(adds, room: room, sender: sender, gift: "crown")
    return Message(
      topic: "im/\(room)/gift", payload: #"[{"sender":"\#(sender)","gift":"crown","total":\#(total)}]"#)
  }

  private mutating func withID() -> Message {
    if !withIDs.isEmpty, chance(1, in: 10) {
      sentAgain += 1
      return withIDs.randomElement(using: &generator) ?? withIDs[0]
    }
    let (room, sender, gift) = (room(), "a\(pick(40))", "g\(pick(5))")
    let count = pick(3) + 1
    add(count, room: room, sender: sender, gift: gift)
    let message = Message(
      topic: "im/\(room)/gift",
      payload:
        #"[{"id":"e\#(messageCount)","sender":"\#(sender)","gift":"\#(gift)","count":\#(count)}]"#)
    if withIDs.count == GiftMaker.rememberedIDs { withIDs.removeFirst() }
    withIDs.append(message)
    return message
  }

  /// In few rooms, so that messages that are the same to the byte follow each other closely.
  private mutating func identical() -> Message {
    let room = "r\(pick(3))"
    add(1, room: room, sender: "Ann", gift: "rose")
    return Message(topic: "im/\(room)/gift", payload: #"[{"sender":"Ann","gift":"rose"}]"#)
  }

  /// A frame of a streak that goes on from message to message: it rises, repeats its last count, or ends.
  private mutating func timedFrame(at time: Instant) -> Message {
    let (room, sender) = (room(), "c\(pick(5))")
    let key = Renderer.Key(room: room, sender: sender, gift: "heart", receiver: nil)
    var streak = streaks[key] ?? Streak()
    let isNew = streak.isEnded || time - streak.time >= gap
    var ends = false
    if isNew {
      let total = pick(3) + 1
      add(total, room: room, sender: sender, gift: "heart")
      streak = Streak(last: total, isEnded: false)
    } else if !streak.isRepeated, chance(1, in: 5) {
      ends = Bool.random(using: &generator)
      streak.isRepeated = true
    } else {
      let rise = pick(3) + 1
      ends = chance(1, in: 10)
      add(rise, room: room, sender: sender, gift: "heart")
      streak.last += rise
      streak.isRepeated = false
    }
    streak.isEnded = ends
    streak.time = time
    streaks[key] = streak
    let end = ends ? #","end":true"# : ""
    return Message(
      topic: "im/\(room)/gift",
      payload: #"[{"sender":"\#(sender)","gift":"heart","total":\#(streak.last),"time":\#(time)\#(end)}]"#)
  }

  /// A streak without times, from its first frame to its closing frame in one message.
  private mutating func wholeStreak() -> Message {
    let (room, sender) = (room(), "d\(pick(5))")
    let first = pick(3) + 1
    let last = first + pick(4) + 1
    add(last, room: room, sender: sender, gift: "star")
    let frame = #"{"sender":"\#(sender)","gift":"star","total":"#
    return Message(
      topic: "im/\(room)/gift",
      payload: #"[\#(frame)\#(first)},\#(frame)\#(last)},\#(frame)\#(last),"end":true}]"#)
  }

  private mutating func add(_ count: Int64, room: String, sender: String, gift: String) {
    published[Renderer.Key(room: room, sender: sender, gift: gift, receiver: nil), default: 0] += count
  }

  private mutating func room() -> String { "r\(pick(Int64(GiftMaker.rooms)))" }

  private mutating func pick(_ count: Int64) -> Int64 { Int64.random(in: 0..<count, using: &generator) }

  private mutating func chance(_ wanted: Int64, in all: Int64) -> Bool { pick(all) < wanted }
}
