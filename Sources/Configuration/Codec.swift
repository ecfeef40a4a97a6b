/// How a value of one type is read from a node and written back.
struct Codec<Value>: Sendable {
  let type: SettingType
  /// Refuses what does not fit and returns nil. The text is the path for messages.
  let read: @Sendable (YAMLNode, String, inout Report) -> Value?
  /// Nil for a value that is written by leaving the setting out.
  let print: @Sendable (Value) -> Printed?

  /// The same texts for another Swift type.
  func map<Other>(
    _ forth: @escaping @Sendable (Value) -> Other, _ back: @escaping @Sendable (Other) -> Value
  ) -> Codec<Other> {
    Codec<Other>(type: type, read: { read($0, $1, &$2).map(forth) }, print: { print(back($0)) })
  }

  /// A value that is nil where it is not given.
  var optional: Codec<Value?> {
    Codec<Value?>(type: type, read: { read($0, $1, &$2).map { .some($0) } }, print: { $0.flatMap(print) })
  }
}

extension Codec where Value == Int64 {
  static func integer(_ range: ClosedRange<Int64>, _ unit: SettingUnit? = nil) -> Codec {
    let type = SettingType.integer(range, unit)
    return Codec(
      type: type,
      read: { node, path, report in
        guard case .scalar(let text, isPlain: true) = node.value, isInteger(text) else {
          return refuse(node, path, type, &report)
        }
        // What is too long for 64 bits is out of every range.
        guard let value = Int64(text), range.contains(value) else {
          return refuseRange(node, path, type, &report)
        }
        return value
      }, print: { .inline(String($0)) })
  }

  /// A length of time.
  static func milliseconds(_ range: ClosedRange<Int64>) -> Codec {
    integer(range, .milliseconds)
  }

  /// `0.5` as 500.
  static func thousandths(_ range: ClosedRange<Int64>) -> Codec {
    let type = SettingType.thousandths(range)
    return Codec(
      type: type,
      read: { node, path, report in
        guard case .scalar(let text, isPlain: true) = node.value, let value = readThousandths(text) else {
          return refuse(node, path, type, &report)
        }
        guard range.contains(value) else { return refuseRange(node, path, type, &report) }
        return value
      }, print: { .inline(decimalText($0)) })
  }
}

extension Codec where Value == Int {
  static func count(_ range: ClosedRange<Int>, _ unit: SettingUnit? = nil) -> Codec {
    let range = Int64(range.lowerBound)...Int64(range.upperBound)
    return Codec<Int64>.integer(range, unit).map({ Int($0) }, { Int64($0) })
  }

  /// A size in bytes.
  static func bytes(_ range: ClosedRange<Int>) -> Codec {
    count(range, .bytes)
  }
}

extension Codec where Value == Bool {
  static var boolean: Codec {
    Codec(
      type: .boolean,
      read: { node, path, report in
        switch node.value {
        case .scalar("true", isPlain: true): true
        case .scalar("false", isPlain: true): false
        default: refuse(node, path, .boolean, &report)
        }
      }, print: { .inline($0 ? "true" : "false") })
  }
}

extension Codec where Value == String {
  static func text(_ form: TextForm) -> Codec {
    Codec(
      type: .text(form),
      read: { node, path, report in
        guard case .scalar(let text, _) = node.value, !node.isNothing else {
          return refuse(node, path, .text(form), &report)
        }
        guard form.accepts(text) else {
          let found = form.mayBeShown ? node.found : "the text"
          report.refuse(node.position, path, "\(found) does not fit, expected \(form.expectation)")
          return nil
        }
        return text
      }, print: { .inline(yamlText($0)) })
  }
}

extension Codec where Value == String? {
  /// A text whose empty form is none.
  static func textOrNone(_ form: TextForm) -> Codec {
    Codec<String>.text(form).map({ $0.isEmpty ? nil : $0 }, { $0 ?? "" })
  }
}

extension Codec where Value == [UInt8] {
  static func utf8(_ form: TextForm) -> Codec {
    Codec<String>.text(form).map({ Array($0.utf8) }, { String(decoding: $0, as: UTF8.self) })
  }
}

extension Codec where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  /// The cases' raw values are the words.
  static var choice: Codec {
    let type = SettingType.choice(Value.allCases.map(\.rawValue))
    return Codec(
      type: type,
      read: { node, path, report in
        guard case .scalar(let text, _) = node.value, let value = Value(rawValue: text) else {
          return refuse(node, path, type, &report)
        }
        return value
      }, print: { .inline(yamlText($0.rawValue)) })
  }
}

extension Codec {
  static func list<Element>(
    _ element: Codec<Element>, count: ClosedRange<Int>
  ) -> Codec where Value == [Element] {
    let type = SettingType.list(of: element.type, count: count)
    return Codec(
      type: type,
      read: { node, path, report in
        readList(node, path, type, count, &report, element.read)
      }, print: { .items($0.compactMap { element.print($0)?.flow }) })
  }
}

/// Reads the items that can be read; nil if it is no list or has too few or too many items.
func readList<Element>(
  _ node: YAMLNode, _ path: String, _ type: SettingType, _ count: ClosedRange<Int>, _ report: inout Report,
  _ read: (YAMLNode, String, inout Report) -> Element?
) -> [Element]? {
  guard case .list(let items) = node.value else { return refuse(node, path, type, &report) }
  guard count.contains(items.count) else {
    report.refuse(node.position, path, "a list of \(items.count), expected \(type.expectation)")
    return nil
  }
  var result: [Element] = []
  for (index, item) in items.enumerated() {
    if let value = read(item, "\(path)[\(index)]", &report) { result.append(value) }
  }
  return result
}

func refuse<Value>(
  _ node: YAMLNode, _ path: String, _ type: SettingType, _ report: inout Report
) -> Value? {
  report.refuse(node.position, path, "found \(node.found), expected \(type.expectation)")
  return nil
}

private func refuseRange<Value>(
  _ node: YAMLNode, _ path: String, _ type: SettingType, _ report: inout Report
) -> Value? {
  report.refuse(node.position, path, "\(node.found) is out of range, expected \(type.expectation)")
  return nil
}

/// Decimal digits without leading zeros, which YAML 1.1 would read as octal.
private func isInteger(_ text: String) -> Bool {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
  return digits == "0" || !digits.hasPrefix("0")
}

private func readThousandths(_ text: String) -> Int64? {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count <= 2, isInteger(String(parts[0])) else { return nil }
  var digits = parts.count == 2 ? String(parts[1]) : "0"
  guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
    return nil
  }
  digits += String(repeating: "0", count: 3 - digits.utf8.count)
  // Too long for 64 bits is out of every range as well.
  let sign = text.hasPrefix("-") ? "-" : ""
  let whole = parts[0].drop { $0 == "-" }
  return Int64(sign + whole + digits) ?? .max
}
