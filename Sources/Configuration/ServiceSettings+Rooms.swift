import Base

extension SettingRow where Root == ServiceDraft {
  /// `rooms`: each room starts from the settings of all rooms, so it is read when those are known.
  static var rooms: SettingRow {
    SettingRow(
      setting: Setting(
        path: "rooms", type: .rooms, defaultText: "{}", isRequired: false, isPerRoom: false,
        sentence: """
          Settings of single rooms, by name: any of the groups gift, gifts, comment, like, stage, snapshot, ledger and \
          limits, on top of the settings of all rooms. A preset given here replaces all gift settings given above.
          """),
      turn: .last, members: [],
      read: { node, path, root, report in
        // All lines of it may be commented out.
        if node.isNothing { return }
        guard case .mapping(let members) = node.value else {
          report.refuse(node.position, path, "found \(node.found), expected \(SettingType.rooms.expectation)")
          return
        }
        for member in members {
          let path = "\(path).\(pathComponent(member.key))"
          guard TextForm.room.accepts(member.key) else {
            report.refuse(
              member.keyPosition, path,
              "'\(displayed(member.key, limit: 40))' does not fit, expected \(TextForm.room.expectation)")
            continue
          }
          var draft = root.room
          RoomSettings.table.read(member.value, at: path, into: &draft, &report) { inner in
            ServiceSettings.table.knows(inner) ? "it cannot differ by room, expected it at top level" : nil
          }
          root.rooms.append(NamedRoomDraft(name: member.key, draft: draft))
        }
      },
      print: { _ in .inline("{}") }, copy: { $1.rooms = $0.rooms })
  }

  /// `profiles`: files, or the profiles themselves.
  static var profiles: SettingRow {
    SettingRow(
      setting: Setting(
        path: "profiles", type: .profiles, defaultText: "[]", isRequired: false, isPerRoom: false,
        sentence: """
          Files that say how foreign payloads map to events, relative to this file. The profile 'native', \
          the format of the documentation, is built in.
          """),
      turn: .middle, members: [],
      read: { node, path, root, report in
        let type = SettingType.profiles
        let profiles = readList(node, path, type, 0...64, &report) { item, path, report -> Profile? in
          switch item.value {
          case .mapping: return Profile.read(item, at: path, &report)
          case .scalar(let name, _) where !item.isNothing && !name.isEmpty:
            return Profile.read(file: resolve(name, besides: item.position.file), from: item, path, &report)
          default:
            report.refuse(item.position, path, "found \(item.found), expected a file name")
            return nil
          }
        }
        root.profiles = profiles ?? []
        var names = [Profile.native.name]
        for profile in root.profiles {
          if names.contains(profile.name) {
            let origin = profile.name == Profile.native.name ? "built in" : "given twice"
            report.refuse(
              node.position, path, "the profile '\(profile.name)' is \(origin), expected different names")
          }
          names.append(profile.name)
        }
      },
      print: { .items($0.profiles.map(\.flowText)) }, copy: { $1.profiles = $0.profiles })
  }
}
