import Base

/// Batches as busy rooms send them, made from a seed: the mix of the design's section 7.
///
/// Twenty events a batch, about 2 KB: 60 % gifts, 35 % comments, 5 % likes, all with ids. A room has 200
/// senders; most gifts go on with a combo of the last few, as in the captures.
public struct Workload: Sendable {
  /// Events in a batch.
  public static let eventsPerBatch = 20
  private static let senders = 200
  private static let gifts = ["rose", "heart", "rocket", "lollipop", "star", "drum", "crown", "kite"]

  private var random: SplitMix
  private let rooms: Int
  private var batchNumber = 0
  private var eventNumber = 0
  /// The pair of sender and gift that each room's combo is of.
  private var combos: [(sender: Int, gift: Int)]

  /// Batches over `rooms` rooms, in turn.
  public init(seed: UInt64, rooms: Int) {
    random = SplitMix(seed: seed)
    self.rooms = rooms
    combos = Array(repeating: (0, 0), count: rooms)
  }

  /// Writes the next batch's topic and payload, in the native format.
  public mutating func next(topic: inout [UInt8], payload: inout [UInt8]) {
    let room = batchNumber % rooms
    batchNumber += 1
    topic.removeAll(keepingCapacity: true)
    topic.append(contentsOf: "im/room-".utf8)
    topic.append(decimal: Int64(room))
    topic.append(contentsOf: "/batch".utf8)
    payload.removeAll(keepingCapacity: true)
    for place in 0..<Workload.eventsPerBatch {
      payload.append(place == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
      appendEvent(room: room, to: &payload)
    }
    payload.append(UInt8(ascii: "]"))
  }

  private mutating func appendEvent(room: Int, to payload: inout [UInt8]) {
    let dice = Int.random(in: 0..<100, using: &random)
    eventNumber += 1
    if dice < 60 {
      if Int.random(in: 0..<100, using: &random) < 20 {
        combos[room] = (
          Int.random(in: 0..<Workload.senders, using: &random),
          Int.random(in: 0..<Workload.gifts.count, using: &random)
        )
      }
      append("gift", sender: combos[room].sender, to: &payload)
      let gift = Workload.gifts[combos[room].gift]
      payload.append(
        contentsOf: ",\"gift\":{\"id\":\"\(gift)\",\"name\":\"\(gift)\",\"price\":10},\"count\":1}".utf8)
    } else if dice < 95 {
      append("comment", sender: Int.random(in: 0..<Workload.senders, using: &random), to: &payload)
      payload.append(contentsOf: ",\"text\":\"what a lovely evening\"}".utf8)
    } else {
      append("like", sender: Int.random(in: 0..<Workload.senders, using: &random), to: &payload)
      payload.append(contentsOf: ",\"count\":5}".utf8)
    }
  }

  private func append(_ kind: String, sender: Int, to payload: inout [UInt8]) {
    payload.append(
      contentsOf: ("{\"type\":\"\(kind)\",\"id\":\"e\(eventNumber)\",\"sender\":{\"id\":\"u\(sender)\","
        + "\"name\":\"Viewer \(sender)\",\"level\":12}").utf8)
  }
}
