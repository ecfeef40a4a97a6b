import Base
import EventLoop
import HTTP
import MQTT
import Wire

// An operator's command comes as a POST whose answer is what the daemon replies.
extension Gateway {
  /// Tests that one request may ask for.
  private static let maxTests: Int64 = 100
  /// Commands whose replies are awaited at a time.
  static let maxAwaited = 200
  /// A command that the daemon has not answered for so long is told so.
  private static let patienceMilliseconds: Int64 = 5000

  /// Publishes a command of `livecue control`, as JSON of the same members; with `times` a test is repeated.
  func control(_ body: JSONValue, _ room: String) -> HTTPResponse {
    guard case .object(var members) = body else { return Gate.refusal(400, "expected a JSON object") }
    let times = members.removeValue(forKey: "times").map { $0.integer ?? 0 } ?? 1
    do throws(ControlRefusal) {
      let request = try ControlRequest(.object(members), room: Array(room.utf8))
      guard times == 1 || (request.operation == .test && 1...Gateway.maxTests ~= times) else {
        return Gate.refusal(400, "expected times with op test only, from 1 to \(Gateway.maxTests)")
      }
    } catch {
      return Gate.refusal(400, "\(error.fault.rawValue): \(error.detail)")
    }
    guard awaited.count < Gateway.maxAwaited else {
      return Gate.refusal(503, "\(Gateway.maxAwaited) commands await their replies already")
    }
    guard connection.publishRoom >= Int(times) else { return Gateway.away }
    // Before the daemon's first word its clock is not known, and what it took for late it would not do.
    if members["time"] == nil, clock.isKnown { members["time"] = .integer(estimatedInstant) }
    // Replies are told apart by ids of our own.
    members["id"] = nil
    for _ in 1..<times where !publish(.object(members), room, "control") { return Gateway.away }
    controlCount += 1
    let id = "overlay-\(stream)-\(controlCount)"
    members["id"] = .string(id)
    guard publish(.object(members), room, "control") else { return Gateway.away }
    return HTTPResponse(type: "application/json", answer(awaiting: id))
  }

  /// The answer's body, which comes with the reply, or with word that there was none.
  private func answer(awaiting id: String) -> HTTPStream {
    let body = HTTPStream()
    let timer = loop.schedule(at: loop.clock.now + Gateway.patienceMilliseconds) { [unowned self] in
      let detail = "the daemon has not answered for 5 s: is it running?"
      finish(id, #"{"id":"\#(id)","ok":false,"error":"no-answer","detail":"\#(detail)"}"#)
    }
    awaited[id] = (body, timer)
    body.ended = { [weak self] in
      guard let self, let known = awaited.removeValue(forKey: id) else { return }
      loop.cancel(known.timer)
    }
    return body
  }

  /// A reply of the daemon's; other clients' are none of ours.
  func takeReply(_ payload: ArraySlice<UInt8>) {
    let bytes = Array(payload)
    let reply: JSONValue
    do throws(JSONFault) {
      reply = try JSONValue(bytes.span, maxDepth: 8)
    } catch {
      refusedMessages += 1
      return
    }
    guard let id = reply["id"]?.string, awaited[id] != nil else { return }
    finish(id, String(decoding: bytes, as: UTF8.self))
  }

  private func finish(_ id: String, _ text: String) {
    guard let (body, timer) = awaited.removeValue(forKey: id) else { return }
    loop.cancel(timer)
    body.write("\(text)\n")
    body.finish()
  }
}
