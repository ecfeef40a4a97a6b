public import Base

/// Writes commands as messages: the members of the design's tables, in their order.
public struct CommandEncoder: Sendable {
  /// The most bytes of all literals and numbers of a command, or of an item of its list. A `show` has most.
  static let fixedBytes = 576

  let layout: TopicLayout

  /// An encoder for a layout of topics.
  public init(layout: TopicLayout) {
    self.layout = layout
  }

  /// Adds the message of one command of a buffer.
  public func encode(
    _ command: Command, of buffer: borrowing CommandBuffer, into outgoing: inout OutgoingMessages
  ) {
    let texts = buffer.bytes
    let position = OutputPosition(epoch: command.epoch, sequence: command.sequence)
    outgoing.append(at: command.at, position: position) { output in
      layout.append(command.track, room: command.room.range, of: texts, to: &output)
    } payload: { output in
      let limit = Self.fixedBytes + Self.stringBytes(of: command)
      output.append(atMost: limit) { space, end in
        Self.put(command, texts.span, &space, &end)
      }
      switch command.operation {
      case .fold(_, _, _, let items): Self.append(buffer.foldItems, items, texts, to: &output)
      case .append(let items, let evicted, let skipped):
        Self.append(buffer.commentItems, items, texts, to: &output)
        output.append(atMost: Self.fixedBytes) { space, end in
          CommandWords.put(CommandWords.evicted, evicted, &space, &end)
          CommandWords.put(CommandWords.skipped, skipped, &space, &end)
        }
      case .remove(let ids): Self.append(buffer.commentIDs[ids], texts, to: &output)
      default: break
      }
      if command.isTest {
        output.append(atMost: Self.fixedBytes) { space, end in JSONBlock.put(CommandWords.test, &space, &end)
        }
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// The most bytes that the texts of a command, but not those of its items, become as strings of JSON.
  private static func stringBytes(of command: Command) -> Int {
    let room = JSONBlock.stringBytes(Int(command.room.count))
    switch command.operation {
    case .show(_, let sender, let gift, let receiver, _, _, _, _, _):
      return room + sender.stringBytes + gift.stringBytes + receiver.stringBytes
    case .play(_, let sender, let gift, let receiver, _, let text, _, _),
      .click(_, let sender, let gift, let receiver, _, let text):
      return room + sender.stringBytes + gift.stringBytes + receiver.stringBytes
        + JSONBlock.stringBytes(Int(text.count))
    default: return room
    }
  }

  private static func append(_ ids: ArraySlice<TextSlice>, _ texts: [UInt8], to output: inout [UInt8]) {
    for (place, id) in ids.enumerated() {
      output.append(atMost: JSONBlock.stringBytes(Int(id.count)) + 1) { space, end in
        if place > 0 { JSONBlock.put(byte: UInt8(ascii: ","), &space, &end) }
        JSONBlock.put(string: texts.span, id.range, &space, &end)
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  private static func append(
    _ foldItems: [FoldItem], _ range: Range<Int>, _ texts: [UInt8], to output: inout [UInt8]
  ) {
    for index in range {
      let item = foldItems[index]
      let limit = fixedBytes + item.sender.stringBytes + item.gift.stringBytes + item.receiver.stringBytes
      output.append(atMost: limit) { space, end in
        if index > range.lowerBound { JSONBlock.put(byte: UInt8(ascii: ","), &space, &end) }
        JSONBlock.put(byte: UInt8(ascii: "{"), &space, &end)
        CommandWords.put(
          sender: item.sender, gift: item.gift, receiver: item.receiver, texts.span, &space, &end)
        CommandWords.put(CommandWords.count, item.count, &space, &end)
        if item.isTest { JSONBlock.put(CommandWords.test, &space, &end) }
        JSONBlock.put(byte: UInt8(ascii: "}"), &space, &end)
      }
    }
    output.append(UInt8(ascii: "]"))
  }

  static func append(
    _ commentItems: [CommentItem], _ range: Range<Int>, _ texts: [UInt8], to output: inout [UInt8]
  ) {
    for index in range {
      let item = commentItems[index]
      let ownBytes = Int(item.id.count) + Int(item.color.count) + Int(item.text.count) + Int(item.style.count)
      let limit = fixedBytes + item.sender.stringBytes + JSONBlock.stringBytes(ownBytes)
      output.append(atMost: limit) { space, end in
        if index > range.lowerBound { JSONBlock.put(byte: UInt8(ascii: ","), &space, &end) }
        CommandWords.put(CommandWords.id, item.id, texts.span, &space, &end)
        JSONBlock.put(CommandWords.sender, &space, &end)
        CommandWords.put(item.sender, texts.span, &space, &end)
        CommandWords.put(CommandWords.color, item.color, texts.span, &space, &end)
        CommandWords.put(CommandWords.text, item.text, texts.span, &space, &end)
        if !item.style.isAbsent {
          CommandWords.put(CommandWords.style, item.style, texts.span, &space, &end)
        }
        if item.isTest { JSONBlock.put(CommandWords.test, &space, &end) }
        JSONBlock.put(byte: UInt8(ascii: "}"), &space, &end)
      }
    }
  }

  /// Writes a command up to its list, or to its end but for the brace.
  private static func put(
    _ command: Command, _ texts: Span<UInt8>, _ output: inout MutableRawSpan, _ end: inout Int
  ) {
    CommandWords.put(CommandWords.head, command.room, texts, &output, &end)
    JSONBlock.put(CommandWords.track, &output, &end)
    CommandWords.put(command.track, &output, &end)
    CommandWords.put(CommandWords.epoch, Int(command.epoch), &output, &end)
    CommandWords.put(CommandWords.seq, command.sequence, &output, &end)
    CommandWords.put(CommandWords.at, Int(command.at), &output, &end)
    switch command.operation {
    case .show: putShow(command.operation, texts, &output, &end)
    case .count(let group, let from, let to, let duration, let until):
      CommandWords.put(CommandWords.countOp, group, &output, &end)
      CommandWords.put(CommandWords.from, from, &output, &end)
      CommandWords.put(CommandWords.to, to, &output, &end)
      CommandWords.put(CommandWords.durationMs, Int(duration), &output, &end)
      CommandWords.put(CommandWords.until, Int(until), &output, &end)
    case .hold(let group, let count, let until):
      CommandWords.put(CommandWords.hold, group, &output, &end)
      CommandWords.put(CommandWords.count, count, &output, &end)
      CommandWords.put(CommandWords.until, Int(until), &output, &end)
    case .hide(let group, let count, let reason, let duration):
      CommandWords.put(CommandWords.hide, group, &output, &end)
      CommandWords.put(CommandWords.count, count, &output, &end)
      switch reason {
      case .expired: CommandWords.put(CommandWords.expired, Int(duration), &output, &end)
      case .cut: CommandWords.put(CommandWords.cut, Int(duration), &output, &end)
      case .skipped: CommandWords.put(CommandWords.hideSkipped, Int(duration), &output, &end)
      case .cleared: CommandWords.put(CommandWords.hideCleared, Int(duration), &output, &end)
      }
    case .fold(let groups, let gifts, let senders, _):
      CommandWords.put(CommandWords.fold, groups, &output, &end)
      CommandWords.put(CommandWords.gifts, gifts, &output, &end)
      CommandWords.put(CommandWords.senders, senders, &output, &end)
      JSONBlock.put(CommandWords.items, &output, &end)
    case .append: JSONBlock.put(CommandWords.append, &output, &end)
    case .burst(let count, let total, let particles, let until):
      CommandWords.put(CommandWords.burst, count, &output, &end)
      CommandWords.put(CommandWords.total, total, &output, &end)
      CommandWords.put(CommandWords.particles, particles, &output, &end)
      CommandWords.put(CommandWords.until, Int(until), &output, &end)
    case .stop(let total): CommandWords.put(CommandWords.stop, total, &output, &end)
    case .remove: JSONBlock.put(CommandWords.remove, &output, &end)
    case .pause: JSONBlock.put(CommandWords.pause, &output, &end)
    case .resume: JSONBlock.put(CommandWords.resume, &output, &end)
    case .play, .end, .click: putStage(command.operation, texts, &output, &end)
    }
  }

  private static func putStage(
    _ operation: Operation, _ texts: Span<UInt8>, _ output: inout MutableRawSpan, _ end: inout Int
  ) {
    switch operation {
    case .play(
      let group, let sender, let gift, let receiver, let count, let asset, let duration, let deadline):
      CommandWords.put(CommandWords.play, group, &output, &end)
      JSONBlock.put(byte: UInt8(ascii: ","), &output, &end)
      CommandWords.put(sender: sender, gift: gift, receiver: receiver, texts, &output, &end)
      CommandWords.put(CommandWords.count, count, &output, &end)
      CommandWords.put(CommandWords.asset, asset, texts, &output, &end)
      CommandWords.put(CommandWords.durationMs, Int(duration), &output, &end)
      CommandWords.put(CommandWords.deadline, Int(deadline), &output, &end)
    case .end(let group, let reason):
      CommandWords.put(CommandWords.end, group, &output, &end)
      switch reason {
      case .done: JSONBlock.put(CommandWords.done, &output, &end)
      case .failed: JSONBlock.put(CommandWords.failed, &output, &end)
      case .expired: JSONBlock.put(CommandWords.ended, &output, &end)
      case .skipped: JSONBlock.put(CommandWords.endSkipped, &output, &end)
      case .cleared: JSONBlock.put(CommandWords.endCleared, &output, &end)
      }
    case .click(let group, let sender, let gift, let receiver, let count, let renderer):
      CommandWords.put(CommandWords.click, group, &output, &end)
      JSONBlock.put(byte: UInt8(ascii: ","), &output, &end)
      CommandWords.put(sender: sender, gift: gift, receiver: receiver, texts, &output, &end)
      CommandWords.put(CommandWords.count, count, &output, &end)
      if !renderer.isAbsent { CommandWords.put(CommandWords.renderer, renderer, texts, &output, &end) }
    default: break
    }
  }

  private static func putShow(
    _ operation: Operation, _ texts: Span<UInt8>, _ output: inout MutableRawSpan, _ end: inout Int
  ) {
    guard
      case .show(
        let group, let sender, let gift, let receiver, let combo, let base, let priority, let duration,
        let until) = operation
    else { return }
    CommandWords.put(CommandWords.show, group, &output, &end)
    JSONBlock.put(byte: UInt8(ascii: ","), &output, &end)
    CommandWords.put(sender: sender, gift: gift, receiver: receiver, texts, &output, &end)
    CommandWords.put(combo ? CommandWords.combo : CommandWords.noCombo, base, &output, &end)
    CommandWords.put(CommandWords.priority, priority, &output, &end)
    CommandWords.put(CommandWords.durationMs, Int(duration), &output, &end)
    CommandWords.put(CommandWords.until, Int(until), &output, &end)
  }
}
