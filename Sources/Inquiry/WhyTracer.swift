import Base
import Bridge
import Store
import Wire

/// Watches a bridge that handles a journal again, and remembers what concerns a question.
final class WhyTracer: BridgeTracer {
  /// A group in all the time that its room lives: numbers begin anew when a room comes back.
  private struct Key: Hashable {
    var life: Int
    var number: Int
  }

  private let question: WhyQuestion
  private var groups: [Key: WhyAnswer.Group] = [:]
  /// Groups that went on from others.
  private var restOf: [Key: Key] = [:]
  private var order: [Key] = []
  /// Groups that wait for their fold command.
  private var folding: [Key] = []
  private var lives: [Instant: Int] = [:]
  private var lifeCount = 0
  private var lastEpoch: Instant?
  /// Of the row in hand.
  private var fates: [Int: TraceStep.Fate] = [:]
  private var life = 0
  private var refusals: [Rejection] = []
  /// The commands that show the comments that were found, by the events' ids.
  private var appends: [[UInt8]: [WhyCommand]] = [:]
  /// The groups of accepted events by their place among the events.
  private var joined: [Int: Key] = [:]

  init(_ question: WhyQuestion) { self.question = question }

  // MARK: Rows

  /// The elements of a message that are asked for. A nil stands for a payload that cannot be read and holds
  /// the text.
  func look(_ topic: Span<UInt8>, _ payload: Span<UInt8>, _ bridge: inout Bridge?) -> [ElementIdentity?] {
    fates.removeAll(keepingCapacity: true)
    refusals.removeAll(keepingCapacity: true)
    guard bridge?.mayConcern(room: question.room, topic: topic) == true else { return [] }
    guard let identities = bridge?.identities(topic: topic, payload: payload) else {
      return WhyTracer.contains(payload, question.sought) ? [nil] : []
    }
    let found = identities.filter { identity in
      if let room = identity.room, room != question.room { return false }
      guard identity.id == question.sought || identity.sender == question.sought else { return false }
      return question.gift == nil || identity.gift == question.gift
    }
    for identity in found where identity.kind == .comment && !identity.id.isEmpty {
      appends[identity.id, default: []] += []
    }
    return found
  }

  /// A row was handled: adds what was found in it to the events.
  func rowEnded(
    _ row: JournalRow, topic: String, _ found: [ElementIdentity?], into events: inout [WhyAnswer.Event]
  ) {
    for identity in found {
      let place = events.count
      events.append(
        WhyAnswer.Event(
          row: row.id, at: row.at, topic: topic, identity: identity, fate: fate(of: identity, place: place)))
    }
  }

  /// What became of an element of the message that was handled last.
  private func fate(of identity: ElementIdentity?, place: Int) -> WhyAnswer.Fate {
    switch identity.flatMap({ fates[$0.index] }) {
    case .joined(_, let group, let count):
      joined[place] = Key(life: life, number: group)
      return .accepted(count: count, group: -1)
    case .taken: return .taken(commands: [])
    case .muted: return .muted
    case .duplicate: return .duplicate
    case .repeated: return .repeated
    default: break
    }
    // A payload that was refused whole is refused with one rejection without an index.
    let rejection = refusals.first { $0.index == nil || $0.index == identity?.index }
    guard let rejection else { return .unhandled }
    return .rejected(reason: rejection.reason.rawValue, detail: "\(rejection.detail)")
  }

  /// A row begins a new epoch: the rooms live on under another number.
  func epochBegins(at instant: Instant) {
    guard let lastEpoch else { return }
    let next = max(instant, lastEpoch + 1)
    lives[next] = life(of: lastEpoch)
    self.lastEpoch = next
  }

  /// The groups of the events, and those that went on from them. The events learn their places.
  func groups(of events: inout [WhyAnswer.Event]) -> [WhyAnswer.Group] {
    var wanted: [Key] = []
    var isWanted: Set<Key> = []
    for key in order {
      guard joined.values.contains(key) || restOf[key].map(isWanted.contains) ?? false else { continue }
      isWanted.insert(key)
      wanted.append(key)
    }
    for (place, key) in joined {
      guard case .accepted(let count, _) = events[place].fate, let group = wanted.firstIndex(of: key) else {
        continue
      }
      events[place].fate = .accepted(count: count, group: group)
    }
    for place in events.indices {
      guard case .taken = events[place].fate, let id = events[place].identity?.id else { continue }
      events[place].fate = .taken(commands: appends[id] ?? [])
    }
    return wanted.compactMap { groups[$0] }
  }

  // MARK: BridgeTracer

  func bridgeRefused(_ rejections: [Rejection]) { refusals += rejections }

  func bridgeMade(_ output: borrowing CommandBuffer, batch: borrowing EventBatch) {
    var step = 0
    let trace = output.trace
    for place in output.commands.indices {
      while step < trace.count, trace[step].commandCount <= place {
        take(trace[step], output, batch)
        step += 1
      }
      take(output.commands[place], output)
    }
    for rest in trace[step...] { take(rest, output, batch) }
  }

  private func take(
    _ step: TraceStep, _ output: borrowing CommandBuffer, _ batch: borrowing EventBatch
  ) {
    guard isAsked(step.room, output) else { return }
    life = life(of: step.epoch)
    switch step.fate {
    case .joined(let index, let number, _):
      fates[index] = step.fate
      let bytes = batch.bytes
      guard let event = batch.events.first(where: { $0.index == index }) else { return }
      let texts = [event.sender.id, event.gift.id, event.receiver.id].map { Array(bytes[$0.range]) }
      meet(Key(life: life, number: number), step.epoch, texts)
    case .taken(let index), .duplicate(let index), .repeated(let index), .muted(let index):
      fates[index] = step.fate
    case .cut(let number, let rest):
      let (old, new) = (Key(life: life, number: number), Key(life: life, number: rest))
      meet(new, step.epoch, groups[old]?.key ?? [])
      groups[new]?.restOf = number
      restOf[new] = old
    case .folded(let number, let count):
      let key = Key(life: life, number: number)
      groups[key]?.folded = count
      if groups[key] != nil { folding.append(key) }
    }
  }

  private func take(_ command: Command, _ output: borrowing CommandBuffer) {
    guard isAsked(command.room, output) else { return }
    let life = life(of: command.epoch)
    let told = WhyCommand(command)
    let bytes = output.bytes
    let foldItems = output.foldItems
    switch command.operation {
    case .show(let number, let sender, let gift, let receiver, _, _, _, _, _):
      let key = Key(life: life, number: number)
      meet(key, command.epoch, [sender.id, gift.id, receiver.id].map { Array(bytes[$0.range]) })
      groups[key]?.commands.append(told)
    case .count(let number, _, _, _, _), .hold(let number, _, _):
      groups[Key(life: life, number: number)]?.commands.append(told)
    case .hide(let number, _, _, _):
      groups[Key(life: life, number: number)]?.commands.append(told)
      groups[Key(life: life, number: number)]?.isOver = true
    case .fold(_, _, _, let items):
      let keys = items.map { place in
        let item = foldItems[place]
        return [item.sender.id, item.gift.id, item.receiver.id].map { Array(bytes[$0.range]) }
      }
      folding.removeAll { key in
        guard let group = groups[key], let place = keys.firstIndex(of: group.key) else { return false }
        var told = told
        told.detail = "\(foldItems[items.lowerBound + place].count) of \(told.detail)"
        groups[key]?.commands.append(told)
        groups[key]?.isOver = true
        return true
      }
    case .append(let items, _, _):
      for item in output.commentItems[items] {
        let id = Array(bytes[item.id.range])
        if appends[id] != nil { appends[id]?.append(told) }
      }
    case .burst, .stop, .remove, .pause, .resume: break
    // A play has a number of its own; it is told by what it is of.
    case .play(_, let sender, let gift, let receiver, _, _, _, _):
      let texts = [sender.id, gift.id, receiver.id].map { Array(bytes[$0.range]) }
      guard let key = order.last(where: { groups[$0]?.key == texts }) else { break }
      groups[key]?.commands.append(told)
    case .end: break
    case .click(let number, _, _, _, _, _): groups[Key(life: life, number: number)]?.commands.append(told)
    }
  }

  private func meet(_ key: Key, _ epoch: Instant, _ texts: [[UInt8]]) {
    guard groups[key] == nil else { return }
    groups[key] = WhyAnswer.Group(number: key.number, epoch: epoch, key: texts, commands: [])
    order.append(key)
  }

  private func life(of epoch: Instant) -> Int {
    lastEpoch = epoch
    if let known = lives[epoch] { return known }
    lifeCount += 1
    lives[epoch] = lifeCount
    return lifeCount
  }

  private func isAsked(_ room: TextSlice, _ output: borrowing CommandBuffer) -> Bool {
    output.bytes[room.range].elementsEqual(question.room)
  }

  private static func contains(_ bytes: Span<UInt8>, _ text: [UInt8]) -> Bool {
    guard !text.isEmpty, bytes.count >= text.count else { return false }
    return (0...bytes.count - text.count).contains { start in
      text.indices.allSatisfy { bytes[start + $0] == text[$0] }
    }
  }
}

extension WhyCommand {
  init(_ command: Command) {
    let (operation, detail) = WhyCommand.words(command.operation)
    self.init(
      track: WhyCommand.name(command.track), epoch: command.epoch, sequence: command.sequence, at: command.at,
      operation: operation, detail: detail)
  }

  private static func name(_ track: Track) -> String {
    switch track {
    case .gift(let number): "gift/\(number)"
    case .fold: "gift/fold"
    case .comment: "comment"
    case .like: "like"
    case .stage: "stage"
    case .click: "click"
    }
  }

  private static func words(_ operation: Operation) -> (String, String) {
    switch operation {
    case .show(_, _, _, _, _, let base, let priority, _, _): ("show", "from \(base), priority \(priority)")
    case .count(_, let from, let to, _, _): ("count", "\(from) → \(to)")
    case .hold(_, let count, let until): ("hold", "at \(count) until \(Day.text(of: until))")
    case .hide(_, let count, let reason, _): ("hide", "at \(count), \(reason.rawValue)")
    case .fold(let groups, let gifts, _, _): ("fold", "\(gifts) gifts of \(groups) groups")
    case .append(let items, _, _): ("append", "\(items.count) comments")
    case .burst(let count, _, _, _): ("burst", "\(count) likes")
    case .stop: ("stop", "")
    case .remove(let ids): ("remove", "\(ids.count) comments")
    case .play(let group, _, _, _, let count, _, _, let deadline):
      ("play", "play \(group), \(count) gifts, until \(Day.text(of: deadline))")
    case .end(let group, let reason): ("end", "play \(group), \(reason.rawValue)")
    case .pause: ("pause", "")
    case .resume: ("resume", "")
    case .click(_, _, _, _, let count, _): ("click", "at \(count)")
    }
  }
}
