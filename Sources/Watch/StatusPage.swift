public import Wire

/// What a daemon says of itself, as a page for a person.
public struct StatusPage {
  private let answer: JSONValue
  private let earlier: JSONValue?
  private var page = ""

  /// The page of a daemon's `stats`. With earlier ones of the same daemon it tells rates; nil if this is no
  /// answer of a daemon.
  public static func text(of answer: JSONValue, earlier: JSONValue? = nil) -> String? {
    guard answer["figures"] != nil, answer["instance"]?.string != nil else { return nil }
    var page = StatusPage(answer: answer, earlier: earlier)
    page.write()
    return page.page
  }

  private init(answer: JSONValue, earlier: JSONValue?) {
    self.answer = answer
    self.earlier = earlier
  }

  private mutating func write() {
    writeHead()
    writeConnections()
    line(
      "rooms",
      "\(count("livecue_rooms")), \(count("livecue_groups_waiting")) groups wait, "
        + "\(count("livecue_groups_waiting_most")) of them in the fullest")
    line(
      "outbox",
      "\(count("livecue_outbox_messages")) messages, \(StatusPage.bytes(number("livecue_outbox_bytes")))"
        + (number("livecue_held_back") > 0 ? "; full: nothing is taken in" : ""))
    writeStore()
    writeTraffic()
    writeTotals()
    line("memory", StatusPage.bytes(number("process_resident_memory_bytes")))
    writeFaults()
  }

  private mutating func writeHead() {
    let isReady = answer["ready"] == .bool(true)
    let up = Double((answer["at"]?.integer ?? 0) - (answer["since"]?.integer ?? 0)) / 1000
    page += "livecue \(answer["version"]?.string ?? "?"), instance \(answer["instance"]?.string ?? "?"), "
    page += "up \(StatusPage.span(up)): \(isReady ? "ready" : "NOT READY")\n"
    for reason in answer["reasons"]?.array ?? [] { page += "  \(StatusPage.clean(reason.string ?? ""))\n" }
    page += "\n"
  }

  private mutating func writeConnections() {
    let names = [("in", "subscribed", "not subscribed"), ("out", "publishing", "not publishing")]
    let parts = names.map { name, yes, no in
      "\(name) \(number("livecue_connected", name) > 0 ? yes : no), "
        + "\(count("livecue_reconnects_total", name)) reconnects"
    }
    line("connections", parts.joined(separator: "; "))
    line(
      "",
      "\(count("livecue_sessions_lost_total")) sessions lost, "
        + "\(count("livecue_broker_dropped_messages_total")) messages dropped by the broker")
  }

  private mutating func writeStore() {
    guard figure("livecue_state_free_bytes") != nil else { return line("journal", "in memory only") }
    let commits = figure("livecue_commit_seconds")?["count"].flatMap(StatusPage.double) ?? 0
    let seconds = figure("livecue_commit_seconds")?["sum"].flatMap(StatusPage.double) ?? 0
    let mean = commits > 0 ? StatusPage.decimal(seconds / commits * 1000, 2) : "0"
    line(
      "journal",
      "\(count("livecue_journal_rows")) rows, \(StatusPage.bytes(number("livecue_journal_bytes"))); "
        + "a commit takes \(mean) ms, \(count("livecue_commit_faults_total")) failed; "
        + "\(StatusPage.bytes(number("livecue_state_free_bytes"))) free")
  }

  private mutating func writeTraffic() {
    guard let earlier, let before = earlier["at"]?.integer, let now = answer["at"]?.integer, now > before
    else {
      return
    }
    let seconds = Double(now - before) / 1000
    func rate(_ name: String) -> String {
      StatusPage.decimal((sum(name, of: answer) - sum(name, of: earlier)) / seconds, 1)
    }
    line(
      "rates",
      "\(rate("livecue_batches_total")) batches/s, \(rate("livecue_events_total")) events/s, "
        + "\(rate("livecue_commands_total")) commands/s, over \(StatusPage.decimal(seconds, 1)) s")
  }

  private mutating func writeTotals() {
    let kinds = ["gift", "comment", "like"].map { "\(count("livecue_events_total", $0)) \($0)s" }
    line("events", "\(count("livecue_batches_total")) batches: " + kinds.joined(separator: ", "))
    line(
      "gifts",
      "\(count("livecue_gifts_accepted_total")) accepted, \(count("livecue_gifts_shown_total")) shown, "
        + "\(count("livecue_gifts_folded_total")) folded, \(count("livecue_gifts_muted_total")) muted, "
        + "\(count("livecue_gifts_pending")) pending; \(count("livecue_gifts_tested_total")) of tests")
    line(
      "control",
      "\(count("livecue_controls_total", "done")) done, \(count("livecue_controls_total", "refused")) refused; "
        + "\(count("livecue_stage_plays_total")) plays on the stage")
    line("not counted", listed("livecue_duplicates_total", none: "no duplicates"))
    line("refused", listed("livecue_rejections_total", none: "nothing"))
  }

  private mutating func writeFaults() {
    let faults = answer["faults"]?.array ?? []
    line("faults", faults.isEmpty ? "none" : "the last one last")
    for fault in faults {
      let ago = Double((answer["at"]?.integer ?? 0) - (fault["last"]?.integer ?? 0)) / 1000
      page += "  \(fault["count"]?.integer ?? 0) times, last \(StatusPage.span(ago)) ago: "
      page += "\(fault["level"]?.string ?? "") \(StatusPage.clean(fault["line"]?.string ?? ""))\n"
    }
  }

  private mutating func line(_ name: String, _ text: String) {
    page += name + String(repeating: " ", count: max(1, 13 - name.count)) + text + "\n"
  }

  // MARK: Figures

  private func figure(_ name: String) -> JSONValue? { answer["figures"]?[name] }

  private func number(_ name: String, _ label: String? = nil) -> Double {
    let value = label.map { figure(name)?[$0] } ?? figure(name)
    return value.flatMap(StatusPage.double) ?? 0
  }

  private func count(_ name: String, _ label: String? = nil) -> String {
    StatusPage.decimal(number(name, label), 0)
  }

  /// A figure, or the sum of it over its labels.
  private func sum(_ name: String, of answer: JSONValue) -> Double {
    guard let value = answer["figures"]?[name] else { return 0 }
    guard case .object(let parts) = value else { return StatusPage.double(value) ?? 0 }
    return parts.values.reduce(0) { $0 + (StatusPage.double($1) ?? 0) }
  }

  /// What is not 0 of a figure with labels.
  private func listed(_ name: String, none: String) -> String {
    guard case .object(let parts)? = figure(name) else { return none }
    let found = parts.sorted { $0.key < $1.key }.filter { $0.value != .integer(0) }
    return found.isEmpty
      ? none : found.map { "\($0.key) \($0.value.integer ?? 0)" }.joined(separator: ", ")
  }

  private static func double(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  // MARK: Words

  /// A number with so many decimals.
  private static func decimal(_ value: Double, _ places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded()
    guard scaled.magnitude < 1e15 else { return value.description }
    let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(scale))
    let sign = scaled < 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let digits = String(rest)
    return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.count) + digits
  }

  private static func bytes(_ value: Double) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = value
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return "\(decimal(value, unit == 0 ? 0 : 1)) \(units[unit])"
  }

  private static func span(_ seconds: Double) -> String {
    switch max(0, seconds) {
    case ..<120: "\(decimal(max(0, seconds), 0)) s"
    case ..<7200: "\(decimal(seconds / 60, 0)) min"
    case ..<172_800: "\(decimal(seconds / 3600, 0)) h"
    default: "\(decimal(seconds / 86_400, 0)) days"
    }
  }

  /// What a terminal may be given: nothing that moves its cursor.
  private static func clean(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
  }
}
