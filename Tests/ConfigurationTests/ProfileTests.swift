import Base
import Testing

@testable import Configuration

@Suite struct ProfileTests {
  static let douyin = """
    profile: douyin-capture
    elements: data.list
    kind: {path: type, values: {gift: gift, "1": comment, chat: comment}}
    fields:
      sender.id: [user_id, user.id]
      sender.name: user_name
    gift:
      gift.id: gift_id
      total: gift_count
      sender.id: giver
    comment: {text: content}
    like: {count: count, total: total}
    """

  /// Our own format as a file.
  static let native = """
    profile: native
    elements: events
    kind: {path: type, values: {gift: gift, comment: comment, like: like, remove: remove}}
    fields:
      id: id
      time: time
      sender: sender
      sender.id: sender.id
      sender.name: sender.name
      sender.level: sender.level
      sender.avatar: [sender.avatar, avatar]
      sender.anonymous: sender.anonymous
      gift: gift
      gift.id: gift.id
      gift.name: gift.name
      gift.icon: [gift.icon, icon]
      gift.price: gift.price
      receiver: receiver
      receiver.id: receiver.id
      receiver.name: receiver.name
      receiver.level: receiver.level
      receiver.avatar: receiver.avatar
      count: count
      total: total
      combo: combo
      streak: streak
      end: end
      text: text
      style: style
      ids: ids
    gift:
      gift: [gift, giftName]
    """

  private func read(_ text: String) throws(ConfigurationErrors) -> Profile {
    try Profile.read(bytes: Array(text.utf8), file: "p.yaml")
  }

  private func refusals(_ text: String) -> [String] {
    do throws(ConfigurationErrors) {
      _ = try read(text)
      return []
    } catch {
      return error.errors.map(\.description)
    }
  }

  @Test func whatIsForOneKindComesFirstAndAlternativesInTheirOrder() throws {
    let profile = try read(Self.douyin)
    #expect(
      profile
        == Profile(
          name: "douyin-capture", elementsPath: ["data", "list"], kindPath: ["type"],
          kindNames: [
            KindName(word: "gift", kind: .gift), KindName(word: "1", kind: .comment),
            KindName(word: "chat", kind: .comment),
          ],
          mappings: [
            FieldMapping(kind: .gift, field: .giftID, path: ["gift_id"]),
            FieldMapping(kind: .gift, field: .total, path: ["gift_count"]),
            FieldMapping(kind: .gift, field: .senderID, path: ["giver"]),
            FieldMapping(kind: .comment, field: .text, path: ["content"]),
            FieldMapping(kind: .like, field: .count, path: ["count"]),
            FieldMapping(kind: .like, field: .total, path: ["total"]),
            FieldMapping(kind: nil, field: .senderID, path: ["user_id"]),
            FieldMapping(kind: nil, field: .senderID, path: ["user", "id"]),
            FieldMapping(kind: nil, field: .senderName, path: ["user_name"]),
          ]))
  }

  @Test func theNativeFileIsTheNativeProfile() throws {
    let profile = try read(Self.native)
    #expect(profile.name == Profile.native.name)
    #expect(profile.elementsPath == Profile.native.elementsPath)
    #expect(profile.kindPath == Profile.native.kindPath)
    #expect(profile.kindNames == Profile.native.kindNames)
    for kind in EventKind.allCases {
      for field in EventField.allCases where field.belongs(to: kind) {
        #expect(paths(profile, kind, field) == paths(.native, kind, field), "\(kind) \(field)")
      }
    }
  }

  @Test(arguments: [
    ("[]", []), ("a", ["a"]), ("a.b", ["a", "b"]), ("[a, b.c]", ["a", "b.c"]), ("'1'", ["1"]),
  ])
  func elementsAreAPath(_ text: String, _ path: [String]) throws {
    let profile = try read("profile: x\nelements: \(text)\nfields: {sender: s}")
    #expect(profile.elementsPath == path)
    #expect(try read(profile.flowText) == profile)
  }

  @Test func aNameMayHoldDots() throws {
    let profile = try read("profile: x\nfields: {sender: [[a.b, c], d.e]}")
    #expect(profile.mappings.map(\.path) == [["a.b", "c"], ["d", "e"]])
    #expect(try read(profile.flowText) == profile)
    let other = try read(Self.douyin)
    #expect(try read(other.flowText) == other)
  }

  @Test(arguments: [
    (
      "fields: {sender: s}",
      ["p.yaml:1:1: profile: missing, expected 1 to 64 of the characters A-Z a-z 0-9 _ -"]
    ),
    (
      "profile: x\nfields: {sender: s, sender.nam: n, zebra: z}",
      [
        "p.yaml:2:21: fields.sender.nam: unknown field, did you mean 'sender.name'?",
        "p.yaml:2:36: fields.zebra: unknown field, expected one of "
          + EventField.allCases.map(\.rawValue).joined(separator: ", "),
      ]
    ),
    (
      "profile: x\nfield: {sender: s}",
      ["p.yaml:2:1: field: unknown setting, did you mean 'fields'?"]
    ),
    (
      "profile: x\nfields: {sender: s}\ncomment: {total: t}\nlike: {text: t}",
      [
        "p.yaml:3:11: comment.total: no field of a comment, expected one of id, time, sender, sender.id, "
          + "sender.name, sender.level, sender.avatar, sender.anonymous, text, style",
        "p.yaml:4:8: like.text: no field of a like, expected one of id, time, sender, sender.id, "
          + "sender.name, sender.level, sender.avatar, sender.anonymous, count, total",
      ]
    ),
    (
      "profile: x\nkind: {path: type, values: {g: gifts}}\nfields: {sender: s}",
      ["p.yaml:2:32: kind.values.g: found 'gifts', expected one of gift, comment, like, remove"]
    ),
    (
      "profile: x\nkind: {path: type}\nfields: {sender: s}",
      ["p.yaml:1:1: half of 'kind', expected both path and values"]
    ),
    (
      "profile: x\nkind: {values: {}}\nfields: {sender: s}",
      [
        """
        p.yaml:2:16: kind.values: found a mapping, expected a mapping of the source's words to gift, comment, \
        like or remove
        """
      ]
    ),
    (
      "profile: x\nfields: {text: t}",
      ["p.yaml:1:1: no 'sender' and no 'sender.id', expected one: every event needs it"]
    ),
    (
      "profile: x\nfields: {sender: a..b}",
      ["p.yaml:2:18: fields.sender: 'a..b' does not fit, expected 1 to 16 names of 1 to 256 bytes, as a.b"]
    ),
    (
      "profile: x\nfields: {sender: {a: b}}",
      [
        """
        p.yaml:2:18: fields.sender: found a mapping, expected a path of member names as a.b, or a list of \
        names
        """
      ]
    ),
    (
      "profile: x\nfields: {sender: []}",
      ["p.yaml:2:18: fields.sender: a list of 0, expected 1 to 16 paths"]
    ),
    (
      "profile: x\nfields: {sender: [a, ~]}",
      [
        """
        p.yaml:2:22: fields.sender[1]: found nothing, expected a path of member names as a.b, or a list of \
        names
        """
      ]
    ),
    (
      "[]",
      [
        """
        p.yaml:1:1: found a list, expected a mapping of profile, elements, kind, fields, gift, comment, \
        like, inside, cases
        """,
        "p.yaml:1:1: profile: missing, expected 1 to 64 of the characters A-Z a-z 0-9 _ -",
      ]
    ),
  ])
  func mistakesAreToldWithTheirPlaces(_ text: String, _ lines: [String]) {
    #expect(refusals(text) == lines)
  }

  @Test func pathsAreBounded() throws {
    for (count, isGood) in [(1, true), (15, true), (16, true), (17, false)] {
      let path = Array(repeating: "a", count: count).joined(separator: ".")
      #expect(refusals("profile: x\nfields: {sender: \(path)}").isEmpty == isGood)
      let list = Array(repeating: "a", count: count).joined(separator: ", ")
      #expect(refusals("profile: x\nfields: {sender: [\(list)]}").isEmpty == isGood)
    }
    for (count, isGood) in [(255, true), (256, true), (257, false)] {
      let name = String(repeating: "a", count: count)
      #expect(refusals("profile: x\nfields: {sender: \(name)}").isEmpty == isGood)
    }
  }

  @Test func aConfigurationReadsItsProfilesBesideItself() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("p.yaml", Self.douyin)
    let file = try directory.write(
      "livecue.yaml",
      "profiles: [p.yaml]\ninputs: [{filter: 'x/+', kind: batch, profile: douyin-capture}]")
    let read = try Configuration.read(file: file)
    #expect(read.inputs.map(\.profile) == [try self.read(Self.douyin)])
    #expect(try Profile.read(file: directory.path + "/p.yaml") == self.read(Self.douyin))
  }

  @Test func mistakesOfAllFilesAreToldAtOnce() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("p.yaml", "profile: x\nfields: {sendr: s}")
    let file = try directory.write(
      "livecue.yaml",
      """
      profiles: [p.yaml, none.yaml]\ngift: {holdMs: -1}\ninputs: [{filter: 'x/+', kind: gift, profile: \
      nativ}]
      """
    )
    let error = #expect(throws: ConfigurationErrors.self) { try Configuration.read(file: file) }
    let path = directory.path
    #expect(
      error?.errors.map(\.description) == [
        "\(path)/p.yaml:2:10: fields.sendr: unknown field, did you mean 'sender'?",
        "\(file):1:20: profiles[1]: '\(path)/none.yaml': it cannot be read (No such file or directory), "
          + "expected a readable file",
        """
        \(file):2:16: gift.holdMs: '-1' is out of range, expected an integer from 0 to 600000 (milliseconds)
        """,
        "\(file):3:47: inputs[0].profile: unknown profile 'nativ', did you mean 'native'?",
      ])
  }

  @Test func profileNamesAreDifferent() {
    let profile = "{profile: x, fields: {sender: s}}"
    #expect(
      mistakes("profiles: [\(profile), \(profile)]") == [
        "f.yaml:1:11: profiles: the profile 'x' is given twice, expected different names"
      ])
    #expect(
      mistakes("profiles: [{profile: native, fields: {sender: s}}]") == [
        "f.yaml:1:11: profiles: the profile 'native' is built in, expected different names"
      ])
  }

  @Test func aBatchNeedsAProfileThatTellsKindsApart() {
    #expect(
      mistakes(
        "profiles: [{profile: x, fields: {sender: s}}]\ninputs: [{filter: 'x/+', kind: batch, profile: x}]")
        == [
          "f.yaml:2:32: inputs[0].kind: 'batch' with the profile 'x', which has no 'kind', "
            + "expected gift, comment or like"
        ])
  }

  /// Where a field is looked for, in order; a path that comes again changes nothing.
  private func paths(_ profile: Profile, _ kind: EventKind, _ field: EventField) -> [[String]] {
    var paths: [[String]] = []
    for mapping in profile.mappings where mapping.field == field {
      guard mapping.kind == nil || mapping.kind == kind else { continue }
      if !paths.contains(mapping.path) { paths.append(mapping.path) }
    }
    return paths
  }
}
