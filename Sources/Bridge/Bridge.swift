public import Base
public import Configuration
import Engine
public import Wire

/// The one door of an instance: a message comes in, the messages that it causes go out.
///
/// It reads the payload whole, hands the events to the engine, and encodes the commands. It knows no socket,
/// no clock and no file: with the same messages at the same instants its output is the same, byte for byte.
public struct Bridge {
  var door: Door
  var engine: Engine
  var decoder = BatchDecoder()
  var batch = EventBatch()
  var rejections: [Rejection] = []
  var output = CommandBuffer()
  private var waits: [Int64] = []
  /// True: the waits of groups are kept for `takeWaits`, which must then be called.
  public var collectsWaits = false
  /// What the accepted gifts add to the ledger, until the owner takes it. Nil: nobody keeps a ledger.
  public var ledger: LedgerTally?
  /// Who watches; nil: nobody.
  public var tracer: (any BridgeTracer)? {
    didSet { output.keepsTrace = tracer != nil }
  }
  /// The row of the journal that is being handled: what is reported of it has its number. 0: there is no
  /// journal.
  public var row: Int64 = 0
  /// What happened so far, at the door.
  public internal(set) var counters = BridgeCounters()

  /// A bridge without rooms. `inputs` replaces those of the configuration. Throws if a filter of them is
  /// none, which reading a configuration checks.
  public init(
    configuration: Configuration, inputs plans: [InputPlan]? = nil
  ) throws(TopicFilterFault) {
    door = try Door(configuration: configuration, inputs: plans)
    engine = Engine(maxRooms: configuration.maxRooms)
  }

  /// A message arrived on a topic at an instant. What it causes, with all that is due until then, is added to
  /// `outgoing` in order.
  public mutating func receive(
    topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool = false, at instant: Instant,
    into outgoing: inout OutgoingMessages
  ) {
    advance(to: instant, into: &outgoing)
    switch door.topics.route(topic) {
    case .unknown:
      counters.unknownTopics += 1
    case _ where isRetained:
      counters.retainedIgnored += 1
    case .badRoom:
      count(payload)
      refuse(.badRoom, Self.badRoomDetail, topic: topic, payload: payload, into: &outgoing)
    case .input(let input, let room):
      count(payload)
      receive(
        input: input, topic: topic, name: topic.extracting(room), payload: payload, into: &outgoing)
    case .inputOfAnyRoom(let input):
      count(payload)
      if let name = door.fixedRooms[input] {
        receive(input: input, topic: topic, name: name.span, payload: payload, into: &outgoing)
      } else {
        receiveOfRooms(input: input, topic: topic, payload: payload, into: &outgoing)
      }
    case .control(let room):
      receiveControl(topic: topic, room: room, payload: payload, into: &outgoing)
    case .feedback(let room):
      receiveFeedback(topic: topic, room: room, payload: payload, into: &outgoing)
    }
  }

  /// Counts a message that was ignored because it was retained: the broker had kept it from another time.
  public mutating func ignoreRetained() { counters.retainedIgnored += 1 }

  /// Fires all timers that are due until an instant and adds what they cause to `outgoing`.
  public mutating func advance(to instant: Instant, into outgoing: inout OutgoingMessages) {
    engine.advance(to: instant, output: &output)
    encode(into: &outgoing)
  }

  /// Goes over to another configuration at an instant: rooms follow their new plans, and what they say of it
  /// is added to `outgoing`. Throws, and changes nothing, if a filter of its inputs is none.
  public mutating func adopt(
    _ configuration: Configuration, at instant: Instant, into outgoing: inout OutgoingMessages
  ) throws(TopicFilterFault) {
    door = try Door(configuration: configuration, inputs: nil)
    engine.maxRooms = configuration.maxRooms
    engine.adopt(at: instant, output: &output) { configuration.plan(forRoom: $0) }
    encode(into: &outgoing)
  }

  /// Numbers the commands of every room anew, in a new epoch, without letting time pass.
  public mutating func beginEpoch(_ epoch: Instant) { engine.beginEpoch(epoch) }

  /// A message is kept out for good, since it ended the process each time: that is reported in its place.
  mutating func refusePoison(
    topic: Span<UInt8>, payload: Span<UInt8>, at instant: Instant, into outgoing: inout OutgoingMessages
  ) {
    let rejections = [
      Rejection(index: nil, reason: .poison, detail: "handling it ended the process, more than once")
    ]
    if let name = room(ofTopic: topic) {
      report(rejections, topic: topic, room: name.span, payload: payload, at: instant, into: &outgoing)
    } else {
      report(rejections, topic: topic, room: nil, payload: payload, at: instant, into: &outgoing)
    }
  }

  /// We were away between two instants: every timer moves by that length.
  public mutating func skip(from: Instant, to: Instant, into outgoing: inout OutgoingMessages) {
    engine.skip(from: from, to: to, output: &output)
    encode(into: &outgoing)
  }

  /// Adds the snapshots that the broker keeps once more, as the rooms are now, of some rooms at a time: for
  /// each time that a broker takes our commands again, which may have lost them. It changes no state, and is
  /// no part of what rows lead to: it is said beside that, at any time and in any number.
  ///
  /// - Parameters:
  ///   - place: Where to go on: 0 at first, then what the call before returned.
  ///   - limit: The most rooms that are looked at: some microseconds each.
  ///   - present: The instant of writing.
  /// - Returns: Where to go on; nil if all rooms were.
  public func snapshotAll(
    from place: Int, limit: Int, present: Instant, into outgoing: inout OutgoingMessages
  ) -> Int? {
    var buffer = CommandBuffer()
    let next = engine.appendSnapshots(from: place, limit: limit, present: present, output: &buffer)
    for snapshot in buffer.snapshots { door.commandEncoder.encode(snapshot, of: buffer, into: &outgoing) }
    return next
  }

  /// Adds the retained message that says whether this instance is there.
  public func announce(
    _ state: InstanceState, version: String, since: Instant, into outgoing: inout OutgoingMessages
  ) {
    door.reportEncoder.encode(state, version: version, since: since, into: &outgoing)
  }

  /// The configuration that is in force.
  public var configuration: Configuration { door.configuration }

  /// The instant that has been reached; an earlier one counts as this.
  public var now: Instant { engine.now }

  /// When the next timer of any room fires; nil if there is no room.
  public var nextDeadline: Instant? { engine.nextDeadline }

  /// True if no room waits for anything but to leave.
  public var isQuiet: Bool { engine.isQuiet }

  /// How many rooms there are.
  public var roomCount: Int { engine.roomCount }

  /// Gifts accepted and neither shown nor folded yet, for the conservation law.
  public var giftsPending: Int { engine.giftsPending }

  /// What all rooms hold. Looks at each of them.
  public var load: EngineLoad { engine.load }

  /// Counts from zero again: what a replay did was counted when it happened.
  public mutating func restartCounting() {
    counters = BridgeCounters()
    output.counters = EngineCounters()
  }

  /// What the engine counted so far.
  public var engineCounters: EngineCounters { output.counters }

  /// Payloads that were read only after a repair.
  public var repairedPayloads: Int { decoder.repairedPayloads }

  /// Elements that the cases of profiles dropped.
  public var droppedElements: Int { decoder.droppedElements }

  /// Hands over how long each group had waited that left the queue since the last call, in milliseconds.
  public mutating func takeWaits(into waits: inout [Int64]) {
    waits.append(contentsOf: self.waits)
    self.waits.removeAll(keepingCapacity: true)
  }

  static let badRoomDetail: StaticString =
    "the topic's room: expected 1-128 bytes of UTF-8 without control characters and + # /"

  private mutating func count(_ payload: Span<UInt8>) {
    counters.batches += 1
    counters.batchBytes += payload.count
  }

  private mutating func receive(
    input: Int, topic: Span<UInt8>, name: Span<UInt8>, payload: Span<UInt8>,
    into outgoing: inout OutgoingMessages
  ) {
    var plan = door.configuration.defaultPlan
    if door.configuration.hasRoomRules {
      let text = Array(copying: name)
      guard door.configuration.allows(room: text) else {
        return refuse(
          .badRoom, "the room is not in allowRooms", topic: topic, payload: payload, into: &outgoing)
      }
      plan = door.configuration.plan(forRoom: text)
    }
    decoder.decode(
      payload, input: door.inputs[input], limits: plan.limits, into: &batch, rejections: &rejections)
    if !batch.events.isEmpty {
      batch.apply(plan.catalogue)
      guard engine.receive(batch, room: name, plan: plan, at: engine.now, output: &output) else {
        return refuse(
          .tooManyRooms, "there are maxRooms rooms already", topic: topic, payload: payload,
          into: &outgoing)
      }
      rejections.append(contentsOf: output.rejections)
      ledger?.add(output.accepted, of: batch, room: name, at: engine.now)
      encode(into: &outgoing)
    }
    guard !rejections.isEmpty else { return }
    rejections.sort { ($0.index ?? -1) < ($1.index ?? -1) }
    report(rejections, topic: topic, room: name, payload: payload, at: engine.now, into: &outgoing)
  }

  mutating func report(
    _ rejections: [Rejection], topic: Span<UInt8>, room: Span<UInt8>?, payload: Span<UInt8>,
    at instant: Instant, into outgoing: inout OutgoingMessages
  ) {
    counters.add(rejections)
    tracer?.bridgeRefused(rejections)
    door.reportEncoder.encode(
      rejections, topic: topic, room: room, at: instant, payload: payload, position: reportPosition,
      into: &outgoing)
  }

  /// Reports and answers are numbered by their rows, of which each makes one at most on a topic. Epochs of
  /// rooms are later.
  var reportPosition: OutputPosition? { row > 0 ? OutputPosition(epoch: 0, sequence: Int(row)) : nil }

  /// Refuses a payload for whose room there is no place: the report goes to the instance's own topic.
  private mutating func refuse(
    _ reason: RejectionReason, _ detail: StaticString, topic: Span<UInt8>, payload: Span<UInt8>,
    into outgoing: inout OutgoingMessages
  ) {
    report(
      [Rejection(index: nil, reason: reason, detail: detail)], topic: topic, room: nil, payload: payload,
      at: engine.now, into: &outgoing)
  }

  mutating func encode(into outgoing: inout OutgoingMessages) {
    var nextSnapshot = 0
    for place in output.commands.indices {
      encodeSnapshots(upTo: place, &nextSnapshot, into: &outgoing)
      counters.add(output.commands[place].track)
      door.commandEncoder.encode(output.commands[place], of: output, into: &outgoing)
    }
    encodeSnapshots(upTo: output.commands.count, &nextSnapshot, into: &outgoing)
    for wait in output.waits { counters.waits.add(wait) }
    if collectsWaits { waits.append(contentsOf: output.waits) }
    if let tracer { tracer.bridgeMade(output, batch: batch) }
    output.removeAll()
  }

  /// Snapshots go out between the commands where they were written: however much time passes in one step, the
  /// order of the messages is the same.
  private func encodeSnapshots(
    upTo place: Int, _ next: inout Int, into outgoing: inout OutgoingMessages
  ) {
    while next < output.snapshots.count, output.snapshots[next].place <= place {
      door.commandEncoder.encode(output.snapshots[next], of: output, into: &outgoing)
      next += 1
    }
  }
}
