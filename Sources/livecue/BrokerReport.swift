/// What `livecue check --broker` found, a line each.
struct BrokerReport {
  /// How grave a line is. The raw value is its word.
  enum Grade: String {
    /// As it should be.
    case good
    /// What cannot be seen, and what to do.
    case note
    /// Nothing is lost by it, but it is probably not meant.
    case warning
    /// Messages would be lost.
    case loss
  }

  private(set) var lines: [(grade: Grade, subject: String, text: String)] = []

  mutating func add(_ grade: Grade, _ subject: String, _ text: String) {
    lines.append((grade, subject, text))
  }

  /// True if messages would be lost at this broker.
  var losesMessages: Bool { lines.contains { $0.grade == .loss } }

  /// All lines, for people.
  var page: String {
    lines.map { line in
      let grade = line.grade.rawValue + String(repeating: " ", count: 9 - line.grade.rawValue.count)
      let subject = line.subject + String(repeating: " ", count: max(0, 13 - line.subject.count))
      return "\(grade)\(subject) \(line.text)\n"
    }.joined()
  }
}
