import Base

extension ServiceDraft {
  /// A room whose settings differ from those of all rooms, and how.
  struct RoomText {
    var name: [UInt8]
    var draft: RoomDraft
    /// What differs, as YAML on one line.
    var text: String
  }

  /// The rooms with settings of their own, in the order of their names' bytes.
  func roomTexts() -> [RoomText] {
    rooms.compactMap { room in
      let text = differences(of: room.draft)
      return text == "{}" ? nil : RoomText(name: Array(room.name.utf8), draft: room.draft, text: text)
    }
    .sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  /// Every setting as YAML on one line; for rooms only what differs.
  func canonicalText(rooms: [RoomText]) -> String {
    var draft = self
    draft.clientIDTemplate = clientID
    draft.allowedRooms.sort { $0.lexicographicallyPrecedes($1) }
    let roomsText = rooms.map { "\(yamlText(String(decoding: $0.name, as: UTF8.self))): \($0.text)" }
    return flowMapping(
      ServiceSettings.table.rows.compactMap { row in
        let path = row.setting.path
        if path == "rooms" { return (path, "{" + roomsText.joined(separator: ", ") + "}") }
        return row.print(draft).map { (path, $0.flow) }
      })
  }

  private func differences(of own: RoomDraft) -> String {
    // Another preset replaces all gift settings, so what differs is counted from that.
    var base = room
    if own.preset != base.preset { base.preset = own.preset }
    var values: [(path: String, text: String)] = []
    for row in RoomSettings.table.rows {
      let path = row.setting.path
      guard let text = row.print(own)?.flow else { continue }
      let isOther = path == "gift.preset" ? own.preset != room.preset : text != row.print(base)?.flow
      // This one follows others unless it is given.
      if isOther || (path == "gift.holdBusyMs" && !values.isEmpty) { values.append((path, text)) }
    }
    return flowMapping(values)
  }
}
