/// What a table fills: a value that starts as the defaults.
protocol Draft: Sendable {
  init()
}

/// One row of a table: a setting, and where its value lies in a draft.
struct SettingRow<Root: Draft>: Sendable {
  /// Presets come first, since other settings change what they set; what builds on all others comes last.
  enum Turn: CaseIterable { case first, middle, last }

  private(set) var setting: Setting
  let turn: Turn
  /// Settings of each entry, if it is a list of mappings.
  let members: [Setting]
  /// Reads a node into the draft, or refuses it. The text is the path for messages.
  let read: @Sendable (YAMLNode, String, inout Root, inout Report) -> Void
  /// The value as YAML; nil: it is left out.
  let print: @Sendable (Root) -> Printed?
  /// Gives the second draft the value of the first.
  let copy: @Sendable (Root, inout Root) -> Void

  /// The same row, for what a running daemon cannot take over.
  var takenAtStart: SettingRow {
    var row = self
    row.setting.isLive = false
    return row
  }
}

extension SettingRow {
  /// A row whose value lies at a key path; the default is the value that a new draft has there.
  init<Value>(
    _ path: String, _ location: any WritableKeyPath<Root, Value> & Sendable, _ codec: Codec<Value>,
    turn: Turn = .middle, isRequired: Bool = false, isPerRoom: Bool = false, members: [Setting] = [],
    _ sentence: String
  ) {
    let defaultText = isRequired ? nil : codec.print(Root()[keyPath: location])?.flow
    self.init(
      setting: Setting(
        path: path, type: codec.type, defaultText: defaultText, isRequired: isRequired, isPerRoom: isPerRoom,
        sentence: sentence),
      turn: turn, members: members,
      read: { node, path, root, report in
        if let value = codec.read(node, path, &report) { root[keyPath: location] = value }
      },
      print: { codec.print($0[keyPath: location]) },
      copy: { $1[keyPath: location] = $0[keyPath: location] })
  }

  /// A row for a list of mappings, whose members are settings too.
  init<Record: Draft>(
    _ path: String, _ location: any WritableKeyPath<Root, [Record]> & Sendable,
    records table: SettingTable<Record>, count: ClosedRange<Int>, isPerRoom: Bool = false,
    _ sentence: String
  ) {
    self.init(
      path, location, .records(table, count: count), isPerRoom: isPerRoom,
      members: table.members(of: path, isPerRoom: isPerRoom), sentence)
  }

  /// The same setting as part of a larger draft.
  func lifted<Outer: Draft>(_ location: any WritableKeyPath<Outer, Root> & Sendable) -> SettingRow<Outer> {
    SettingRow<Outer>(
      setting: setting, turn: turn == .first ? .first : .middle, members: members,
      read: { node, path, root, report in read(node, path, &root[keyPath: location], &report) },
      print: { print($0[keyPath: location]) },
      copy: { copy($0[keyPath: location], &$1[keyPath: location]) })
  }
}

/// The settings of one kind of mapping, in the order of the documentation.
struct SettingTable<Root: Draft>: Sendable {
  let rows: [SettingRow<Root>]
  /// Rows by path, and keys by group (`gift`; the outermost is empty). Looked up only.
  private let rowAt: [String: Int]
  private let keysIn: [String: [String]]

  init(_ rows: [SettingRow<Root>]) {
    self.rows = rows
    var rowAt: [String: Int] = [:]
    var keysIn: [String: [String]] = ["": []]
    for (index, row) in rows.enumerated() {
      rowAt[row.setting.path] = index
      let words = row.setting.path.split(separator: ".").map(String.init)
      for depth in words.indices {
        let group = words[..<depth].joined(separator: ".")
        if keysIn[group, default: []].last != words[depth] { keysIn[group, default: []].append(words[depth]) }
      }
    }
    self.rowAt = rowAt
    self.keysIn = keysIn
  }

  /// True if there is such a setting or group.
  func knows(_ path: String) -> Bool { rowAt[path] != nil || keysIn[path] != nil }

  /// Reads a mapping into the draft and refuses all that does not fit.
  /// - Parameters:
  ///   - base: the path of the mapping for messages; empty: the whole document.
  ///   - hint: for an unknown path, why it is refused and what to do instead.
  func read(
    _ node: YAMLNode, at base: String, into root: inout Root, _ report: inout Report,
    hint: (String) -> String? = { _ in nil }
  ) {
    var found: [(path: String, member: YAMLMember, row: SettingRow<Root>)] = []
    collect(node, group: "", base: base, &found, &report, hint)
    for turn in SettingRow<Root>.Turn.allCases {
      for (path, member, row) in found where row.turn == turn {
        report.note(path, givenAt: member.value.position)
        row.read(member.value, path, &root, &report)
      }
    }
    for row in rows where row.setting.isRequired {
      if !found.contains(where: { $0.row.setting.path == row.setting.path }) {
        let key = row.setting.key
        report.refuse(
          node.position, Self.join(base, key), "missing, expected \(row.setting.type.expectation)")
      }
    }
  }

  /// The settings of entries of a list at a path.
  func members(of path: String, isPerRoom: Bool) -> [Setting] {
    settings.map { member in
      Setting(
        path: "\(path)[].\(member.path)", type: member.type, defaultText: member.defaultText,
        isRequired: member.isRequired, isPerRoom: isPerRoom, sentence: member.sentence)
    }
  }

  /// All settings, those of entries after their list.
  var settings: [Setting] { rows.flatMap { [$0.setting] + $0.members } }

  private func collect(
    _ node: YAMLNode, group: String, base: String,
    _ found: inout [(path: String, member: YAMLMember, row: SettingRow<Root>)], _ report: inout Report,
    _ hint: (String) -> String?
  ) {
    // A group whose lines are all commented out is empty, not wrong.
    if node.isNothing { return }
    let keys = keysIn[group] ?? []
    guard case .mapping(let members) = node.value else {
      let words = keys.joined(separator: ", ")
      report.refuse(node.position, base, "found \(node.found), expected a mapping of \(words)")
      return
    }
    for member in members {
      let path = Self.join(base, pathComponent(member.key))
      let inner = Self.join(group, member.key)
      let isKey = keys.contains(member.key)
      if isKey, let index = rowAt[inner] {
        found.append((path, member, rows[index]))
      } else if isKey {
        collect(member.value, group: inner, base: path, &found, &report, hint)
      } else if report.isFull {
        // Only counted: a million unknown keys must not cost a million searches.
        report.refuse(member.keyPosition, path, "unknown setting")
      } else {
        let advice = hint(inner) ?? advice(for: member.key, among: keys)
        report.refuse(member.keyPosition, path, "unknown setting, \(advice)")
      }
    }
  }

  private func advice(for key: String, among keys: [String]) -> String {
    if key.utf8.contains(UInt8(ascii: ".")), knows(key) {
      return "expected it inside its group, without dots"
    }
    if let near = suggestion(for: key, among: keys) { return "did you mean '\(near)'?" }
    // The right word in the wrong group.
    if let row = rows.first(where: { $0.setting.key == key }) {
      return "did you mean '\(row.setting.path)'?"
    }
    return "expected one of " + keys.joined(separator: ", ")
  }

  private static func join(_ base: String, _ key: String) -> String {
    base.isEmpty ? key : "\(base).\(key)"
  }
}

extension Codec {
  /// A list of mappings, each read by a table.
  static func records<Record: Draft>(
    _ table: SettingTable<Record>, count: ClosedRange<Int>
  ) -> Codec where Value == [Record] {
    let type = SettingType.records(keys: table.rows.map(\.setting.key), count: count)
    return Codec(
      type: type,
      read: { node, path, report in
        readList(node, path, type, count, &report) { item, path, report in
          guard case .mapping = item.value else {
            let keys = table.rows.map(\.setting.key).joined(separator: ", ")
            report.refuse(item.position, path, "found \(item.found), expected a mapping of \(keys)")
            return nil
          }
          var record = Record()
          table.read(item, at: path, into: &record, &report)
          return record
        }
      }, print: { .items($0.map { flowMapping(table, $0) }) })
  }
}

/// A draft as `{key: value, …, group: {key: value}}`.
func flowMapping<Root: Draft>(_ table: SettingTable<Root>, _ root: Root) -> String {
  flowMapping(table.rows.compactMap { row in row.print(root).map { (row.setting.path, $0.flow) } })
}

/// Paths with their values as one mapping; the paths of a group stand together.
func flowMapping(_ values: [(path: String, text: String)]) -> String {
  var result = "{"
  var open: [Substring] = []
  for (path, text) in values {
    let words = path.split(separator: ".")
    let groups = words.dropLast()
    let sharedCount = zip(open, groups).prefix { $0 == $1 }.count
    result += String(repeating: "}", count: open.count - sharedCount)
    if result.utf8.count > 1 { result += ", " }
    for group in groups.dropFirst(sharedCount) { result += "\(group): {" }
    open = Array(groups)
    result += "\(words[words.count - 1]): \(text)"
  }
  return result + String(repeating: "}", count: open.count + 1)
}
