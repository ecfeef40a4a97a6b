import Base

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
