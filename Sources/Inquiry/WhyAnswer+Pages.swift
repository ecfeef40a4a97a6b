import Base
import Wire

extension WhyAnswer {
  /// The answer for people: the events, their groups with all commands, the ledger, and how far back the
  /// journal goes.
  public var page: String {
    var page = ""
    for event in events {
      page += "row \(event.row)  \(Day.text(of: event.at))  \(visible(event.topic))"
      page += "\(what(event.identity)): \(words(event.fate))\n"
      if case .taken(let commands) = event.fate { page += lines(commands) }
    }
    for group in groups {
      page += "\ngroup \(group.number) (epoch \(group.epoch)): \(party(group.key))"
      if let rest = group.restOf { page += ", the rest of group \(rest), which was cut" }
      page += "\n" + lines(group.commands)
      if !group.isOver {
        page += group.folded > 0 ? "  \(group.folded) folded; the fold is not out yet\n" : "  and goes on\n"
      }
    }
    if let ledger, !ledger.entries.isEmpty { page += "\n\(ledger.table)\(ledger.reachSentence)\n" }
    if events.isEmpty { page += "nothing of \(visible(question.sought)) in room \(visible(question.room))\n" }
    return page + (events.isEmpty ? "" : "\n") + reachSentence + "\n"
  }

  /// How far back the journal goes, in a sentence.
  public var reachSentence: String {
    guard lastRow > 0 else { return "the journal is empty: no daemon has run on this store" }
    guard let firstInstant else {
      return "the journal is cut up to its last row \(lastRow): nothing of before is known"
    }
    var sentence =
      "the journal reaches from row \(firstRow) (\(Day.text(of: firstInstant))) to row \(lastRow)"
    if firstRow > 1 { sentence += "; what came before has been cut and cannot be told" }
    if startRow > 0 { sentence += "; what was published before row \(startRow + 1) is not told" }
    return sentence
  }

  private func what(_ identity: ElementIdentity?) -> String {
    guard let identity else { return ": a payload that holds the text" }
    var text = "[\(identity.index)]: \(identity.kind?.name ?? "event")"
    if !identity.gift.isEmpty { text += " \(visible(identity.gift))" }
    if !identity.sender.isEmpty { text += " of \(visible(identity.sender))" }
    if !identity.receiver.isEmpty { text += " for \(visible(identity.receiver))" }
    if !identity.id.isEmpty { text += ", id \(visible(identity.id))" }
    return text
  }

  private func words(_ fate: Fate) -> String {
    switch fate {
    case .accepted(let count, let group): "accepted, \(count) added to group \(groups[group].number)"
    case .taken: "taken"
    case .muted: "its sender was muted: counted, and not shown"
    case .duplicate: "duplicate: its id was taken before"
    case .repeated: "adds nothing: a repeat or closing frame of a running total, or out of order"
    case .rejected(let reason, let detail): "rejected, \(reason): \(detail)"
    case .beforeStart:
      "handled before the saved state, from which the journal is replayed: its fate cannot be told"
    case .unhandled: "not handled"
    }
  }

  private func lines(_ commands: [WhyCommand]) -> String {
    commands.map { command in
      "  \(command.track) seq \(command.sequence)  \(Day.text(of: command.at))  \(command.operation)  \(command.detail)\n"
    }.joined()
  }

  private func party(_ key: [[UInt8]]) -> String {
    guard key.count == 3 else { return "not known" }
    return "\(visible(key[1])) of \(visible(key[0]))" + (key[2].isEmpty ? "" : " for \(visible(key[2]))")
  }

  private func visible(_ text: String) -> String { PageTable.visible(text) }

  private func visible(_ text: [UInt8]) -> String { PageTable.visible(String(decoding: text, as: UTF8.self)) }
}

extension WhyAnswer {
  /// The answer as one JSON document:
  /// `{"room","sought","firstRow","startRow","lastRow","events":[…],"groups":[…], "ledger":{…}|null}`.
  public var json: [UInt8] {
    var page: [UInt8] = []
    func literal(_ text: String) { JSONWriter.append(literal: text, to: &page) }
    func string(_ text: [UInt8]) { JSONWriter.append(string: text.span, to: &page) }
    func string(_ text: String) { string(Array(text.utf8)) }
    func list<Element>(_ elements: [Element], _ write: (Element) -> Void) {
      literal("[")
      for (place, element) in elements.enumerated() {
        if place > 0 { literal(",") }
        write(element)
      }
      literal("]")
    }
    func command(_ command: WhyCommand) {
      literal("{\"track\":")
      string(command.track)
      literal(",\"epoch\":\(command.epoch),\"seq\":\(command.sequence),\"at\":\(command.at),\"op\":")
      string(command.operation)
      literal(",\"detail\":")
      string(command.detail)
      literal("}")
    }
    func fate(_ fate: Fate) {
      switch fate {
      case .accepted(let count, let group):
        literal(",\"fate\":\"accepted\",\"count\":\(count),\"group\":\(groups[group].number)")
        literal(",\"epoch\":\(groups[group].epoch)")
      case .taken(let commands):
        literal(",\"fate\":\"taken\",\"commands\":")
        list(commands, command)
      case .muted: literal(",\"fate\":\"muted\"")
      case .duplicate: literal(",\"fate\":\"duplicate\"")
      case .repeated: literal(",\"fate\":\"repeated\"")
      case .rejected(let reason, let detail):
        literal(",\"fate\":\"rejected\",\"reason\":")
        string(reason)
        literal(",\"detail\":")
        string(detail)
      case .beforeStart: literal(",\"fate\":\"before-start\"")
      case .unhandled: literal(",\"fate\":\"unhandled\"")
      }
    }
    literal("{\"room\":")
    string(question.room)
    literal(",\"sought\":")
    string(question.sought)
    literal(",\"firstRow\":\(firstRow),\"startRow\":\(startRow),\"lastRow\":\(lastRow),\"events\":")
    list(events) { event in
      literal("\n{\"row\":\(event.row),\"at\":\(event.at),\"topic\":")
      string(event.topic)
      if let identity = event.identity {
        literal(",\"index\":\(identity.index)")
        let members = [
          ("type", identity.kind.map { Array($0.name.utf8) } ?? []), ("id", identity.id),
          ("sender", identity.sender), ("gift", identity.gift), ("receiver", identity.receiver),
        ]
        for (name, text) in members where !text.isEmpty {
          literal(",\"\(name)\":")
          string(text)
        }
      }
      fate(event.fate)
      literal("}")
    }
    literal(",\"groups\":")
    list(groups) { group in
      literal("\n{\"group\":\(group.number),\"epoch\":\(group.epoch)")
      for (name, text) in zip(["sender", "gift", "receiver"], group.key) where !text.isEmpty {
        literal(",\"\(name)\":")
        string(text)
      }
      if let rest = group.restOf { literal(",\"restOf\":\(rest)") }
      literal(",\"folded\":\(group.folded),\"isOver\":\(group.isOver),\"commands\":")
      list(group.commands, command)
      literal("}")
    }
    literal(",\"ledger\":")
    if let ledger {
      page += ledger.json.dropLast()
    } else {
      literal("null")
    }
    literal("}\n")
    return page
  }
}
