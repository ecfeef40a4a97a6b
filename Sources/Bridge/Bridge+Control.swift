import Base
import Configuration
import Engine
import Wire

// An operator's commands and renderers' words are messages like all others: recorded, handled at their row's
// instant, and handled alike in every replay.
extension Bridge {
  /// An operator's command: it is done and answered.
  mutating func receiveControl(
    topic: Span<UInt8>, room: Range<Int>, payload: Span<UInt8>, into outgoing: inout OutgoingMessages
  ) {
    var id: JSONValue?
    var refusal: ControlRefusal?
    do throws(ControlRefusal) {
      let object = try ControlRequest.object(payload)
      id = ControlRequest.id(of: object)
      try carryOut(object, topic: topic, room: room)
      counters.controlsDone += 1
    } catch {
      refusal = error
      counters.controlsRefused += 1
    }
    encode(into: &outgoing)
    door.reportEncoder.encode(
      answerTo: id, refusal, topic: topic, at: engine.now, position: reportPosition, into: &outgoing)
  }

  /// What a renderer says. What nobody can use is counted and costs nothing.
  mutating func receiveFeedback(
    topic: Span<UInt8>, room: Range<Int>, payload: Span<UInt8>, into outgoing: inout OutgoingMessages
  ) {
    let name = topic.extracting(room)
    guard let report = FeedbackReport(payload),
      engine.feedback(
        report.operation, renderer: report.renderer, room: name, at: engine.now, output: &output)
    else {
      counters.feedbacksRefused += 1
      return
    }
    counters.feedbacks += 1
    encode(into: &outgoing)
  }

  private mutating func carryOut(
    _ object: JSONValue, topic: Span<UInt8>, room: Range<Int>
  ) throws(ControlRefusal) {
    let name = topic.extracting(room)
    let text = Array(copying: name)
    guard TopicLayout.isRoomName(topic, room) else {
      throw ControlRefusal(.badRoom, Self.badRoomDetail)
    }
    guard door.configuration.allows(room: text) else {
      throw ControlRefusal(.badRoom, "the room is not in allowRooms")
    }
    let request = try ControlRequest(object, room: text)
    if let expires = request.expires, engine.now > expires {
      throw ControlRefusal(.expired, "it came after its expires, or more than 5 s after its time")
    }
    let plan = door.configuration.plan(forRoom: text)
    if request.operation == .test {
      decoder.decode(
        request.events.span, input: door.testInput, limits: plan.limits, into: &batch,
        rejections: &rejections)
      if let rejection = rejections.first { throw ControlRefusal(.badEvent, rejection.detail) }
      if batch.events.contains(where: { $0.kind == .remove }) {
        throw ControlRefusal(.badEvent, "found a removal, of which there is nothing to see")
      }
      batch.apply(plan.catalogue)
    }
    let fault = engine.control(
      request.operation, batch: batch, room: name, plan: plan, at: engine.now, output: &output)
    if let fault { throw ControlRefusal(fault, Self.detail(of: fault)) }
  }

  private static func detail(of fault: ControlFault) -> StaticString {
    switch fault {
    case .noSuchRoom: "nothing has happened in the room, or it has left"
    case .noSuchTrack: "the room has no such track"
    case .tooManyRooms: "there are maxRooms rooms already"
    case .tooManyMuted: "limits.maxMuted senders are muted already"
    default: "it cannot be done"
    }
  }
}
