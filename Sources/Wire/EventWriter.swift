public import Base

extension EventBatch {
  /// Appends an event in the native format, with the fields of profiles that it has not. For people and
  /// tests; it allocates.
  public func append(_ event: Event, to output: inout [UInt8]) {
    var members: [(name: String, value: [UInt8])] = [("type", text("\(event.kind.name)".utf8))]
    add("id", event.id, &members)
    add("time", event.time, &members)
    if !event.sender.id.isAbsent { members.append(("sender", party(event.sender))) }
    if !event.gift.id.isAbsent { members.append(("gift", gift(event.gift))) }
    if !event.receiver.id.isAbsent { members.append(("receiver", party(event.receiver))) }
    add("count", event.count.map(Int64.init), &members)
    add("total", event.total.map(Int64.init), &members)
    if !event.merges { members.append(("combo", Array("false".utf8))) }
    add("streak", event.streak, &members)
    if event.endsStreak { members.append(("end", Array("true".utf8))) }
    switch event.streakRole {
    case .own: break
    case .raises: members.append(("raises", Array("true".utf8)))
    case .corrects: members.append(("corrects", Array("true".utf8)))
    }
    add("text", event.text, &members)
    add("style", event.style, &members)
    if !event.removedIDs.isEmpty {
      let ids = event.removedIDs.map { text(bytes[removedIDs[Int($0)].range]) }
      members.append(("ids", Array("[".utf8) + ids.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)))
    }
    output += object(members)
  }

  private func party(_ party: Party) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = []
    add("id", party.id, &members)
    add("name", party.name, &members)
    add("level", party.level, &members)
    add("avatar", party.avatar, &members)
    return object(members)
  }

  private func gift(_ gift: Gift) -> [UInt8] {
    var members: [(name: String, value: [UInt8])] = []
    add("id", gift.id, &members)
    add("name", gift.name, &members)
    add("icon", gift.icon, &members)
    add("price", gift.price, &members)
    return object(members)
  }

  private func add(_ name: String, _ slice: TextSlice, _ members: inout [(name: String, value: [UInt8])]) {
    if !slice.isAbsent { members.append((name, text(bytes[slice.range]))) }
  }

  private func add(_ name: String, _ value: Int64?, _ members: inout [(name: String, value: [UInt8])]) {
    if let value { members.append((name, Array(String(value).utf8))) }
  }

  private func text(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    JSONWriter.append(string: Array(bytes).span, to: &result)
    return result
  }

  private func object(_ members: [(name: String, value: [UInt8])]) -> [UInt8] {
    var result = Array("{".utf8)
    for (position, member) in members.enumerated() {
      JSONWriter.append(literal: position == 0 ? "\"\(member.name)\":" : ",\"\(member.name)\":", to: &result)
      result += member.value
    }
    result.append(UInt8(ascii: "}"))
    return result
  }
}
