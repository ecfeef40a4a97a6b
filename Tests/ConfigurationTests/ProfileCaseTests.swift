import Base
import Testing

@testable import Configuration

@Suite struct ProfileCaseTests {
  private func refusals(_ text: String) -> [String] {
    do throws(ConfigurationErrors) {
      _ = try Profile.read(bytes: Array(text.utf8), file: "p.yaml")
      return []
    } catch {
      return error.errors.map(\.description)
    }
  }

  private static let everything = """
    profile: every-rule
    inside: [Data, Data.x]
    fields: {sender: s}
    cases:
      - when: {a: 1, b: [x, y], c: {present: true}, d.0: {present: false}, e: {not: 0}, f: {word: W}, g: {same: a.b}, h: {differs: a}, i: {present: true, not: [0, x]}}
        kind: gift
        also: true
        each: list
        fields:
          id: {join: [{text: g}, a.b, {first: [[c.d, e], f]}]}
          time: [{seconds: a}, {instant: [b, c]}, {date: d}]
          gift: each.gift
          gift.price: {divide: [p, 1000]}
          count: {product: [x, {largest: [y, z]}]}
          combo: {when: {t: 1}}
          streak: ~
          raises: {text: true}
          receiver: {except: [r, 0, none]}
          gift.name: {map: [{first: [a, b]}, {"1": one, x: y}]}
      - drop: the rest
    """

  @Test func everyRuleIsReadAndWrittenBack() throws {
    let profile = try Profile.read(bytes: Array(Self.everything.utf8), file: "p.yaml")
    let fields: [FieldRule] = [
      FieldRule(
        field: .id,
        value: .joined([
          .constant("g"), .member(["a", "b"]), .first([.member(["c.d", "e"]), .member(["f"])]),
        ])),
      FieldRule(
        field: .time,
        value: .first([
          .seconds(.member(["a"])), .instant(.first([.member(["b"]), .member(["c"])])), .date(.member(["d"])),
        ])),
      FieldRule(field: .gift, value: .member(["each", "gift"])),
      FieldRule(field: .giftPrice, value: .quotient(.member(["p"]), by: 1000)),
      FieldRule(
        field: .count, value: .product([.member(["x"]), .largest([.member(["y"]), .member(["z"])])])),
      FieldRule(field: .combo, value: .truth([MemberCondition(path: ["t"], test: .isOne(of: ["1"]))])),
      FieldRule(field: .streak, value: .first([])),
      FieldRule(field: .raises, value: .constant("true")),
      FieldRule(field: .receiver, value: .except(.member(["r"]), ["0", "none"])),
      FieldRule(
        field: .giftName,
        value: .mapped(
          .first([.member(["a"]), .member(["b"])]),
          [WordMeaning(word: "1", meaning: "one"), WordMeaning(word: "x", meaning: "y")])),
    ]
    #expect(profile.insidePaths == [["Data"], ["Data", "x"]])
    #expect(
      profile.cases == [
        ProfileCase(
          conditions: [
            MemberCondition(path: ["a"], test: .isOne(of: ["1"])),
            MemberCondition(path: ["b"], test: .isOne(of: ["x", "y"])),
            MemberCondition(path: ["c"], test: .present),
            MemberCondition(path: ["d", "0"], test: .absent),
            MemberCondition(path: ["e"], test: .isNone(of: ["0"])),
            MemberCondition(path: ["f"], test: .hasWord("W")),
            MemberCondition(path: ["g"], test: .isSame(as: ["a", "b"])),
            MemberCondition(path: ["h"], test: .differs(from: ["a"])),
            MemberCondition(path: ["i"], test: .present),
            MemberCondition(path: ["i"], test: .isNone(of: ["0", "x"])),
          ], outcome: .event(.gift), goesOn: true, eachPath: ["list"], fields: fields),
        ProfileCase(conditions: [], outcome: .drop("the rest")),
      ])
    #expect(try Profile.read(bytes: Array(profile.flowText.utf8), file: "p.yaml") == profile)
  }

  @Test(arguments: [
    "bilibili-open", "bilibili-web", "douyin-barragegrab", "douyin-dycast", "tiktok", "twitch-eventsub",
    "tuikit", "youtube",
  ])
  func theProfilesOfPlatformsAreWrittenBack(name: String) throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let profile = try Profile.read(file: "\(root)/config/profiles/\(name).yaml")
    #expect(profile.name == name)
    #expect(!profile.cases.isEmpty)
    #expect(try Profile.read(bytes: Array(profile.flowText.utf8), file: "again") == profile)
  }

  @Test(arguments: [
    ("{when: {a: 1}}", "p.yaml:4:5: cases[0]: neither 'kind' nor 'drop', expected one"),
    ("{kind: gift, drop: x}", "p.yaml:4:5: cases[0]: both 'kind' and 'drop', expected one"),
    (
      "{drop: x, also: true}",
      "p.yaml:4:5: cases[0]: 'drop' with 'fields', 'each' or 'also', expected it with 'when' only"
    ),
    (
      "{kind: gifts}",
      "p.yaml:4:12: cases[0].kind: found 'gifts', expected one of gift, comment, like, remove"
    ),
    ("{kind: like, fields: {text: t}}", "p.yaml:4:5: cases[0].fields.text: no field of a like"),
    (
      "{kind: like, fields: {sender.nam: t}}",
      "p.yaml:4:27: cases[0].fields.sender.nam: unknown field, did you mean 'sender.name'?"
    ),
    (
      "{kind: like, when: {a: {is: 1}}}",
      "p.yaml:4:29: cases[0].when.a: unknown condition, expected one of present, not, word, same, differs"
    ),
    (
      "{kind: like, when: {a..b: 1}}",
      "p.yaml:4:25: cases[0].when.'a..b': no path, expected 1 to 16 names of 1 to 256 bytes, as a.b"
    ),
    (
      "{kind: like, fields: {id: {divide: [a, 0]}}}",
      """
      p.yaml:4:44: cases[0].fields.id.divide[1]: '0' is out of range, expected an integer from 1 to \
      1000000000
      """
    ),
    (
      "{kind: like, fields: {id: {joined: [a]}}}",
      """
      p.yaml:4:32: cases[0].fields.id: no rule, expected a path of member names, a list of paths and rules of \
      which the first that is present counts, or a rule {WORD: …} with one of first, text, join, seconds, \
      instant, date, product, largest, divide, except, map, when
      """
    ),
    (
      "{kind: like, fields: {id: {except: [a]}}}",
      "p.yaml:4:40: cases[0].fields.id.except: found a list, expected [what, text, …]"
    ),
    (
      "{kind: like, fields: {id: {map: [a, b]}}}",
      "p.yaml:4:37: cases[0].fields.id.map: found a list, expected [what, {text: what it stands for, …}]"
    ),
    (
      "{kind: like, fields: {id: {join: a}}}",
      "p.yaml:4:38: cases[0].fields.id.join: found 'a', expected a list of paths and rules"
    ),
  ])
  func mistakesAreToldWithTheirPlaces(entry: String, message: String) {
    #expect(refusals("profile: x\nfields: {sender: s}\ncases:\n  - \(entry)") == [message])
  }

  @Test func aRemovalNamesCommentsOrASender() {
    #expect(
      refusals("profile: x\nfields: {sender: s}\ncases: [{kind: remove}]") == [
        """
        p.yaml:1:1: cases[0]: neither 'ids' nor a sender in its own fields, expected one: which comments it removes
        """
      ])
    #expect(
      refusals("profile: x\ncases: [{kind: remove, fields: {ids: a, sender.id: b}}]")
        == ["p.yaml:1:1: cases[0]: both 'ids' and a sender, expected one: which comments it removes"])
    #expect(
      refusals("profile: x\ncases: [{kind: remove, fields: {ids: a, text: b}}]")
        == ["p.yaml:2:9: cases[0].fields.text: no field of a remove"])
    #expect(refusals("profile: x\ncases: [{kind: remove, fields: {sender: a, id: b, time: c}}]") == [])
  }

  @Test func aProfileIsCheckedAsAWhole() {
    #expect(
      refusals("profile: x\nfields: {sender: s}\ninside: Data")
        == ["p.yaml:1:1: 'inside' without 'cases', expected both: only cases look inside"])
    #expect(
      refusals("profile: x\nfields: {sender: s}\nkind: {path: t, values: {g: gift}}\ncases: [{drop: x}]")
        == ["p.yaml:1:1: both 'kind' and 'cases', expected one: each case says its kind"])
    #expect(
      refusals("profile: x\ncases: [{kind: like}]")
        == ["p.yaml:1:1: cases[0]: no 'sender' and no 'sender.id', expected one: every event needs it"])
  }
}
