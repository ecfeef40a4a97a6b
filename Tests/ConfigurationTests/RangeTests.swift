import Base
import Testing

@testable import Configuration

/// Every number of the tables at its limits, and one beyond.
@Suite struct RangeTests {
  @Test(arguments: Configuration.settings)
  func aNumberIsTakenWithinItsRangeOnly(_ setting: Setting) throws {
    switch setting.type {
    case .integer(let range, _):
      for value in [range.lowerBound, range.lowerBound + 1, range.upperBound - 1, range.upperBound] {
        #expect(refusals(setting, "\(value)").isEmpty, "\(setting.path): \(value)")
      }
      for value in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "99999999999999999999999"] {
        let lines = refusals(setting, value)
        #expect(
          lines.first?.hasSuffix("'\(value)' is out of range, expected \(setting.type.expectation)") == true,
          "\(lines)")
      }
    case .thousandths:
      for value in ["0", "0.0", "0.001", "0.5", "0.999", "1", "1.0", "1.000"] {
        #expect(refusals(setting, value).isEmpty)
      }
      for value in ["-0.001", "1.001", "2", "99999999999999999999999.0"] {
        #expect(refusals(setting, value).first?.contains("is out of range") == true, "\(value)")
      }
    case .boolean, .choice, .text, .list, .records, .either, .rooms, .profiles, .memberPath, .kindWords,
      .fields, .conditions, .rules:
      break
    }
  }

  @Test func tracksAreOneTo64() throws {
    for count in [1, 2, 63, 64] {
      let plan = try configuration("gift: {tracks: \(count)}").defaultPlan
      #expect(plan.gift.trackMinPriorities == Array(repeating: 0, count: count))
    }
    #expect(mistakes("gift: {tracks: 0}").count == 1)
    #expect(mistakes("gift: {tracks: 65}").count == 1)
    let sixtyFour = String(repeating: "{minPriority: 9}, ", count: 64)
    #expect(
      try configuration("gift: {tracks: [\(sixtyFour)]}").defaultPlan.gift.trackMinPriorities.count == 64)
    #expect(mistakes("gift: {tracks: [\(sixtyFour) {minPriority: 1}]}").count == 1)
  }

  @Test(arguments: [("room", 128), ("id", 256), ("name", 64)])
  func aNameIsTakenUpToItsLength(_ kind: String, _ limit: Int) {
    for (count, isGood) in [(1, true), (limit - 1, true), (limit, true), (limit + 1, false)] {
      let name = String(repeating: "n", count: count)
      let text =
        switch kind {
        case "room": "allowRooms: [\(name)]"
        case "id": "gift: {rules: [{priority: 1, senders: [\(name)]}]}"
        default: "instance: \(name)"
        }
      #expect(mistakes(text).isEmpty == isGood, "\(kind) \(count)")
    }
    #expect(mistakes("allowRooms: [\"\"]").count == 1)
  }

  @Test func aHostOfPicturesIsOneThatABrowserTakes() {
    for good in [
      "*", "cdn.example", "*.cdn.example", "cdn.example:8443", "*.cdn.example:80", "10.0.0.5:8080", "nas",
    ] {
      #expect(mistakes("overlay: {pictureHosts: ['\(good)']}").isEmpty, "\(good)")
    }
    for bad in [
      "", "https://cdn.example", "cdn.example/a", "cdn.*.example", "*cdn", "*.", "cdn..example", "a b",
      "a; b", "a'b",
      "cdn.example:", "cdn.example:99999", "cdn.example:080", "cdn:1:2", "*:80",
    ] {
      #expect(mistakes("overlay: {pictureHosts: [\"\(bad)\"]}").count == 1, "\(bad)")
    }
  }

  @Test func aRoomIsMeasuredInBytes() {
    #expect(mistakes("allowRooms: [\(String(repeating: "é", count: 64))]").isEmpty)
    #expect(mistakes("allowRooms: [\(String(repeating: "é", count: 64))a]").count == 1)
  }

  /// What is refused if one setting is given, beside others that agree with it.
  private func refusals(_ setting: Setting, _ value: String) -> [String] {
    let text: String
    switch setting.path {
    case "gift.rules[].priority": text = "gift: {rules: [{priority: \(value)}]}"
    case let path where path.hasPrefix("gift.rules[]."):
      text = "gift: {rules: [{priority: 1, \(setting.key): \(value)}]}"
    case let path where path.hasPrefix("gifts[]."):
      text = "gifts: [{gift: g, \(setting.key): \(value)}]"
    case "gift.holdBusyMs": text = "gift: {holdMs: 600000, holdBusyMs: \(value)}"
    case "broker.reconnectMinMs": text = "broker: {reconnectMaxMs: 3600000, reconnectMinMs: \(value)}"
    case "broker.reconnectMaxMs": text = "broker: {reconnectMinMs: 10, reconnectMaxMs: \(value)}"
    case let path:
      let words = path.split(separator: ".")
      text = words.count == 2 ? "\(words[0]): {\(words[1]): \(value)}" : "\(path): \(value)"
    }
    return mistakes(text)
  }
}
