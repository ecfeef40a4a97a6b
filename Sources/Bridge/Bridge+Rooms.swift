import Base
import Configuration
import Engine
import Wire

// Where the payload says the room, the events of one message may be for several.
extension Bridge {
  /// What one message has for one room.
  private struct Part {
    let room: [UInt8]
    var events: [Event] = []
  }

  /// Handles a message whose elements say their rooms: the rooms in the order in which they first appear, the
  /// events of each in theirs. It is read under the limits of all rooms, since the room is not known before.
  mutating func receiveOfRooms(
    input: Int, topic: Span<UInt8>, payload: Span<UInt8>, into outgoing: inout OutgoingMessages
  ) {
    decoder.decode(
      payload, input: door.inputs[input], limits: door.configuration.defaultPlan.limits, into: &batch,
      rejections: &rejections)
    var refused = rejections
    let isOfUnknownRooms = rejections.contains { $0.reason == .badRoom }
    let parts = Bridge.parts(of: batch)
    for part in parts {
      // Ids of removals and texts are looked up where they lie.
      batch.events = part.events
      deliver(to: part.room, refused: &refused, into: &outgoing)
    }
    guard !refused.isEmpty else { return }
    refused.sort { ($0.index ?? -1) < ($1.index ?? -1) }
    // The report has a piece of the payload, which is no room's to see if it may be of another.
    if parts.count == 1, !isOfUnknownRooms, door.configuration.allows(room: parts[0].room) {
      let room = parts[0].room
      report(refused, topic: topic, room: room.span, payload: payload, at: engine.now, into: &outgoing)
    } else {
      report(refused, topic: topic, room: nil, payload: payload, at: engine.now, into: &outgoing)
    }
  }

  private static func parts(of batch: borrowing EventBatch) -> [Part] {
    var parts: [Part] = []
    var places: [[UInt8]: Int] = [:]
    for (event, room) in zip(batch.events, batch.rooms) {
      let name = Array(batch.bytes[room.range])
      let place = places[name] ?? parts.count
      if place == parts.count {
        places[name] = place
        parts.append(Part(room: name))
      }
      parts[place].events.append(event)
    }
    return parts
  }

  /// Hands the events of the batch to a room. Those that it does not take are added to what was refused.
  private mutating func deliver(
    to room: [UInt8], refused: inout [Rejection], into outgoing: inout OutgoingMessages
  ) {
    guard door.configuration.allows(room: room) else {
      refused += batch.events.map {
        Rejection(index: $0.index, reason: .badRoom, detail: "the room is not in allowRooms")
      }
      return
    }
    let plan = door.configuration.plan(forRoom: room)
    batch.apply(plan.catalogue)
    guard engine.receive(batch, room: room.span, plan: plan, at: engine.now, output: &output) else {
      refused += batch.events.map {
        Rejection(index: $0.index, reason: .tooManyRooms, detail: "there are maxRooms rooms already")
      }
      return
    }
    refused += output.rejections
    ledger?.add(output.accepted, of: batch, room: room.span, at: engine.now)
    encode(into: &outgoing)
  }
}
