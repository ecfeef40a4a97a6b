import Base

/// A profile while it is read.
struct ProfileDraft: Draft {
  var name = ""
  var elementsPath: [String] = []
  var kindPath: [String] = []
  var kindNames: [KindName] = []
  var fields: [FieldMapping] = []
  var giftFields: [FieldMapping] = []
  var commentFields: [FieldMapping] = []
  var likeFields: [FieldMapping] = []
  var insidePaths: [[String]] = []
  var cases: [ProfileCase] = []

  init() {}

  init(_ profile: Profile) {
    name = profile.name
    elementsPath = profile.elementsPath
    kindPath = profile.kindPath
    kindNames = profile.kindNames
    fields = profile.mappings.filter { $0.kind == nil }
    giftFields = profile.mappings.filter { $0.kind == .gift }
    commentFields = profile.mappings.filter { $0.kind == .comment }
    likeFields = profile.mappings.filter { $0.kind == .like }
    insidePaths = profile.insidePaths
    cases = profile.cases
  }

  /// What is for one kind comes first, so that it wins.
  var profile: Profile {
    Profile(
      name: name, elementsPath: elementsPath, kindPath: kindPath, kindNames: kindNames,
      mappings: giftFields + commentFields + likeFields + fields, insidePaths: insidePaths, cases: cases)
  }
}

/// The members of a profile file.
enum ProfileSettings {
  static let table = SettingTable<ProfileDraft>([
    SettingRow("profile", \.name, .text(.name), isRequired: true, "The name that inputs refer to."),
    SettingRow(
      "elements", \.elementsPath, .elements,
      """
      Where the array of elements lies, when the payload is an object that has it; []: the payload is the \
      array.
      """
    ),
    SettingRow(
      "kind.path", \.kindPath, .memberPath,
      "The member that says what an element is, where the topic does not."),
    SettingRow("kind.values", \.kindNames, .kindWords, "The source's words for our kinds."),
    SettingRow("fields", \.fields, .fields(of: nil), "Where the fields of every kind lie."),
    SettingRow("gift", \.giftFields, .fields(of: .gift), "Fields of gifts; these win over 'fields'."),
    SettingRow("comment", \.commentFields, .fields(of: .comment), "Fields of comments."),
    SettingRow("like", \.likeFields, .fields(of: .like), "Fields of likes."),
    SettingRow(
      "inside", \.insidePaths, .memberPaths(0...16),
      "Members whose texts are JSON themselves, a path or a list of paths; the paths of 'cases' go on into them."
    ),
    SettingRow(
      "cases", \.cases, .cases,
      "What becomes of which element, where paths alone do not say it; the first that fits counts."),
  ])
}

extension EventField {
  /// True if events of the kind have the field.
  func belongs(to kind: EventKind) -> Bool {
    switch self {
    case .id, .time, .sender, .senderID: true
    case .senderName, .senderLevel, .senderAvatar, .senderAnonymous: kind != .remove
    case .gift, .giftID, .giftName, .giftIcon, .giftPrice: kind == .gift
    case .receiver, .receiverID, .receiverName, .receiverLevel, .receiverAvatar: kind == .gift
    case .combo, .streak, .end, .raises, .corrects: kind == .gift
    case .count, .total: kind == .gift || kind == .like
    case .text, .style: kind == .comment
    case .ids: kind == .remove
    }
  }
}

extension Codec where Value == [String] {
  /// A path of at least one name.
  static var memberPath: Codec {
    Codec(
      type: .memberPath, read: { readMemberPath($0, $1, &$2) },
      print: { $0.isEmpty ? nil : .inline(memberPathText($0)) })
  }

  /// A path that may have no name at all.
  static var elements: Codec {
    Codec(
      type: .memberPath,
      read: { node, path, report in
        if case .list(let names) = node.value, names.isEmpty { return [] }
        return readMemberPath(node, path, &report)
      }, print: { .inline(memberPathText($0)) })
  }
}

extension Codec where Value == [[String]] {
  /// A path, or a list of paths.
  static func memberPaths(_ count: ClosedRange<Int>) -> Codec {
    let type = SettingType.either(.memberPath, .list(of: .memberPath, count: count))
    return Codec(
      type: type, read: { readAlternatives($0, $1, &$2) },
      print: { paths in
        paths.isEmpty ? nil : .inline("[" + paths.map(memberPathText).joined(separator: ", ") + "]")
      })
  }
}

extension Codec where Value == [KindName] {
  static var kindWords: Codec {
    Codec(
      type: .kindWords,
      read: { node, path, report in
        guard case .mapping(let members) = node.value, !members.isEmpty else {
          return refuse(node, path, .kindWords, &report)
        }
        return members.compactMap { member in
          let path = "\(path).\(pathComponent(member.key))"
          let kind = Codec<KindWord>.choice.read(member.value, path, &report)?.eventKind
          return kind.map { KindName(word: member.key, kind: $0) }
        }
      },
      print: { names in
        if names.isEmpty { return nil }
        let members = names.map { "\(yamlText($0.word)): \($0.kind.name)" }
        return .inline("{" + members.joined(separator: ", ") + "}")
      })
  }
}

extension Codec where Value == [FieldMapping] {
  /// `field: path`, or `field: [path, path]` of which the first that is present wins.
  static func fields(of kind: EventKind?) -> Codec {
    let allowed = EventField.allCases.filter { field in kind.map { field.belongs(to: $0) } ?? true }
    return Codec(
      type: .fields,
      read: { node, path, report in
        if node.isNothing { return [] }
        guard case .mapping(let members) = node.value else { return refuse(node, path, .fields, &report) }
        var mappings: [FieldMapping] = []
        for member in members {
          let path = "\(path).\(displayed(member.key, limit: 64))"
          guard let field = EventField(rawValue: member.key), allowed.contains(field) else {
            refuseField(member, path, of: kind, allowed, &report)
            continue
          }
          for alternative in readAlternatives(member.value, path, &report) {
            mappings.append(FieldMapping(kind: kind, field: field, path: alternative))
          }
        }
        return mappings
      },
      print: { mappings in
        var fields: [EventField] = []
        for mapping in mappings where !fields.contains(mapping.field) { fields.append(mapping.field) }
        if fields.isEmpty { return nil }
        let members = fields.map { field in
          let paths = mappings.filter { $0.field == field }.map { memberPathText($0.path) }
          return "\(field.rawValue): [\(paths.joined(separator: ", "))]"
        }
        return .inline("{" + members.joined(separator: ", ") + "}")
      })
  }
}

/// Refuses a field that there is not, or that a kind does not have.
func refuseField(
  _ member: YAMLMember, _ path: String, of kind: EventKind?, _ allowed: [EventField], _ report: inout Report
) {
  let near = suggestion(for: member.key, among: allowed.map(\.rawValue))
  let words = allowed.map(\.rawValue).joined(separator: ", ")
  let advice = near.map { "did you mean '\($0)'?" } ?? "expected one of \(words)"
  let what = kind.map { "no field of a \($0.name)" } ?? "unknown field"
  report.refuse(member.keyPosition, path, "\(what), \(advice)")
}

private func readAlternatives(_ node: YAMLNode, _ path: String, _ report: inout Report) -> [[String]] {
  guard case .list(let items) = node.value else {
    return readMemberPath(node, path, &report).map { [$0] } ?? []
  }
  guard (1...16).contains(items.count) else {
    report.refuse(node.position, path, "a list of \(items.count), expected 1 to 16 paths")
    return []
  }
  return items.enumerated().compactMap { readMemberPath($1, "\(path)[\($0)]", &report) }
}

/// `a.b`, or a list of names, which may hold dots themselves.
func readMemberPath(_ node: YAMLNode, _ path: String, _ report: inout Report) -> [String]? {
  var names: [String] = []
  switch node.value {
  case .scalar(let text, _) where !node.isNothing:
    names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  case .list(let items):
    for item in items {
      guard case .scalar(let name, _) = item.value else { return refuse(item, path, .memberPath, &report) }
      names.append(name)
    }
  default: return refuse(node, path, .memberPath, &report)
  }
  guard (1...16).contains(names.count), names.allSatisfy({ (1...256).contains($0.utf8.count) }) else {
    report.refuse(
      node.position, path, "\(node.found) does not fit, expected 1 to 16 names of 1 to 256 bytes, as a.b")
    return nil
  }
  return names
}

/// A path as it is read: dotted where no name has a dot.
func memberPathText(_ path: [String]) -> String {
  if !path.isEmpty, !path.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) }) {
    return yamlText(path.joined(separator: "."))
  }
  return "[" + path.map(yamlText).joined(separator: ", ") + "]"
}
