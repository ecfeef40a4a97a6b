import Base
import Bridge
import Configuration
import TestSupport
import Testing
import Wire

@testable import Store

/// Operators' commands and renderers' words as messages: what comes in on which topic, and what goes out.
@Suite struct ControlTests {
  private static let big = """
    snapshot: {everyMs: 0}
    stage: {leader: lead}
    gift: {rules: [{priority: 9, gifts: [castle], asset: castle.webm, durationMs: 8000}]}
    """

  /// A room `r1` in which Ann gave a castle at 1000.
  private static func door(_ yaml: String = ControlTests.big) throws -> Door {
    var door = try Door(yaml)
    door.receive("im/r1/gift", #"[{"sender":"Ann","gift":"castle"}]"#)
    return door
  }

  private func replies(_ messages: [PublishedMessage]) -> [String] {
    messages.filter { $0.topic.hasSuffix("/reply") }.map { "\($0.topic) \($0.payload)" }
  }

  @Test(arguments: [
    (#"{"id":"c1","op":"pause"}"#, #"{"id":"c1","ok":true}"#),
    (#"{"id":7,"op":"resume","part":"gift","room":"r1"}"#, #"{"id":7,"ok":true}"#),
    (#"{"op":"skip","track":"gift/2"}"#, #"{"id":null,"ok":true}"#),
    (#"{"id":"c","op":"skip","track":"stage"}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"clear","part":"all"}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"mute","sender":"Ann"}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"mute","sender":{"id":7}}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"unmute","sender":8}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"remove","ids":["a",7]}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"remove","sender":"Ann"}"#, #"{"id":"c","ok":true}"#),
    (
      #"{"id":"c","op":"test","event":{"type":"like","sender":"Ann"},"time":1000}"#, #"{"id":"c","ok":true}"#
    ), (#"{"id":"c","op":"clear","expires":2000}"#, #"{"id":"c","ok":true}"#),
    (#"{"id":"c","op":"clear","time":-3000}"#, #"{"id":"c","ok":true}"#),
  ])
  func whatCanBeDoneIsAnswered(_ payload: String, _ answer: String) throws {
    var door = try ControlTests.door()
    #expect(replies(door.receive("cue/r1/control", payload, at: 2000)) == ["cue/r1/control/reply \(answer)"])
    #expect(door.bridge.counters.controlsDone == 1)
    #expect(door.bridge.counters.controlsRefused == 0)
  }

  @Test(arguments: [
    (#"{"id":"c","op":"clear","expires":1999}"#, "c", "expired"),
    (#"{"id":"c","op":"clear","time":-3001}"#, "c", "expired"),
    (#"{"id":"c","op":"claer"}"#, "c", "unknown-op"), (#"{"id":"c"}"#, "c", "unknown-op"),
    (#"{"id":"c","op":7}"#, "c", "unknown-op"), ("[]", nil, "not-json"), ("5", nil, "not-json"),
    (#"{"id":"c","op":"#, nil, "not-json"), ("", nil, "not-json"),
    (#"{"id":"c","op":"pause","part":"gifts"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"pause","part":5}"#, "c", "bad-member"),
    (#"{"id":"c","op":"skip"}"#, "c", "no-such-track"),
    (#"{"id":"c","op":"skip","track":"gift/3"}"#, "c", "no-such-track"),
    (#"{"id":"c","op":"skip","track":"gift/-1"}"#, "c", "no-such-track"),
    (#"{"id":"c","op":"skip","track":"comment"}"#, "c", "no-such-track"),
    (#"{"id":"c","op":"mute"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"mute","sender":""}"#, "c", "bad-member"),
    (#"{"id":"c","op":"remove"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"remove","ids":"a"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"remove","ids":[true]}"#, "c", "bad-member"),
    (#"{"id":"c","op":"clear","expires":"soon"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"clear","room":"r2"}"#, "c", "wrong-room"),
    (#"{"id":"c","op":"test"}"#, "c", "bad-member"),
    (#"{"id":"c","op":"test","event":{"type":"gift","sender":"Ann"}}"#, "c", "bad-event"),
  ])
  func whatCannotBeDoneIsAnsweredAndDoesNothing(_ payload: String, _ id: String?, _ fault: String) throws {
    var door = try ControlTests.door()
    door.advance(to: 2000)
    let caused = door.receive("cue/r1/control", payload, at: 2000)
    #expect(caused.count == 1)
    #expect(caused.first?.topic == "cue/r1/control/reply")
    #expect(caused.first?["id"] == (id.map { .string($0) } ?? .null))
    #expect(caused.first?["ok"] == .bool(false))
    #expect(caused.first?["error"]?.string == fault)
    #expect(caused.first?["detail"]?.string?.isEmpty == false)
    #expect(door.bridge.counters.controlsRefused == 1)
  }

  @Test func aRoomThatIsNoneIsAnswered() throws {
    var door = try Door("allowRooms: [r1]\nlimits: {maxRooms: 1}")
    let pause = #"{"id":"c","op":"pause"}"#
    for (room, fault) in [
      ("", "bad-room"), (String(repeating: "x", count: 129), "bad-room"), ("r2", "bad-room"), ("r1", nil),
    ] {
      let caused = door.receive("cue/\(room)/control", pause)
      #expect(caused.last?.topic == "cue/\(room)/control/reply")
      #expect(caused.last?["error"]?.string == fault)
    }
    var full = try Door("limits: {maxRooms: 1}")
    full.receive("cue/r1/control", pause)
    #expect(full.receive("cue/r2/control", pause).first?["error"]?.string == "too-many-rooms")
    #expect(full.receive("cue/r2/control", #"{"op":"clear"}"#).first?["error"]?.string == "no-such-room")
  }

  @Test func fiveClearsThatWereQueuedWhileWeWereAwayDoNothing() throws {
    var door = try ControlTests.door()
    for number in 0..<5 {
      let caused = door.receive("cue/r1/control", #"{"id":\#(number),"op":"clear","time":1000}"#, at: 60_000)
      #expect(caused.last?["error"]?.string == "expired")
      #expect(!caused.contains { $0["reason"]?.string == "cleared" })
    }
    #expect(door.bridge.engineCounters.groupsFoldedByControl == 0)
  }

  @Test func aRetainedCommandIsIgnored() throws {
    var door = try ControlTests.door()
    #expect(door.receive("cue/r1/control", #"{"op":"clear"}"#, retained: true).isEmpty)
    #expect(door.receive("cue/r1/feedback", #"{"op":"click","group":1}"#, retained: true).isEmpty)
    #expect(door.bridge.counters.retainedIgnored == 2)
  }

  @Test func theStageIsSaidInFull() throws {
    var door = try ControlTests.door()
    #expect(
      door.published.last?.payload
        == #"{"v":1,"room":"r1","track":"stage","epoch":1000,"seq":1,"at":1000,"op":"play","group":2,"#
        + #""sender":{"id":"Ann","name":"Ann"},"gift":{"id":"castle","name":"castle"},"count":1,"#
        + #""asset":"castle.webm","durationMs":8000,"deadline":9000}"#)
    #expect(door.published.last?.topic == "cue/r1/stage")
    let other = #"{"op":"done","group":2,"renderer":"page"}"#
    #expect(door.receive("cue/r1/feedback", other, at: 1100).isEmpty)
    let end = door.receive("cue/r1/feedback", #"{"op":"failed","group":2,"renderer":"lead"}"#, at: 1200)
    #expect(
      end.map(\.payload) == [
        #"{"v":1,"room":"r1","track":"stage","epoch":1000,"seq":2,"at":1200,"op":"end","group":2,"reason":"failed"}"#
      ])
  }

  @Test func aClickIsSaidInFull() throws {
    var door = try ControlTests.door()
    let click = door.receive("cue/r1/feedback", #"{"op":"click","group":1,"renderer":"page"}"#, at: 1001)
    #expect(
      click.map { "\($0.topic) \($0.payload)" } == [
        #"cue/r1/click {"v":1,"room":"r1","track":"click","epoch":1000,"seq":1,"at":1001,"op":"click","group":1,"#
          + #""sender":{"id":"Ann","name":"Ann"},"gift":{"id":"castle","name":"castle"},"count":0,"renderer":"page"}"#
      ])
  }

  @Test func aTestIsSaidMarkedAndIsInNoLedger() throws {
    var door = try ControlTests.door()
    door.bridge.ledger = LedgerTally(dayOffsetMinutes: 0)
    let event = #"{"type":"gift","sender":"Bo","gift":"rose","count":3}"#
    let caused = door.receive("cue/r1/control", #"{"op":"test","event":\#(event)}"#, at: 1001)
    #expect(
      caused.first?.payload
        == #"{"v":1,"room":"r1","track":"gift/1","epoch":1000,"seq":1,"at":1001,"op":"show","group":3,"#
        + #""sender":{"id":"Bo","name":"Bo"},"gift":{"id":"rose","name":"rose"},"combo":true,"base":0,"#
        + #""priority":0,"durationMs":300,"until":5501,"test":true}"#)
    #expect(door.bridge.ledger?.isEmpty == true)
    door.receive("im/r1/gift", roses("Bo"), at: 1002)
    #expect(door.bridge.ledger?.lines.map(\.count) == [1])
  }

  @Test func removalAndPauseAreSaidInFull() throws {
    var door = try Door("snapshot: {everyMs: 0}")
    door.receive(
      "im/r1/comment", #"[{"id":"a\"","sender":"Ann","text":"x"},{"id":7,"sender":"Ann","text":"y"}]"#)
    let removed = door.receive("cue/r1/control", #"{"op":"remove","sender":"Ann"}"#)
    #expect(
      removed.first?.payload
        == #"{"v":1,"room":"r1","track":"comment","epoch":1000,"seq":2,"at":1000,"op":"remove","ids":["a\"","7"]}"#
    )
    let paused = door.receive("cue/r1/control", #"{"op":"pause","part":"like"}"#)
    #expect(
      paused.first?.payload
        == #"{"v":1,"room":"r1","track":"like","epoch":1000,"seq":1,"at":1000,"op":"pause"}"#)
  }

  @Test(arguments: [
    "", "[]", "5", #"{"op":"done"}"#, #"{"op":"done","group":"2"}"#, #"{"group":2}"#,
    #"{"op":"dance","group":2}"#,
    #"{"op":"click","group":99999999999999999999}"#, #"{"op":"click","group":1.5}"#,
  ])
  func feedbackThatNobodyCanUseCostsNothing(_ payload: String) throws {
    var door = try ControlTests.door()
    #expect(door.receive("cue/r1/feedback", payload, at: 1001).isEmpty)
    #expect(door.receive("cue/r2/feedback", #"{"op":"click","group":1}"#, at: 1001).isEmpty)
    #expect(door.bridge.counters.feedbacksRefused == 2)
    #expect(door.bridge.counters.feedbacks == 0)
    #expect(door.bridge.roomCount == 1)
  }

  @Test func rowsOfAJournalSayTheSame() throws {
    let inputs: [(String, String, Instant)] = [
      ("im/r1/gift", #"[{"sender":"Ann","gift":"castle"},{"sender":"Bo","gift":"rose","count":9}]"#, 1000),
      ("cue/r1/control", #"{"id":1,"op":"pause"}"#, 1100),
      (
        "im/r1/batch", #"[{"type":"comment","sender":"Ann","text":"hi"},{"type":"like","sender":"Ann"}]"#,
        1200
      ),
      ("cue/r1/control", #"{"id":2,"op":"mute","sender":"Bo"}"#, 1300),
      ("cue/r1/control", #"{"id":3,"op":"resume","time":-9000}"#, 1400),
      ("cue/r1/control", #"{"id":4,"op":"resume"}"#, 61_400),
      ("cue/r1/feedback", #"{"op":"resync"}"#, 61_500),
      ("cue/r1/feedback", #"{"op":"done","group":2,"renderer":"lead"}"#, 61_600),
      ("cue/r1/control", "{", 61_700),
    ]
    var live = try ControlTests.door()
    for (topic, payload, at) in inputs { live.receive(topic, payload, at: at) }
    live.advance(to: 90_000)
    var again = try ControlTests.door()
    var outgoing = OutgoingMessages()
    for (number, (topic, payload, at)) in inputs.enumerated() {
      let topic = Array(topic.utf8)
      let payload = Array(payload.utf8)
      let row = JournalRow(
        id: Int64(number + 1), at: at, kind: .message, messageID: 0,
        digest: Digest(topic: topic.span, payload: payload.span), engineVersion: 1, isPoison: false)
      try again.bridge.apply(row, topic: topic.span, payload: payload.span, into: &outgoing)
    }
    again.bridge.advance(to: 90_000, into: &outgoing)
    #expect(outgoing.published == Array(live.published.dropFirst(again.published.count)))
    #expect(outgoing.published.count > 20)
  }
}
