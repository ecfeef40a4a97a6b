import Testing
import Watch

/// Whoever may publish may write anything; a terminal must show it and never obey it.
@Suite struct HostileTextTests {
  /// What a terminal obeys: C0, DEL, C1, and what turns the direction of a text.
  private func obeys(_ line: String) -> Bool {
    line.unicodeScalars.contains { scalar in
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
        || (0x2066...0x2069).contains(scalar.value)
    }
  }

  private static let texts = [
    #"\u001b[2J\u001b[31mred"#, #"\u001b]0;title\u0007"#, #"a\nb\r\tc"#, #"\u009b31m"#, #"\u0000"#,
    #"\u007f"#,
    #"\u202egnp.exe"#, #"\u2066x\u2069"#, #"\u0085"#, #"\u001bP\u001b\\"#,
  ]

  @Test(arguments: texts)
  func noMemberOfACommandReachesTheTerminalAsItIs(text: String) {
    let party = #"{"id":"\#(text)","name":"\#(text)"}"#
    let item =
      #"{"id":"\#(text)","sender":\#(party),"gift":\#(party),"receiver":\#(party),"text":"\#(text)"}"#
    let members = [
      #""op":"show","group":1,"sender":\#(party),"gift":\#(party),"receiver":\#(party)"#,
      #""op":"count","group":1,"from":1,"to":2"#, #""op":"hide","group":1,"reason":"\#(text)""#,
      #""op":"fold","items":[\#(item)]"#, #""op":"append","items":[\#(item)]"#, #""op":"\#(text)""#,
    ]
    for (place, members) in members.enumerated() {
      for room in ["r1", text] {
        for track in ["gift/0", text] {
          var transcript = Transcript()
          let head = #"{"room":"\#(room)","track":"\#(track)","epoch":1,"at":1"#
          for sequence in [1, 5] {
            let seen = lines(&transcript, #"\#(head),"seq":\#(sequence),\#(members)}"#)
            #expect(!seen.isEmpty && !seen.contains(where: obeys), "member list \(place)")
          }
        }
      }
    }
  }

  @Test(arguments: texts)
  func noReportReachesTheTerminalAsItIs(text: String) {
    var transcript = Transcript()
    for payload in [
      #"{"state":"\#(text)"}"#, #"{"items":[{"reason":"\#(text)"}]}"#, #"{"op":"\#(text)"}"#,
    ] {
      #expect(!lines(&transcript, payload).contains(where: obeys))
    }
  }

  @Test(arguments: ["cue/\u{1B}[31m/gift/0", "cue/a\u{85}b", "cue/\u{202E}r"])
  func noTopicReachesTheTerminalAsItIs(topic: String) {
    var transcript = Transcript()
    for payload in ["", "{", "[]", #"{"state":"x"}"#, #"{"count":1,"items":[{}]}"#, command(1)] {
      #expect(!lines(&transcript, payload, topic: topic).contains(where: obeys))
    }
  }

  @Test func noNumberEndsTheProgram() {
    let numbers = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for first in numbers {
      for second in numbers {
        var transcript = Transcript()
        let members = #""op":"count","group":\#(first),"from":\#(second),"to":\#(first),"until":\#(second)"#
        for sequence in [first, second, first] {
          _ = lines(&transcript, command(sequence, members, epoch: 1, at: first))
        }
        _ = lines(&transcript, command(second, members, epoch: second, at: second))
      }
    }
    var transcript = Transcript()
    _ = lines(&transcript, command(1))
    #expect(lines(&transcript, command(.max)).count == 2)
    #expect(lines(&transcript, command(.max)) == [])
  }

  @Test(arguments: [
    #"{"op":5,"room":"r","track":"t","seq":1}"#, #"{"op":"show","room":[],"track":"t","seq":1}"#,
    #"{"op":"show","room":"r","track":"t","seq":1.5}"#, #"{"op":"show","room":"r","track":"t","seq":1e99}"#,
    #"{"op":"show","room":"r","track":"t","seq":18446744073709551615}"#,
    #"{"op":"show","room":"r","track":"t","seq":1,"sender":5,"gift":[],"until":"x","at":{}}"#,
    #"{"op":"append","room":"r","track":"t","seq":1,"items":[5,null,[],{"sender":5,"text":7}]}"#,
    #"{"op":"fold","room":"r","track":"t","seq":1,"items":{"a":1}}"#, #"{"items":[5,null]}"#,
    #"{"items":[]}"#,
    "null", "5", "\"x\"", #"{"state":5}"#,
  ])
  func wrongTypesGiveOneLine(payload: String) {
    var transcript = Transcript()
    #expect(lines(&transcript, payload).count == 1)
  }

  @Test func aPayloadNestedTooDeepIsNotJSON() {
    var transcript = Transcript()
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    #expect(lines(&transcript, deep) == ["cue/r1/gift/0: not JSON"])
  }
}
