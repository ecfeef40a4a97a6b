import Base
import Testing
import Wire

@Suite struct ReportEncoderTests {
  private let layout: TopicLayout
  private let encoder: ReportEncoder

  init() throws {
    layout = try TopicLayout(inputs: [], output: OutputPlan())
    encoder = ReportEncoder(layout: layout)
  }

  private func report(_ rejections: [Rejection], topic: String, room: Range<Int>?, payload: [UInt8])
    -> [String]
  {
    var outgoing = OutgoingMessages()
    let topic = Array(topic.utf8)
    if let room {
      encoder.encode(
        rejections, topic: topic.span, room: topic.span.extracting(room), at: 5, payload: payload.span,
        into: &outgoing)
    } else {
      encoder.encode(rejections, topic: topic.span, room: nil, at: 5, payload: payload.span, into: &outgoing)
    }
    #expect(outgoing.messages.map(\.isRetained) == [false])
    return outgoing.texts.first ?? []
  }

  @Test func refusedElements() {
    let rejections = [
      Rejection(index: 3, reason: .badCount, detail: "found \"x\""),
      Rejection(index: 4, reason: .missingGift, detail: "none"),
    ]
    #expect(
      report(rejections, topic: "im/a\"b/gift", room: 3..<6, payload: Array("[\"你\"]".utf8)) == [
        "cue/a\"b/rejected",
        #"{"v":1,"room":"a\"b","topic":"im/a\"b/gift","at":5,"count":2,"items":["#
          + #"{"index":3,"reason":"bad-count","detail":"found \"x\""},"#
          + #"{"index":4,"reason":"missing-gift","detail":"none"}],"payload":"[\"你\"]"}"#,
      ])
  }

  @Test func refusedPayloadWithoutAGoodRoom() {
    let rejections = [Rejection(index: nil, reason: .badRoom, detail: "no")]
    #expect(
      report(rejections, topic: "im//gift", room: nil, payload: [0x61, 0xFF, 0x00]) == [
        "livecue/main/rejected",
        #"{"v":1,"topic":"im//gift","at":5,"count":1,"items":[{"index":null,"reason":"bad-room","detail":"no"}],"#
          + "\"payload\":\"a\u{FFFD}\\u0000\"}",
      ])
  }

  @Test(arguments: [(19, 19), (20, 20), (21, 20), (10_000, 20)])
  func itemsAreBounded(_ count: Int, _ listed: Int) {
    let rejections = (0..<count).map { Rejection(index: $0, reason: .badPrice, detail: "d") }
    let json = report(rejections, topic: "im/r/gift", room: 3..<4, payload: [])[1]
    #expect(json.contains(#""count":\#(count),"#))
    #expect(json.split(separator: "\"index\"").count == listed + 1)
  }

  @Test(arguments: [
    // Payload, bytes of the excerpt.
    (String(repeating: "a", count: 1023), 1023), (String(repeating: "a", count: 1024), 1024),
    (String(repeating: "a", count: 1025), 1024), (String(repeating: "a", count: 1023) + "é", 1023),
    (String(repeating: "你", count: 400), 1023),
  ])
  func excerptIsCutAtACharacter(_ payload: String, _ count: Int) {
    let json = report([], topic: "im/r/gift", room: 3..<4, payload: Array(payload.utf8))[1]
    let excerpt = json.split(separator: #""payload":""#)[1].dropLast(2)
    #expect(excerpt.utf8.count == count)
    #expect(payload.hasPrefix(excerpt))
  }

  @Test func excerptOfBadBytesIsBoundedToo() {
    let json = report([], topic: "im/r/gift", room: 3..<4, payload: Array(repeating: 0xFF, count: 5000))[1]
    #expect(
      json.split(separator: #""payload":""#)[1].dropLast(2) == String(repeating: "\u{FFFD}", count: 341)[...])
  }

  @Test func status() {
    var outgoing = OutgoingMessages()
    encoder.encode(.online, version: "1.0", since: 17, into: &outgoing)
    encoder.encode(.offline, version: "1.0", since: 18, into: &outgoing)
    #expect(
      outgoing.texts == [
        ["livecue/main/status", #"{"state":"online","version":"1.0","since":17}"#],
        ["livecue/main/status", #"{"state":"offline","version":"1.0","since":18}"#],
      ])
    #expect(outgoing.messages.map(\.isRetained) == [true, true])
  }
}
