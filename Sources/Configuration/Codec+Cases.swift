import Base

extension Codec where Value == [ProfileCase] {
  /// The cases of a profile, in the order in which they are tried.
  static var cases: Codec {
    let type = SettingType.records(keys: CaseSettings.table.rows.map(\.setting.key), count: 1...100)
    return Codec(
      type: type,
      read: { node, path, report in
        readList(node, path, type, 1...100, &report) { item, path, report in
          guard case .mapping = item.value else { return refuse(item, path, type, &report) }
          let countBefore = report.count
          var draft = CaseDraft()
          CaseSettings.table.read(item, at: path, into: &draft, &report)
          guard report.count == countBefore else { return nil }
          return draft.profileCase(item, path, &report)
        }
      },
      print: { cases in
        cases.isEmpty ? nil : .items(cases.map { flowMapping(CaseSettings.table, CaseDraft($0)) })
      })
  }
}

/// A case while it is read.
struct CaseDraft: Draft {
  var conditions: [MemberCondition] = []
  var kind: KindWord?
  var reason = ""
  var goesOn = false
  var eachPath: [String] = []
  var fields: [FieldRule] = []

  init() {}

  init(_ entry: ProfileCase) {
    conditions = entry.conditions
    switch entry.outcome {
    case .event(let kind): self.kind = KindWord(rawValue: kind.name)
    case .drop(let why): reason = why
    }
    goesOn = entry.goesOn
    eachPath = entry.eachPath
    fields = entry.fields
  }

  /// The case, if its members go together.
  func profileCase(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ProfileCase? {
    guard let kind = kind?.eventKind else {
      guard !reason.isEmpty else {
        report.refuse(node.position, path, "neither 'kind' nor 'drop', expected one")
        return nil
      }
      guard fields.isEmpty, eachPath.isEmpty, !goesOn else {
        report.refuse(
          node.position, path, "'drop' with 'fields', 'each' or 'also', expected it with 'when' only")
        return nil
      }
      return ProfileCase(conditions: conditions, outcome: .drop(reason))
    }
    guard reason.isEmpty else {
      report.refuse(node.position, path, "both 'kind' and 'drop', expected one")
      return nil
    }
    for field in fields.map(\.field) where !field.belongs(to: kind) {
      report.refuse(node.position, "\(path).fields.\(field.rawValue)", "no field of a \(kind.name)")
      return nil
    }
    return ProfileCase(
      conditions: conditions, outcome: .event(kind), goesOn: goesOn, eachPath: eachPath, fields: fields)
  }
}

/// A kind of event as a word of a file.
enum KindWord: String, CaseIterable, Sendable {
  case gift, comment, like, remove

  var eventKind: EventKind {
    switch self {
    case .gift: .gift
    case .comment: .comment
    case .like: .like
    case .remove: .remove
    }
  }
}

/// The members of a case.
enum CaseSettings {
  static let table = SettingTable<CaseDraft>([
    SettingRow(
      "when", \.conditions, .conditions,
      "What must hold of the element; a member that is null or an empty text is absent."),
    SettingRow("kind", \.kind, Codec<KindWord>.choice.optional, "The kind of event that it is."),
    SettingRow("drop", \.reason, .reason, "Why nothing is made of it."),
    SettingRow("also", \.goesOn, .flag, "True: the cases after this one are tried too."),
    SettingRow(
      "each", \.eachPath, .memberPath,
      "Where an array lies of which each entry is an event; paths that begin with 'each' go into the entry."),
    SettingRow(
      "fields", \.fields, .rules, "What the fields are made of; these win over those of the whole profile."),
  ])
}

extension Codec where Value == Bool {
  /// False is written by leaving it out.
  fileprivate static var flag: Codec {
    let boolean = Codec<Bool>.boolean
    return Codec(type: boolean.type, read: boolean.read, print: { $0 ? boolean.print($0) : nil })
  }
}

extension Codec where Value == String {
  /// A sentence for people; none is written by leaving it out.
  fileprivate static var reason: Codec {
    let text = Codec<String>.text(.reason)
    return Codec(type: text.type, read: text.read, print: { $0.isEmpty ? nil : text.print($0) })
  }
}
