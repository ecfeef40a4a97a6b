import Base

extension Codec where Value == [FieldRule] {
  /// `field: rule`.
  static var rules: Codec {
    Codec(
      type: .rules,
      read: { node, path, report in
        if node.isNothing { return [] }
        guard case .mapping(let members) = node.value else { return refuse(node, path, .rules, &report) }
        return members.compactMap { member in
          let path = "\(path).\(displayed(member.key, limit: 64))"
          guard let field = EventField(rawValue: member.key) else {
            refuseField(member, path, of: nil, EventField.allCases, &report)
            return nil
          }
          return readRule(member.value, path, &report).map { FieldRule(field: field, value: $0) }
        }
      },
      print: { fields in
        if fields.isEmpty { return nil }
        let members = fields.map { "\($0.field.rawValue): \(alternativesText($0.value))" }
        return .inline("{" + members.joined(separator: ", ") + "}")
      })
  }
}

extension Codec where Value == [MemberCondition] {
  /// `path: value`, `path: [value, value]`, `path: {present: true}`, `path: {not: value}` or `path: {word:
  /// value}`.
  static var conditions: Codec {
    Codec(
      type: .conditions, read: { readConditions($0, $1, &$2) },
      print: { $0.isEmpty ? nil : .inline(conditionsText($0)) })
  }
}

/// The words that a rule may begin with, and what follows them.
private enum RuleWord: String, CaseIterable {
  case first, text, join, seconds, instant, date, product, largest, divide, except, map, when

  static var expectation: String {
    "a path of member names, a list of paths and rules of which the first that is present counts, or a rule "
      + "{WORD: …} with one of " + allCases.map(\.rawValue).joined(separator: ", ")
  }
}

/// A path, a list of alternatives, `{word: …}`, or `~` for a field that is left out.
private func readRule(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ValueRule? {
  if node.isNothing { return .first([]) }
  guard case .list(let items) = node.value else { return readItem(node, path, &report) }
  guard let rules = readItems(items, node, path, &report) else { return nil }
  return rules.count == 1 ? rules[0] : .first(rules)
}

private func readItems(
  _ items: [YAMLNode], _ node: YAMLNode, _ path: String, _ report: inout Report
) -> [ValueRule]? {
  guard (1...16).contains(items.count) else {
    report.refuse(node.position, path, "a list of \(items.count), expected 1 to 16 paths or rules")
    return nil
  }
  let rules = items.enumerated().compactMap { readItem($1, "\(path)[\($0)]", &report) }
  return rules.count == items.count ? rules : nil
}

/// A path, which may be a list of names here, or `{word: …}`.
private func readItem(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ValueRule? {
  guard case .mapping(let members) = node.value else {
    return readMemberPath(node, path, &report).map { .member($0) }
  }
  guard members.count == 1, let word = RuleWord(rawValue: members[0].key) else {
    let position = members.first?.keyPosition ?? node.position
    report.refuse(position, path, "no rule, expected \(RuleWord.expectation)")
    return nil
  }
  let value = members[0].value
  let path = "\(path).\(word.rawValue)"
  switch word {
  case .text:
    guard case .scalar(let text, _) = value.value, !value.isNothing, (1...256).contains(text.utf8.count)
    else {
      report.refuse(value.position, path, "found \(value.found), expected a text of 1 to 256 bytes")
      return nil
    }
    return .constant(text)
  case .seconds: return readRule(value, path, &report).map { .seconds($0) }
  case .instant: return readRule(value, path, &report).map { .instant($0) }
  case .date: return readRule(value, path, &report).map { .date($0) }
  case .when: return readConditions(value, path, &report).map { .truth($0) }
  case .first: return readRules(value, path, &report).map { .first($0) }
  case .join: return readRules(value, path, &report).map { .joined($0) }
  case .product: return readRules(value, path, &report).map { .product($0) }
  case .largest: return readRules(value, path, &report).map { .largest($0) }
  case .divide: return readQuotient(value, path, &report)
  case .except: return readException(value, path, &report)
  case .map: return readMeanings(value, path, &report)
  }
}

private func readRules(_ node: YAMLNode, _ path: String, _ report: inout Report) -> [ValueRule]? {
  guard case .list(let items) = node.value else {
    report.refuse(node.position, path, "found \(node.found), expected a list of paths and rules")
    return nil
  }
  return readItems(items, node, path, &report)
}

private func readQuotient(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ValueRule? {
  guard case .list(let items) = node.value, items.count == 2 else {
    report.refuse(node.position, path, "found \(node.found), expected [what, divisor]")
    return nil
  }
  let rule = readItem(items[0], "\(path)[0]", &report)
  let divisor = Codec<Int64>.integer(1...1_000_000_000).read(items[1], "\(path)[1]", &report)
  guard let rule, let divisor else { return nil }
  return .quotient(rule, by: divisor)
}

private func readException(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ValueRule? {
  guard case .list(let items) = node.value, (2...16).contains(items.count) else {
    report.refuse(node.position, path, "found \(node.found), expected [what, text, …]")
    return nil
  }
  let rule = readItem(items[0], "\(path)[0]", &report)
  let words = items.dropFirst().enumerated().compactMap { readWord($1, "\(path)[\($0 + 1)]", &report) }
  guard let rule, words.count == items.count - 1 else { return nil }
  return .except(rule, words)
}

private func readMeanings(_ node: YAMLNode, _ path: String, _ report: inout Report) -> ValueRule? {
  guard case .list(let items) = node.value, items.count == 2, case .mapping(let members) = items[1].value,
    (1...1000).contains(members.count)
  else {
    report.refuse(node.position, path, "found \(node.found), expected [what, {text: what it stands for, …}]")
    return nil
  }
  let rule = readItem(items[0], "\(path)[0]", &report)
  let words = members.compactMap { member in
    readWord(member.value, "\(path)[1].\(pathComponent(member.key))", &report)
      .map { WordMeaning(word: member.key, meaning: $0) }
  }
  guard let rule, words.count == members.count else { return nil }
  return .mapped(rule, words)
}

private func readConditions(
  _ node: YAMLNode, _ path: String, _ report: inout Report
) -> [MemberCondition]? {
  guard case .mapping(let members) = node.value, (1...16).contains(members.count) else {
    return refuse(node, path, .conditions, &report)
  }
  return members.flatMap { member -> [MemberCondition] in
    let path = "\(path).\(pathComponent(member.key))"
    let names = member.key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard (1...16).contains(names.count), names.allSatisfy({ (1...256).contains($0.utf8.count) }) else {
      report.refuse(member.keyPosition, path, "no path, expected 1 to 16 names of 1 to 256 bytes, as a.b")
      return []
    }
    return readTests(member.value, path, &report).map { MemberCondition(path: names, test: $0) }
  }
}

/// A value, values, or a mapping of tests that must all hold.
private func readTests(_ node: YAMLNode, _ path: String, _ report: inout Report) -> [MemberCondition.Test] {
  guard case .mapping(let members) = node.value else {
    return readWords(node, path, &report).map { [.isOne(of: $0)] } ?? []
  }
  if members.isEmpty { _ = refuse(node, path, .conditions, &report) as MemberCondition.Test? }
  return members.compactMap { readTest($0, path, &report) }
}

private func readTest(
  _ member: YAMLMember, _ path: String, _ report: inout Report
) -> MemberCondition.Test? {
  let value = member.value
  switch member.key {
  case "present":
    return Codec<Bool>.boolean.read(value, "\(path).present", &report).map { $0 ? .present : .absent }
  case "not": return readWords(value, "\(path).not", &report).map { .isNone(of: $0) }
  case "word":
    guard let words = readWords(value, "\(path).word", &report) else { return nil }
    guard words.count == 1 else { return refuse(value, "\(path).word", .conditions, &report) }
    return .hasWord(words[0])
  case "same": return readMemberPath(value, "\(path).same", &report).map { .isSame(as: $0) }
  case "differs": return readMemberPath(value, "\(path).differs", &report).map { .differs(from: $0) }
  default:
    report.refuse(
      member.keyPosition, path, "unknown condition, expected one of present, not, word, same, differs")
    return nil
  }
}

private func readWords(_ node: YAMLNode, _ path: String, _ report: inout Report) -> [String]? {
  var nodes = [node]
  if case .list(let items) = node.value { nodes = items }
  var words: [String] = []
  for node in nodes {
    guard let word = readWord(node, path, &report) else { return nil }
    words.append(word)
  }
  guard (1...100).contains(words.count) else { return refuse(node, path, .conditions, &report) }
  return words
}

private func readWord(_ node: YAMLNode, _ path: String, _ report: inout Report) -> String? {
  guard case .scalar(let text, _) = node.value, !node.isNothing, !text.isEmpty else {
    report.refuse(node.position, path, "found \(node.found), expected a value or a list of values")
    return nil
  }
  return text
}

private func alternativesText(_ rule: ValueRule) -> String {
  if case .first(let rules) = rule { return rules.isEmpty ? "~" : listText(rules) }
  return listText([rule])
}

private func listText(_ rules: [ValueRule]) -> String {
  "[" + rules.map(itemText).joined(separator: ", ") + "]"
}

private func itemText(_ rule: ValueRule) -> String {
  switch rule {
  case .member(let path): memberPathText(path)
  case .first(let rules): "{first: \(listText(rules))}"
  case .constant(let text): "{text: \(yamlText(text))}"
  case .joined(let rules): "{join: \(listText(rules))}"
  case .seconds(let rule): "{seconds: \(alternativesText(rule))}"
  case .instant(let rule): "{instant: \(alternativesText(rule))}"
  case .date(let rule): "{date: \(alternativesText(rule))}"
  case .product(let rules): "{product: \(listText(rules))}"
  case .largest(let rules): "{largest: \(listText(rules))}"
  case .quotient(let rule, let divisor): "{divide: [\(itemText(rule)), \(divisor)]}"
  case .except(let rule, let words):
    "{except: [" + ([itemText(rule)] + words.map(yamlText)).joined(separator: ", ") + "]}"
  case .mapped(let rule, let words):
    "{map: [\(itemText(rule)), {"
      + words.map { "\(yamlText($0.word)): \(yamlText($0.meaning))" }.joined(separator: ", ") + "}]}"
  case .truth(let conditions): "{when: \(conditionsText(conditions))}"
  }
}

private func conditionsText(_ conditions: [MemberCondition]) -> String {
  var members: [String] = []
  var rest = conditions[...]
  while let path = rest.first?.path {
    // Those of one member stand together, as they were read.
    let own = rest.prefix { $0.path == path }
    rest = rest.dropFirst(own.count)
    let tests = own.map { testText($0.test) }
    let isValue = if case .isOne? = own.first?.test { true } else { false }
    let text = isValue ? tests.joined() : "{\(tests.joined(separator: ", "))}"
    members.append("\(yamlText(path.joined(separator: "."))): \(text)")
  }
  return "{" + members.joined(separator: ", ") + "}"
}

private func testText(_ test: MemberCondition.Test) -> String {
  switch test {
  case .present: "present: true"
  case .absent: "present: false"
  case .isOne(let words): wordsText(words)
  case .isNone(let words): "not: \(wordsText(words))"
  case .hasWord(let word): "word: \(yamlText(word))"
  case .isSame(let path): "same: \(memberPathText(path))"
  case .differs(let path): "differs: \(memberPathText(path))"
  }
}

private func wordsText(_ words: [String]) -> String {
  "[" + words.map(yamlText).joined(separator: ", ") + "]"
}
