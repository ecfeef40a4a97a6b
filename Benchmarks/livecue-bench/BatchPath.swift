import Base
import Bridge
import Configuration
import Engine
import Simulation
import Wire

/// The way of a batch from the bytes of its payload to the bytes of its commands, over and over.
struct BatchPath {
  /// What it came to. Times are those of the fastest round: what other work adds is never negative.
  struct Result {
    var nanosecondsPerEvent = Double.infinity
    var decodeNanosecondsPerEvent = Double.infinity
    var commandsPerBatch = 0.0
    /// Nil if the allocations are not counted (see allocations.c).
    var allocationsPerEvent: Double?
  }

  /// How long a room is silent between two of its batches: as at 1 000 batches a second over 1 000 rooms.
  private static let silence: Int64 = 1000

  private let rooms: Int
  private var topics: [[UInt8]] = []
  private var payloads: [[UInt8]] = []

  /// Batches over some rooms, made beforehand.
  init(rooms: Int, batches: Int) {
    self.rooms = rooms
    var workload = Workload(seed: 1, rooms: rooms)
    // Memory for a few thousand payloads; a larger run goes through them again with other ids.
    for _ in 0..<batches {
      var topic: [UInt8] = []
      var payload: [UInt8] = []
      workload.next(topic: &topic, payload: &payload)
      topics.append(topic)
      payloads.append(payload)
    }
  }

  /// Plays all batches `rounds` times and once more before, to grow the buffers.
  func measure(rounds: Int) -> Result {
    var result = Result()
    guard var bridge = Result.bridge("limits: {giftIdMs: 1000, maxOtherIds: 4}") else { return result }
    var outgoing = OutgoingMessages()
    var messages = 0
    var batchNumber: Int64 = 0
    // The settings let an id come again when the payloads are played again.
    for round in 0...rounds {
      let allocations = Allocations.count
      let start = Clock.seconds
      messages = 0
      for place in payloads.indices {
        // Each room's time goes on by the silence from one of its batches to the next.
        let instant = batchNumber * BatchPath.silence / Int64(rooms)
        let topic = topics[place]
        let payload = payloads[place]
        bridge.receive(topic: topic.span, payload: payload.span, at: instant, into: &outgoing)
        messages += outgoing.messages.count
        outgoing.removeAll()
        batchNumber += 1
      }
      guard round > 0 else { continue }
      let events = Double(payloads.count * Workload.eventsPerBatch)
      let nanoseconds = (Clock.seconds - start) * 1e9 / events
      result.nanosecondsPerEvent = min(result.nanosecondsPerEvent, nanoseconds)
      if let before = allocations, let after = Allocations.count {
        result.allocationsPerEvent = Double(after - before) / events
      }
    }
    result.commandsPerBatch = Double(messages) / Double(payloads.count)
    result.decodeNanosecondsPerEvent = decodeNanoseconds(rounds: rounds)
    return result
  }

  private func decodeNanoseconds(rounds: Int) -> Double {
    var decoder = BatchDecoder()
    var batch = EventBatch()
    var rejections: [Rejection] = []
    let input = DecoderInput(source: 0, kind: nil, profile: CompiledProfile(.native))
    let limits = RoomLimits()
    var fastest = Double.infinity
    for _ in 0..<rounds {
      let start = Clock.seconds
      for payload in payloads {
        decoder.decode(payload.span, input: input, limits: limits, into: &batch, rejections: &rejections)
      }
      let events = Double(payloads.count * Workload.eventsPerBatch)
      fastest = min(fastest, (Clock.seconds - start) * 1e9 / events)
    }
    return fastest
  }
}

extension BatchPath.Result {
  /// A bridge with some settings.
  static func bridge(_ settings: String) -> Bridge? {
    do {
      return try Bridge(
        configuration: try Configuration.read(bytes: Array(settings.utf8), file: "benchmark"))
    } catch {
      print("the benchmark's own settings are wrong: \(error)")
      return nil
    }
  }
}
