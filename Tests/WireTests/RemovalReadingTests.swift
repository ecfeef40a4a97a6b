import Base
import Testing

@testable import Wire

/// Removals and styles as they are read.
@Suite struct RemovalReadingTests {
  private func removal(_ ids: [String], sender: String? = nil, id: String? = nil) -> ReadEvent {
    ReadEvent(
      kind: .remove, id: id, sender: ReadParty(sender ?? "(absent)"), removes: ids)
  }

  @Test func aRemovalNamesIDsOrASender() {
    var decoding = Decoding()
    func event(_ members: String) -> [ReadEvent] {
      decoding.events(#"{"type":"remove",\#(members)}"#)
    }
    #expect(event(#""ids":["a",7,"é"]"#) == [removal(["a", "7", "é"])])
    #expect(event(#""ids":"a""#) == [removal(["a"])])
    #expect(event(#""ids":18446744073709551615"#) == [removal(["18446744073709551615"])])
    #expect(event(#""sender":"u1""#) == [removal([], sender: "u1")])
    #expect(event(#""sender":{"id":7,"name":"Ann"},"id":"r-1""#) == [removal([], sender: "7", id: "r-1")])
    // With ids the sender is not read.
    #expect(event(#""ids":["a"],"sender":"u1""#) == [removal(["a"])])
    #expect(event(#""ids":["a"],"sender":{}"#) == [removal(["a"])])
    #expect(event(#""ids":null,"sender":"u1""#) == [removal([], sender: "u1")])
  }

  @Test func whatNamesNothingIsRefusedAloneAndItsIDsAreNobodysElse() {
    var decoding = Decoding()
    let long = String(repeating: "i", count: 257)
    let events = decoding.events(
      #"""
      [{"type":"remove"},{"type":"remove","ids":[]},{"type":"remove","ids":["a",null]},
       {"type":"remove","ids":[["a"]]},{"type":"remove","ids":true},{"type":"remove","sender":{"name":"Ann"}},
       {"type":"remove","ids":["b","\#(long)"]},{"type":"remove","ids":["c"]},{"type":"remove","ids":["d","e"]}]
      """#)
    #expect(events.map(\.removes) == [["c"], ["d", "e"]])
    #expect(
      decoding.refusals == (0...5).map { "\($0) missing-sender" } + ["6 id-too-long"])
  }

  @Test func aCommentHasAStyleWhereOneIsGiven() {
    var decoding = Decoding(kind: .comment)
    func style(_ json: String) -> [String?] {
      decoding.events(#"{"sender":"Ann","text":"t","style":\#(json)}"#).map(\.style)
    }
    #expect(style(#""follow""#) == ["follow"])
    #expect(style(#""a\u0000b\n""#) == ["ab"])
    #expect(style(#""""#) == [nil])
    #expect(style("7") == [nil])
    #expect(style("null") == [nil])
  }

  @Test func aCaseMakesRemovalsOfAListAndNeverTakesASharedSender() {
    let ids = ValueRule.joined([.constant("sc"), .member(["each"])])
    let listed = ProfileCase(
      conditions: [MemberCondition(path: ["ids"], test: .present)], outcome: .event(.remove),
      eachPath: ["ids"], fields: [FieldRule(field: .ids, value: ids)])
    let one = ProfileCase(
      conditions: [], outcome: .event(.remove), fields: [FieldRule(field: .ids, value: .member(["gone"]))])
    let profile = Profile(
      name: "removals", elementsPath: [], kindPath: [], kindNames: [],
      mappings: [FieldMapping(kind: nil, field: .senderID, path: ["moderator"])], cases: [listed, one])
    var decoding = Decoding(profile: profile)
    let events = decoding.events(
      #"[{"ids":[1,"2"],"moderator":"m"},{"gone":["x","y"],"moderator":"m"},{"gone":"z"},{"moderator":"m"}]"#)
    #expect(events.map(\.removes) == [["sc:1"], ["sc:2"], ["x", "y"], ["z"]])
    #expect(events.map(\.sender.id) == Array(repeating: "(absent)", count: 4))
    #expect(decoding.refusals == ["3 missing-sender"])
  }
}
