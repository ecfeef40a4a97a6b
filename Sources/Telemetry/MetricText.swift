import Base

extension [Metric] {
  /// A page in Prometheus' text format, version 0.0.4.
  public func prometheusText() -> [UInt8] {
    var page: [UInt8] = []
    for metric in self {
      let name = metric.name.description
      page.append(contentsOf: "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.rawValue)\n".utf8)
      switch metric.content {
      case .single(let value): page.append(contentsOf: "\(name) \(value.text)\n".utf8)
      case .labelled(let label, let values):
        for (text, value) in values {
          page.append(contentsOf: "\(name){\(label)=\"\(escaped(text))\"} \(value.text)\n".utf8)
        }
      case .histogram(let histogram):
        for (end, count) in histogram.cumulated {
          page.append(contentsOf: "\(name)_bucket{le=\"\(end)\"} \(count)\n".utf8)
        }
        page.append(contentsOf: "\(name)_sum \(histogram.seconds.text)\n".utf8)
        page.append(contentsOf: "\(name)_count \(histogram.count)\n".utf8)
      }
    }
    return page
  }

  /// The same figures as one object of JSON: a number for each name; with a label an object by its values;
  /// for a histogram `count`, `sum` and `buckets`, which count up.
  public func json() -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "{")]
    for (index, metric) in enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: "\"\(metric.name)\":".utf8)
      switch metric.content {
      case .single(let value): text.append(contentsOf: value.text.utf8)
      case .labelled(_, let values):
        text.appendObject(values.map { ($0.value, $0.1.text) })
      case .histogram(let histogram):
        text.append(
          contentsOf: #"{"count":\#(histogram.count),"sum":\#(histogram.seconds.text),"buckets":"#.utf8)
        text.appendObject(histogram.cumulated.map { ($0.end, $0.count.description) })
        text.append(UInt8(ascii: "}"))
      }
    }
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// A label's value: "backslash, double-quote and line feed have to be escaped".
  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += #"\\"#
      case "\"": result += #"\""#
      case "\n": result += #"\n"#
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}

extension [UInt8] {
  /// Appends an object whose values are JSON already.
  fileprivate mutating func appendObject(_ members: [(name: String, value: String)]) {
    append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSON(member.name)
      append(UInt8(ascii: ":"))
      append(contentsOf: member.value.utf8)
    }
    append(UInt8(ascii: "}"))
  }

  /// Appends a text as a string of JSON.
  public mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        append(contentsOf: (digits.utf8.count == 1 ? #"\u000"# : #"\u00"#).utf8)
        append(contentsOf: digits.utf8)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
