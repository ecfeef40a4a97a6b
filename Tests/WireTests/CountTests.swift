import Base
import Testing
import Wire

/// Rules for counts, totals and prices.
@Suite struct CountTests {
  static let notIntegers = [
    "1.0", "1e2", #""1""#, "true", "false", "[]", "{}", "1e999", "99999999999999999999999",
  ]

  @Test(
    arguments: [
      ("", 1, nil), (#","count":null"#, 1, nil), (#","count":1"#, 1, nil),
      (#","count":1000000"#, 1_000_000, nil),
      (#","total":1"#, nil, 1), (#","total":1000000"#, nil, 1_000_000), (#","total":3,"count":2"#, nil, 3),
      (#","total":3,"count":"bad""#, nil, 3), (#","total":null,"count":2"#, 2, nil),
      (#","count":5,"count":6"#, 6, nil), (#","count":5,"count":null"#, 1, nil),
    ] as [(String, Int?, Int?)])
  func goodGiftCounts(_ members: String, _ count: Int?, _ total: Int?) {
    var decoding = Decoding(kind: .gift)
    let events = decoding.events(#"{"sender":"u","gift":"g"\#(members)}"#)
    #expect(events.map(\.count) == [count])
    #expect(events.map(\.total) == [total])
  }

  @Test(arguments: ["0", "-1", "1000001", "9223372036854775808", "-9223372036854775808"] + notIntegers)
  func badGiftCounts(_ json: String) {
    var decoding = Decoding(kind: .gift)
    for member in ["count", "total"] {
      let payload = #"{"sender":"u","gift":{"id":"g","price":-1},"\#(member)":\#(json)}"#
      #expect(decoding.refusals(payload) == ["0 bad-count"])
    }
  }

  @Test(
    arguments: [
      ("", 1, nil), (#","count":1"#, 1, nil), (#","count":1000000"#, 1_000_000, nil),
      (#","total":1"#, nil, 1),
      (#","total":9007199254740992"#, nil, 1 << 53), (#","count":3,"total":499236"#, 3, 499_236),
      (#","count":null,"total":null"#, 1, nil),
    ] as [(String, Int?, Int?)])
  func goodLikeCounts(_ members: String, _ count: Int?, _ total: Int?) {
    var decoding = Decoding(kind: .like)
    let events = decoding.events(#"{"sender":"u"\#(members)}"#)
    #expect(events.map(\.count) == [count])
    #expect(events.map(\.total) == [total])
  }

  @Test(
    arguments: [
      #""count":0"#, #""count":1000001"#, #""count":-1,"total":5"#, #""total":-1"#, #""total":0"#,
      #""total":9007199254740993"#,
    ]
      + notIntegers.map { #""total":\#($0)"# } + notIntegers.map { #""count":\#($0)"# })
  func badLikeCounts(_ members: String) {
    var decoding = Decoding(kind: .like)
    #expect(decoding.refusals(#"{"sender":"u",\#(members)}"#) == ["0 bad-count"])
  }

  @Test func commentsHaveNoCount() {
    var decoding = Decoding(kind: .comment)
    let events = decoding.events(#"{"sender":"u","text":"t","count":"bad","total":-1,"gift":{"price":-1}}"#)
    #expect(events == [ReadEvent(kind: .comment, sender: ReadParty("u"), text: "t")])
  }

  @Test(
    arguments: [("0", 0), ("1", 1), ("1000000000000", 1_000_000_000_000), ("null", nil)] as [(String, Int64?)]
  )
  func goodPrices(_ json: String, _ price: Int64?) {
    var decoding = Decoding(kind: .gift)
    let events = decoding.events(#"{"sender":"u","gift":{"id":"g","price":\#(json)}}"#)
    #expect(events.map(\.gift?.price) == [price])
  }

  @Test(arguments: ["-1", "1000000000001", "18446744073709551615"] + notIntegers)
  func badPrices(_ json: String) {
    var decoding = Decoding(kind: .gift)
    #expect(decoding.refusals(#"{"sender":"u","gift":{"id":"g","price":\#(json)}}"#) == ["0 bad-price"])
  }

  @Test(
    arguments: [
      ("5", 5), ("-5", -5), ("9223372036854775807", .max), ("9223372036854775808", nil), ("1.0", nil),
      (#""5""#, nil), ("null", nil), ("true", nil), ("99999999999999999999999", nil),
    ] as [(String, Int64?)])
  func timesAreIntegers(_ json: String, _ time: Int64?) {
    var decoding = Decoding(kind: .like)
    #expect(decoding.events(#"{"sender":"u","time":\#(json)}"#).map(\.time) == [time])
  }
}
