/// A node of a YAML document that knows its place. Texts are not interpreted here: a setting's type decides
/// what a text means, so that `on`, `010` or `1e3` never turn into something that nobody wrote.
struct YAMLNode: Sendable {
  enum Value: Sendable {
    /// `isPlain`: written without quotes, so that it may be a number or a word.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case mapping([YAMLMember])
  }

  let position: SourcePosition
  let value: Value
  /// Nodes in it, itself included and aliases expanded.
  let weight: Int
  /// Levels below it.
  let height: Int

  init(position: SourcePosition, value: Value) {
    self.position = position
    self.value = value
    switch value {
    case .scalar:
      weight = 1
      height = 0
    case .list(let items):
      weight = items.reduce(1) { $0 + $1.weight }
      height = 1 + (items.lazy.map(\.height).max() ?? 0)
    case .mapping(let members):
      weight = members.reduce(1) { $0 + 1 + $1.value.weight }
      height = 1 + (members.lazy.map(\.value.height).max() ?? 0)
    }
  }

  /// True for a key without a value, `null` and `~`.
  var isNothing: Bool {
    guard case .scalar(let text, isPlain: true) = value else { return false }
    return text.isEmpty || text == "null" || text == "~"
  }

  /// What was found, for an error.
  var found: String {
    switch value {
    case .list: "a list"
    case .mapping: "a mapping"
    case .scalar(_, isPlain: true) where isNothing: "nothing"
    case .scalar(let text, isPlain: true): "'\(displayed(text, limit: 40))'"
    case .scalar(let text, isPlain: false): "the quoted text '\(displayed(text, limit: 40))'"
    }
  }
}

/// One `key: value` of a mapping.
struct YAMLMember: Sendable {
  let key: String
  let keyPosition: SourcePosition
  let value: YAMLNode
}
