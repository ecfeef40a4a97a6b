import Base

extension Codec where Value == [CatalogueEntry] {
  /// Entries of gifts, each gift once.
  static func catalogue(_ table: SettingTable<CatalogueEntry>) -> Codec {
    let records = Codec.records(table, count: 0...10_000)
    return Codec(
      type: records.type,
      read: { node, path, report in
        let countBefore = report.count
        guard let entries = records.read(node, path, &report), report.count == countBefore,
          case .list(let items) = node.value
        else { return nil }
        var places: [[UInt8]: Int] = [:]
        for (place, entry) in entries.enumerated() {
          guard let first = places.updateValue(place, forKey: entry.gift) else { continue }
          let gift = displayed(String(decoding: entry.gift, as: UTF8.self), limit: 64)
          report.refuse(
            items[place].position, "\(path)[\(place)].gift",
            "'\(gift)' is in [\(first)] too, expected each gift once")
        }
        return entries
      }, print: records.print)
  }
}
