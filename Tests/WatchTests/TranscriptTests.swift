import Testing
import Watch

/// The lines that a message gives.
func lines(_ transcript: inout Transcript, _ payload: String, topic: String = "cue/r1/gift/0") -> [String] {
  let bytes = Array(payload.utf8)
  return transcript.lines(topic: topic, payload: bytes.span)
}

/// A command of room r1.
func command(
  _ sequence: Int64, _ members: String = #""op":"pause""#, track: String = "gift/0", epoch: Int64 = 500,
  at: Int64 = 1_722_400_000_000
) -> String {
  #"{"v":1,"room":"r1","track":"\#(track)","epoch":\#(epoch),"seq":\#(sequence),"at":\#(at),\#(members)}"#
}

private let show =
  #""op":"show","group":7,"sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose","name":"Rose"},"until":1722400003700"#

@Suite struct TranscriptTests {
  @Test func aGroupKeepsItsNameFromShowToHide() {
    var transcript = Transcript()
    let seen = [
      show, #""op":"count","group":7,"from":0,"to":3,"until":1722400004500"#,
      #""op":"hold","group":7,"count":3,"until":1722400004500"#,
      #""op":"hide","group":7,"count":3,"reason":"expired""#, #""op":"hold","group":7,"count":3"#,
    ].enumerated().flatMap { lines(&transcript, command(Int64($0.offset) + 1, $0.element)) }
    #expect(
      seen == [
        "04:26:40.000 r1 gift/0    #1 show    Ann → Rose, until +3700 ms",
        "04:26:40.000 r1 gift/0    #2 count   Ann → Rose 0 → 3, until +4500 ms",
        "04:26:40.000 r1 gift/0    #3 hold    Ann → Rose x3, until +4500 ms",
        "04:26:40.000 r1 gift/0    #4 hide    Ann → Rose x3 (expired)",
        "04:26:40.000 r1 gift/0    #5 hold    (shown before) x3",
      ])
  }

  @Test(arguments: [
    (
      #""op":"show","group":1,"sender":{"name":"Ann"},"receiver":{"name":"Host"},"gift":{"name":"Car"}"#,
      "show    Ann for Host → Car"
    ),
    (
      #""op":"fold","groups":4,"gifts":9,"senders":2,"items":[{"sender":{"name":"A"},"gift":{"name":"G"},"count":5}]"#,
      "fold    +9 gifts from 2 viewers: A → G x5"
    ),
    (
      #""op":"append","items":[{"sender":{"name":"A"},"text":"hi"},{"sender":{"name":"B"},"text":"ho"}]"#,
      "append  A: hi | B: ho"
    ),
    (
      #""op":"append","items":[{"text":"1"},{"text":"2"},{"text":"3"},{"text":"4"},{"text":"5"}]"#,
      "append  ?: 3 | ?: 4 | ?: 5 (and 2 before)"
    ),
    (#""op":"burst","count":5,"total":90"#, "burst   +5 likes, 90 in all"),
    (#""op":"stop","total":90"#, "stop    90 likes in all"), (#""op":"resume""#, "resume"),
    (#""op":"count""#, "count   (shown before) 0 → 0"), (#""op":"append""#, "append  "),
  ])
  func everyOperationHasItsLine(members: String, line: String) {
    var transcript = Transcript()
    #expect(lines(&transcript, command(1, members)) == ["04:26:40.000 r1 gift/0    #1 \(line)"])
  }

  @Test(arguments: [
    (Int64(0), "00:00:00.000"), (86_399_999, "23:59:59.999"), (86_400_000, "00:00:00.000"),
    (-1, "23:59:59.999"),
    (3_661_007, "01:01:01.007"),
  ])
  func theTimeIsThatOfDay(at: Int64, time: String) {
    var transcript = Transcript()
    #expect(lines(&transcript, command(1, at: at)) == ["\(time) r1 gift/0    #1 pause"])
  }

  @Test func aGapIsMarkedAndCounted() {
    var transcript = Transcript()
    _ = lines(&transcript, command(5))
    #expect(transcript.missing == 0)
    #expect(
      lines(&transcript, command(9)) == [
        "r1 gift/0: 3 missing before #9", "04:26:40.000 r1 gift/0    #9 pause",
      ])
    #expect(lines(&transcript, command(10)).count == 1)
    #expect(transcript.missing == 3)
  }

  @Test func aRepeatIsNotPrinted() {
    var transcript = Transcript()
    for sequence in [1, 2, 3] as [Int64] { _ = lines(&transcript, command(sequence)) }
    #expect(lines(&transcript, command(3)) == [])
    #expect(lines(&transcript, command(1)) == [])
    #expect(lines(&transcript, command(4)).count == 1)
    #expect(transcript.missing == 0)
  }

  @Test func eachTopicCountsForItself() {
    var transcript = Transcript()
    _ = lines(&transcript, command(1))
    #expect(lines(&transcript, command(1, track: "gift/1"), topic: "cue/r1/gift/1").count == 1)
    #expect(lines(&transcript, command(2)).count == 1)
  }

  @Test func aNewEpochBeginsAnew() {
    var transcript = Transcript()
    _ = lines(&transcript, command(8, show))
    #expect(lines(&transcript, command(1, epoch: 900)).count == 1)
    // A group of the life before is not known in this one.
    #expect(
      lines(&transcript, command(2, #""op":"hold","group":7,"count":1"#, epoch: 900)) == [
        "04:26:40.000 r1 gift/0    #2 hold    (shown before) x1"
      ])
    #expect(transcript.missing == 0)
  }

  @Test(arguments: [
    ("livecue/main/status", #"{"state":"online","version":"1","since":5}"#, "livecue/main/status: online"),
    (
      "cue/r1/rejected",
      #"{"count":4,"items":[{"index":1,"reason":"missing-gift"},{"index":null,"reason":"not-json"}]}"#,
      "cue/r1/rejected: 4 refused: [1] missing-gift, not-json"
    ),
    ("cue/r1/snapshot", "", "cue/r1/snapshot: cleared"), ("cue/r1/x", "{", "cue/r1/x: not JSON"),
    ("cue/r1/x", "[1]", "cue/r1/x"), ("cue/r1/x", #"{"op":"show"}"#, "cue/r1/x"),
  ])
  func whatIsNoCommandIsToldInALine(topic: String, payload: String, line: String) {
    var transcript = Transcript()
    #expect(lines(&transcript, payload, topic: topic) == [line])
  }
}
