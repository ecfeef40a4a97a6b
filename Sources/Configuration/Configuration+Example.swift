extension Configuration {
  /// A configuration file with every setting at its default and with what it does: `config/livecue.yaml`.
  public static var annotatedDefaults: String {
    var text = commented(
      """
      LiveCue's configuration. Every setting is here with its default: a file needs only the lines that \
      differ, and an empty file is a good one. Mistakes are reported all at once, with line and column. \
      What is marked "per room" may also be given for single rooms, under 'rooms' at the end.
      """, indent: "")
    var open: [Substring] = []
    for row in ServiceSettings.table.rows {
      let groups = Array(row.setting.path.split(separator: ".").dropLast())
      text += "\n"
      for depth in groups.indices where !open.starts(with: groups[...depth]) {
        let indent = String(repeating: "  ", count: depth)
        if let heading = headings[groups[...depth].joined(separator: ".")] {
          text += commented(heading, indent: indent)
        }
        text += "\(indent)\(groups[depth]):\n"
      }
      open = groups
      text += lines(of: row, indent: String(repeating: "  ", count: groups.count))
    }
    return text
  }

  private static let headings = [
    "broker": "The MQTT broker that delivers the batches and takes the commands.",
    "broker.tls": "How the connection to the broker is encrypted.",
    "topics": "Where the commands go.",
    "gift": "Gift banners: how they run, queue and fold.",
    "comment": "The comment list.",
    "like": "The shower of hearts.",
    "ledger": "What `livecue ledger` shows of the gifts.",
    "stage": "Big gifts that also play full-screen, one at a time (gift.rules, asset).",
    "snapshot": "A room's visible state, retained, for renderers that join late.",
    "limits": "What is bounded. Larger limits cost memory; no limit can be switched off.",
    "log": "Messages for the operator, on standard error.",
    "overlay": "The page and the streams of `livecue overlay`, a process of its own.",
    "metrics": "Figures for the operator. No figure grows in number with users or rooms.",
  ]

  /// What one would write, where the default is an empty list or mapping.
  private static let examples = [
    "profiles": ["- profiles/douyin-capture.yaml"],
    "gift.tracks": ["- {minPriority: 0}", "- {minPriority: 0}", "- {minPriority: 5}"],
    "gift.rules": [
      "- {priority: 9, gifts: [\"rocket\", \"castle\"], asset: castle.webm, durationMs: 8000}",
      "- {priority: 7, minValue: 10000}",
      "- {priority: 5, minLevel: 40, senders: [\"u1\", \"u2\"]}",
    ],
    "rooms": ["lobby:", "  gift: {tracks: 5, holdMs: 5000}", "  comment: {maxItems: 200}"],
    "allowRooms": ["- lobby"],
  ]

  private static func lines(of row: SettingRow<ServiceDraft>, indent: String) -> String {
    let setting = row.setting
    var text = commented(setting.sentence, indent: indent)
    text += commented(
      capitalized(setting.type.expectation) + (setting.isPerRoom ? "; per room." : ".")
        + (setting.isLive ? "" : " Taken over at a start only."), indent: indent)
    for member in row.members {
      let fallback = member.defaultText.map { " Default: \($0)." } ?? ""
      let rule = member.isRequired ? " Required." : fallback
      text += commented(
        "\(member.key): \(member.sentence) \(capitalized(member.type.expectation)).\(rule)",
        indent: indent, first: "  ", next: "    ")
    }
    if let example = examples[setting.path] {
      text += "\(indent)# Example:\n"
      for line in example { text += "\(indent)#   \(line)\n" }
    }
    switch row.print(ServiceDraft()) {
    case .items(let items) where !row.members.isEmpty && !items.isEmpty:
      text += "\(indent)\(setting.key):\n"
      for item in items { text += "\(indent)  - \(item)\n" }
    case let printed:
      text += "\(indent)\(setting.key): \(printed?.flow ?? "")\n"
    }
    return text
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// A text as comment lines of at most 110 columns.
  private static func commented(
    _ text: String, indent: String, first: String = "", next: String = ""
  ) -> String {
    var result = ""
    var line = "\(indent)# \(first)"
    var isFresh = true
    for word in text.split(separator: " ") {
      if !isFresh && line.count + 1 + word.count > 110 {
        result += line + "\n"
        line = "\(indent)# \(next)"
        isFresh = true
      }
      line += (isFresh ? "" : " ") + word
      isFresh = false
    }
    return result + line + "\n"
  }
}
