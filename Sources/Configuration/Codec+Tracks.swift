/// One entry of `gift.tracks`, where it is a list.
struct TrackDraft: Draft {
  var minPriority = 0
}

extension Codec where Value == [Int] {
  /// `3`, or a list of `{minPriority: 0}`: the least priorities, one a track.
  static var tracks: Codec {
    let counts = Codec<Int>.count(1...64)
    let table = SettingTable<TrackDraft>([
      SettingRow("minPriority", \.minPriority, .count(0...9), "The least priority of a gift that may use it.")
    ])
    let lists = Codec<[TrackDraft]>.records(table, count: 1...64)
    let type = SettingType.either(counts.type, lists.type)
    return Codec(
      type: type,
      read: { node, path, report in
        switch node.value {
        case .list: lists.read(node, path, &report).map { $0.map(\.minPriority) }
        case .scalar where !node.isNothing:
          counts.read(node, path, &report).map { Array(repeating: 0, count: $0) }
        default: refuse(node, path, type, &report)
        }
      },
      print: { priorities in
        if priorities.allSatisfy({ $0 == 0 }) { return counts.print(priorities.count) }
        return lists.print(priorities.map { TrackDraft(minPriority: $0) })
      })
  }
}
