import Base
import Wire

/// Turns the messages of rooms into lines that a person can read, and marks what is missing between them.
///
/// It is a renderer of the plainest kind: it drops a sequence number that it has seen, says how many it
/// missed, and forgets what it knew when a room's epoch changes.
public struct Transcript {
  private struct Position {
    var epoch: Int64
    var sequence: Int64
  }

  /// What a group is called in the lines after its `show`.
  private struct Label {
    let sender: String
    let gift: String
  }

  private var positions: [String: Position] = [:]
  private var labels: [String: Label] = [:]
  /// Commands that were missing so far.
  public private(set) var missing: Int64 = 0

  /// A transcript that knows nothing yet.
  public init() {}

  /// The lines for one message; none for a command that was seen before.
  public mutating func lines(topic: String, payload: Span<UInt8>) -> [String] {
    let topic = Transcript.visible(topic)
    guard payload.count > 0 else { return ["\(topic): cleared"] }
    let message: JSONValue
    do {
      message = try JSONValue(payload)
    } catch {
      return ["\(topic): not JSON"]
    }
    // What a snapshot says was said by commands before.
    if message["tracks"]?.array != nil { return [] }
    guard let operation = message["op"]?.string, let room = message["room"]?.string.map(Transcript.visible),
      let track = message["track"]?.string.map(Transcript.visible), let sequence = message["seq"]?.integer
    else { return [Transcript.report(topic, message)] }
    let epoch = message["epoch"]?.integer ?? 0
    let before = positions[topic].flatMap { $0.epoch == epoch ? $0.sequence : nil }
    if let before, sequence <= before { return [] }
    if positions.count >= Transcript.mostRemembered { positions.removeAll() }
    positions[topic] = Position(epoch: epoch, sequence: sequence)
    var lines: [String] = []
    if let before, case let gap = Transcript.difference(sequence, before) - 1, gap > 0 {
      missing = Transcript.sum(missing, gap)
      lines.append("\(room) \(track): \(gap) missing before #\(sequence)")
    }
    let time = Transcript.time(of: message["at"]?.integer ?? 0)
    let what = describe(operation, message, room: "\(room) \(epoch)")
    lines.append("\(time) \(room) \(Transcript.padded(track, 9)) #\(sequence) \(what)")
    return lines
  }

  private mutating func describe(_ operation: String, _ message: JSONValue, room: String) -> String {
    let group = message["group"]?.integer ?? 0
    let key = "\(room) \(group)"
    let count = message["count"]?.integer ?? 0
    switch operation {
    case "show":
      let label = Transcript.label(of: message)
      // Groups whose `hide` was missed would stay for ever.
      if labels.count >= Transcript.mostRemembered { labels.removeAll() }
      labels[key] = label
      return "show    \(label.sender) → \(label.gift)\(Transcript.rest(message))"
    case "count":
      let run = "\(message["from"]?.integer ?? 0) → \(message["to"]?.integer ?? 0)"
      return "count   \(name(of: key)) \(run)\(Transcript.rest(message))"
    case "hold": return "hold    \(name(of: key)) x\(count)\(Transcript.rest(message))"
    case "hide":
      let name = name(of: key)
      labels[key] = nil
      return "hide    \(name) x\(count) (\(Transcript.visible(message["reason"]?.string ?? "")))"
    case "fold":
      let items = (message["items"]?.array ?? []).prefix(Transcript.shownItems).map { item in
        let label = Transcript.label(of: item)
        return "\(label.sender) → \(label.gift) x\(item["count"]?.integer ?? 0)"
      }
      let gifts = message["gifts"]?.integer ?? 0
      let senders = message["senders"]?.integer ?? 0
      return "fold    +\(gifts) gifts from \(senders) viewers: \(items.joined(separator: ", "))"
    case "append": return Transcript.comments(message)
    case "burst":
      return "burst   +\(count) likes, \(message["total"]?.integer ?? 0) in all"
    case "play":
      let label = Transcript.label(of: message)
      let asset = Transcript.visible(message["asset"]?.string ?? "")
      return "play    \(label.sender) → \(label.gift) x\(count), \(asset)"
    case "end": return "end     (\(Transcript.visible(message["reason"]?.string ?? "")))"
    case "click":
      let label = Transcript.label(of: message)
      return "click   \(label.sender) → \(label.gift) x\(count)"
    case "remove": return "remove  \(message["ids"]?.array?.count ?? 0) comments"
    case "stop": return "stop    \(message["total"]?.integer ?? 0) likes in all"
    default: return Transcript.visible(operation)
    }
  }

  private func name(of key: String) -> String {
    labels[key].map { "\($0.sender) → \($0.gift)" } ?? "(shown before)"
  }

  private static let shownItems = 3
  /// Topics, and groups, that are remembered; who watches one more begins anew with all.
  private static let mostRemembered = 100_000

  private static func comments(_ message: JSONValue) -> String {
    let items = message["items"]?.array ?? []
    let shown = items.suffix(shownItems).map { item in
      "\(visible(item["sender"]?["name"]?.string ?? "?")): \(visible(item["text"]?.string ?? ""))"
    }
    let more = items.count > shown.count ? " (and \(items.count - shown.count) before)" : ""
    return "append  \(shown.joined(separator: " | "))\(more)"
  }

  private static func label(of message: JSONValue) -> Label {
    var sender = visible(message["sender"]?["name"]?.string ?? "?")
    if let receiver = message["receiver"]?["name"]?.string { sender += " for \(visible(receiver))" }
    return Label(sender: sender, gift: visible(message["gift"]?["name"]?.string ?? "?"))
  }

  /// How long it lasts and until when it stays.
  private static func rest(_ message: JSONValue) -> String {
    guard let at = message["at"]?.integer, let until = message["until"]?.integer else { return "" }
    return ", until +\(difference(until, at)) ms"
  }

  private static func report(_ topic: String, _ message: JSONValue) -> String {
    if let state = message["state"]?.string { return "\(topic): \(visible(state))" }
    let reasons = (message["items"]?.array ?? []).prefix(shownItems).map { item in
      let index = item["index"]?.integer.map { "[\($0)] " } ?? ""
      return "\(index)\(visible(item["reason"]?.string ?? "?"))"
    }
    guard !reasons.isEmpty else { return topic }
    return "\(topic): \(message["count"]?.integer ?? 0) refused: \(reasons.joined(separator: ", "))"
  }

  /// A viewer's text must not move the cursor or colour the terminal of who watches.
  private static func visible(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      let turnsText = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      result.append(isControl || turnsText ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }

  /// `a` less `b`. Anyone may publish any numbers, so it saturates.
  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (a < b ? .min : .max) : difference
  }

  private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }

  /// The time of day of an instant, UTC.
  private static func time(of instant: Int64) -> String {
    let day = ((instant % 86_400_000) + 86_400_000) % 86_400_000
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let clock = [day / 3_600_000, day / 60_000 % 60, day / 1000 % 60].map { digits($0, 2) }
    return "\(clock.joined(separator: ":")).\(digits(day % 1000, 3))"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
