import Base
import Wire

// Anyone may publish anything where we subscribe. What is read here is of a size and in a range with which a
// renderer can calculate without an overflow.
extension JSONValue {
  /// Far beyond every count and every instant that a daemon says.
  private static let largest: Int64 = 1 << 53
  /// Characters of a text that are kept.
  private static let longest = 2048

  /// A member as a count or an instant; 0 if it is none, at most 2^53.
  func number(_ name: String) -> Int64 { optionalNumber(name) ?? 0 }

  /// A member as a count or an instant; nil if it is none.
  func optionalNumber(_ name: String) -> Int64? {
    self[name]?.integer.map { Swift.min(Swift.max($0, 0), JSONValue.largest) }
  }

  /// A member as a text; empty if it is none, at most 2048 characters.
  func text(_ name: String) -> String {
    self[name]?.string.map { String($0.prefix(JSONValue.longest)) } ?? ""
  }

  /// The name of a person or a gift in a member; nil if there is none.
  func name(_ member: String) -> String? {
    guard let party = self[member], party["id"]?.string != nil else { return nil }
    let name = party.text("name")
    return name.isEmpty ? party.text("id") : name
  }

  /// True if a member says so.
  func flag(_ name: String) -> Bool { self[name] == .bool(true) }
}
