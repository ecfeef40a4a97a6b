import Base

/// How much a gift matters, and what it plays full-screen.
struct GiftStanding {
  /// 0 … 9.
  var priority: Int
  /// Empty: nothing.
  var asset: [UInt8]
  /// How long that plays at most.
  var durationMilliseconds: Int64
}

extension RoomPlan {
  /// What the first rule that matches a gift of `count` and the gift's entry in the catalogue say together:
  /// the higher priority, so that neither makes a gift matter less than the other says; the rule's asset, or
  /// else the entry's.
  func standing(of event: Event, count: Int, in bytes: [UInt8]) -> GiftStanding {
    let rule = gift.rule(of: event, count: count, in: bytes)
    var standing = GiftStanding(priority: 0, asset: [], durationMilliseconds: 0)
    if let rule {
      standing.priority = gift.rules[rule].priority
      standing.asset = gift.rules[rule].asset
      standing.durationMilliseconds = gift.rules[rule].durationMilliseconds
    }
    guard catalogue.entries.indices.contains(Int(event.catalogueEntry)) else { return standing }
    let entry = catalogue.entries[Int(event.catalogueEntry)]
    standing.priority = max(standing.priority, entry.priority ?? 0)
    if standing.asset.isEmpty {
      standing.asset = entry.asset
      standing.durationMilliseconds = entry.durationMilliseconds
    }
    return standing
  }
}

extension GiftPlan {
  /// The place of the first rule that matches a gift of `count`; nil if none does.
  func rule(of event: Event, count: Int, in bytes: [UInt8]) -> Int? {
    guard !rules.isEmpty else { return nil }
    let value = event.gift.value(of: count)
    return rules.firstIndex { $0.matches(event, value: value, in: bytes) }
  }

  /// The priority that the first matching rule gives a gift of `count`; 0 if none matches.
  func priority(of event: Event, count: Int, in bytes: [UInt8]) -> Int {
    rule(of: event, count: count, in: bytes).map { rules[$0].priority } ?? 0
  }
}

extension Gift {
  /// price × count; saturates.
  func value(of count: Int) -> Int64 {
    let (value, overflow) = (price ?? 0).multipliedReportingOverflow(by: Int64(count))
    return overflow ? Int64.max : value
  }
}

extension PriorityRule {
  fileprivate func matches(_ event: Event, value: Int64, in bytes: [UInt8]) -> Bool {
    if let minLevel, (event.sender.level ?? Int64.min) < minLevel { return false }
    if let minValue, value < minValue { return false }
    if !senders.isEmpty, !senders.contains(where: { bytes[event.sender.id.range].elementsEqual($0) }) {
      return false
    }
    if !gifts.isEmpty, !gifts.contains(where: { bytes[event.gift.id.range].elementsEqual($0) }) {
      return false
    }
    return true
  }
}
