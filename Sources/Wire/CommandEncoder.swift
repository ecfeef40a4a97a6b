public import Base

/// Writes commands as messages: the members of the design's tables, in their order.
public struct CommandEncoder: Sendable {
  private let layout: TopicLayout

  /// An encoder for a layout of topics.
  public init(layout: TopicLayout) {
    self.layout = layout
  }

  /// Adds the message of one command of a buffer.
  public func encode(
    _ command: Command, of buffer: borrowing CommandBuffer, into outgoing: inout OutgoingMessages
  ) {
    let texts = buffer.bytes
    outgoing.append(at: command.at) { output in
      layout.append(command.track, room: command.room.range, of: texts, to: &output)
    } payload: { output in
      Self.write(command, texts, &output)
      Self.write(command.operation, texts, buffer.foldItems, buffer.commentItems, &output)
      output.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ command: Command, _ texts: [UInt8], _ output: inout [UInt8]) {
    literal(#"{"v":1,"room":"#, &output)
    text(command.room, texts, &output)
    literal(#","track":""#, &output)
    TopicLayout.append(command.track, to: &output)
    literal(#"","epoch":"#, &output)
    number(command.epoch, &output)
    literal(#","seq":"#, &output)
    number(command.sequence, &output)
    literal(#","at":"#, &output)
    number(command.at, &output)
  }

  private static func write(
    _ operation: Operation, _ texts: [UInt8], _ foldItems: [FoldItem], _ commentItems: [CommentItem],
    _ output: inout [UInt8]
  ) {
    switch operation {
    case .show: writeShow(operation, texts, &output)
    case .count(let group, let from, let to, let duration, let until):
      literal(#","op":"count","group":"#, &output)
      number(group, &output)
      literal(#","from":"#, &output)
      number(from, &output)
      literal(#","to":"#, &output)
      number(to, &output)
      write(duration: duration, until: until, &output)
    case .hold(let group, let count, let until):
      literal(#","op":"hold","group":"#, &output)
      number(group, &output)
      literal(#","count":"#, &output)
      number(count, &output)
      literal(#","until":"#, &output)
      number(until, &output)
    case .hide(let group, let count, let reason, let duration):
      literal(#","op":"hide","group":"#, &output)
      number(group, &output)
      literal(#","count":"#, &output)
      number(count, &output)
      literal(#","reason":""#, &output)
      literal(reason.rawValue, &output)
      literal(#"","durationMs":"#, &output)
      number(duration, &output)
    case .fold(let groups, let gifts, let senders, let items):
      write(groups: groups, gifts: gifts, senders: senders, foldItems[items], texts, &output)
    case .append(let items, let evicted, let skipped):
      write(commentItems[items], evicted: evicted, skipped: skipped, texts, &output)
    case .burst(let count, let total, let particles, let until):
      literal(#","op":"burst","count":"#, &output)
      number(count, &output)
      literal(#","total":"#, &output)
      number(total, &output)
      literal(#","particles":"#, &output)
      number(particles, &output)
      literal(#","until":"#, &output)
      number(until, &output)
    case .stop(let total):
      literal(#","op":"stop","total":"#, &output)
      number(total, &output)
    }
  }

  private static func writeShow(_ operation: Operation, _ texts: [UInt8], _ output: inout [UInt8]) {
    guard
      case .show(
        let group, let sender, let gift, let receiver, let combo, let base, let priority, let duration,
        let until) = operation
    else { return }
    literal(#","op":"show","group":"#, &output)
    number(group, &output)
    literal(",", &output)
    write(sender: sender, gift: gift, receiver: receiver, texts, &output)
    literal(combo ? #","combo":true,"base":"# : #","combo":false,"base":"#, &output)
    number(base, &output)
    literal(#","priority":"#, &output)
    number(priority, &output)
    write(duration: duration, until: until, &output)
  }

  private static func write(duration: Int64, until: Instant, _ output: inout [UInt8]) {
    literal(#","durationMs":"#, &output)
    number(duration, &output)
    literal(#","until":"#, &output)
    number(until, &output)
  }

  private static func write(
    groups: Int, gifts: Int, senders: Int, _ items: ArraySlice<FoldItem>, _ texts: [UInt8],
    _ output: inout [UInt8]
  ) {
    literal(#","op":"fold","groups":"#, &output)
    number(groups, &output)
    literal(#","gifts":"#, &output)
    number(gifts, &output)
    literal(#","senders":"#, &output)
    number(senders, &output)
    literal(#","items":["#, &output)
    for index in items.indices {
      literal(index == items.startIndex ? "{" : ",{", &output)
      let item = items[index]
      write(sender: item.sender, gift: item.gift, receiver: item.receiver, texts, &output)
      literal(#","count":"#, &output)
      number(item.count, &output)
      literal("}", &output)
    }
    literal("]", &output)
  }

  private static func write(
    _ items: ArraySlice<CommentItem>, evicted: Int, skipped: Int, _ texts: [UInt8], _ output: inout [UInt8]
  ) {
    literal(#","op":"append","items":["#, &output)
    for index in items.indices {
      literal(index == items.startIndex ? #"{"id":"# : #",{"id":"#, &output)
      let item = items[index]
      text(item.id, texts, &output)
      literal(#","sender":"#, &output)
      write(item.sender, texts, &output)
      literal(#","color":"#, &output)
      text(item.color, texts, &output)
      literal(#","text":"#, &output)
      text(item.text, texts, &output)
      literal("}", &output)
    }
    literal(#"],"evicted":"#, &output)
    number(evicted, &output)
    literal(#","skipped":"#, &output)
    number(skipped, &output)
  }
}

// MARK: - The parts of a group

extension CommandEncoder {
  private static func write(
    sender: Party, gift: Gift, receiver: Party, _ texts: [UInt8], _ output: inout [UInt8]
  ) {
    literal(#""sender":"#, &output)
    write(sender, texts, &output)
    literal(#","gift":"#, &output)
    write(gift, texts, &output)
    if !receiver.id.isAbsent {
      literal(#","receiver":"#, &output)
      write(receiver, texts, &output)
    }
  }

  private static func write(_ party: Party, _ texts: [UInt8], _ output: inout [UInt8]) {
    literal(#"{"id":"#, &output)
    text(party.id, texts, &output)
    literal(#","name":"#, &output)
    text(party.name, texts, &output)
    if let level = party.level {
      literal(#","level":"#, &output)
      number(level, &output)
    }
    if !party.avatar.isAbsent {
      literal(#","avatar":"#, &output)
      text(party.avatar, texts, &output)
    }
    literal("}", &output)
  }

  private static func write(_ gift: Gift, _ texts: [UInt8], _ output: inout [UInt8]) {
    literal(#"{"id":"#, &output)
    text(gift.id, texts, &output)
    literal(#","name":"#, &output)
    text(gift.name, texts, &output)
    if !gift.icon.isAbsent {
      literal(#","icon":"#, &output)
      text(gift.icon, texts, &output)
    }
    if let price = gift.price {
      literal(#","price":"#, &output)
      number(price, &output)
    }
    literal("}", &output)
  }

  @inline(__always)
  private static func literal(_ text: String, _ output: inout [UInt8]) {
    JSONWriter.append(literal: text, to: &output)
  }

  @inline(__always)
  private static func number(_ value: Int, _ output: inout [UInt8]) { JSONWriter.append(value, to: &output) }

  @inline(__always)
  private static func number(_ value: Int64, _ output: inout [UInt8]) {
    JSONWriter.append(value, to: &output)
  }

  @inline(__always)
  private static func text(_ slice: TextSlice, _ texts: [UInt8], _ output: inout [UInt8]) {
    JSONWriter.append(string: texts, slice.range, to: &output)
  }
}
