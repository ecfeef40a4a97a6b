import Base
import Engine

/// What renderers see, and what is wrong with it: reads commands in order and keeps the first fault of each kind.
struct Ledger {
  /// (room, sender, gift, receiver).
  typealias Key = [String]

  private struct Banner {
    var group: Int
    var key: Key
    var merges: Bool
    var number: Int
    /// When its `show` or its run ends.
    var end: Instant
    var holdSaid: Instant = .min
    var holdUntil: Instant?
    var isHiding = false
  }

  private struct Room {
    var epoch: Instant
    var sequences: [Track: Int] = [:]
    var banners: [Int: Banner] = [:]
    var groups: Set<Int> = []
    var listed = 0
    var lastAppend: Instant?
    var lastBurst: Instant?
    var showerEnd: Instant?
    var lastFold: Instant?
  }

  private let plan: RoomPlan
  private var rooms: [String: Room] = [:]
  private var lastAt: Instant = .min
  /// Gifts that were shown or folded.
  private(set) var seen: [Key: Int] = [:]
  /// What is wrong; empty if nothing is.
  private(set) var faults: [String] = []

  init(plan: RoomPlan) { self.plan = plan }

  /// Reads what an engine said.
  mutating func read(_ output: CommandBuffer) {
    for command in output.commands { read(command, output) }
  }

  /// The time between was no time: every end that is to come moves.
  mutating func shift(by length: Instant) {
    for name in rooms.keys {
      for track in rooms[name, default: Room(epoch: 0)].banners.keys {
        rooms[name]?.banners[track]?.end += length
      }
      rooms[name]?.lastAppend? += length
      rooms[name]?.lastBurst? += length
      rooms[name]?.lastFold? += length
      rooms[name]?.showerEnd? += length
    }
  }

  private mutating func read(_ command: Command, _ output: CommandBuffer) {
    let name = output.bytes.string(command.room)
    var room = rooms[name] ?? Room(epoch: command.epoch)
    if command.epoch != room.epoch {
      expect(command.epoch > room.epoch, "an epoch went back", command, output)
      expect(
        room.banners.isEmpty || room.banners.values.allSatisfy(\.isHiding), "a room left a banner", command,
        output)
      room = Room(epoch: command.epoch)
    }
    expect(command.at >= lastAt, "`at` decreased", command, output)
    lastAt = command.at
    room.sequences[command.track, default: 0] += 1
    expect(command.sequence == room.sequences[command.track], "a seq is missing", command, output)
    switch command.operation {
    case .show, .count, .hold, .hide:
      if case .gift(let track) = command.track { readGift(command, track, name, &room, output) }
    case .fold(let groups, let gifts, let senders, let items):
      let parts = output.foldItems[items]
      expect(gifts == parts.reduce(0) { $0 + $1.count }, "`gifts` is not the sum", command, output)
      expect(groups >= parts.count && !parts.isEmpty, "fewer groups than items", command, output)
      expect(parts.count <= plan.gift.maxFoldItems, "too many items", command, output)
      let names = Set(parts.map { output.bytes.string($0.sender.id) })
      expect(senders == names.count, "`senders` are not the distinct ones", command, output)
      for item in parts {
        seen[key(name, item.sender, item.gift, item.receiver, output), default: 0] += item.count
      }
      room.lastFold = command.at
    case .append(let items, let evicted, let skipped):
      let pause = command.at - (room.lastAppend ?? .min / 2)
      expect(pause >= plan.comment.flushMilliseconds || pause == 0, "an early append", command, output)
      expect(items.count <= plan.comment.maxItems && skipped >= 0, "too many lines", command, output)
      expect(
        evicted == max(0, room.listed + items.count - plan.comment.maxItems), "`evicted` is wrong", command,
        output)
      room.listed += items.count - evicted
      room.lastAppend = command.at
    case .burst(let count, _, let particles, let until):
      expect(particles == min(count, plan.like.maxParticles) && count > 0, "wrong particles", command, output)
      let isAgain = until == room.showerEnd
      expect(
        isAgain || until == command.at + plan.like.showerMilliseconds, "a wrong `until`", command, output)
      if !isAgain {
        let pause = command.at - (room.lastBurst ?? .min / 2)
        expect(pause >= plan.like.burstMilliseconds, "an early burst", command, output)
        room.lastBurst = command.at
      }
      room.showerEnd = until
    case .stop:
      expect(room.showerEnd == command.at, "a stop at the wrong time", command, output)
      room.showerEnd = nil
    }
    rooms[name] = room
  }

  private mutating func readGift(
    _ command: Command, _ track: Int, _ name: String, _ room: inout Room, _ output: CommandBuffer
  ) {
    let banner = room.banners[track]
    switch command.operation {
    case .show(
      let group, let sender, let gift, let receiver, let combo, let base, let priority, let duration,
      let until):
      expect(banner.map { $0.isHiding && $0.end <= command.at } ?? true, "two on one track", command, output)
      let key = key(name, sender, gift, receiver, output)
      let isLive = room.banners.values.contains { $0.merges && !$0.isHiding && $0.key == key }
      expect(!combo || !isLive, "a key is live twice", command, output)
      expect(room.groups.insert(group).inserted && group > 0, "a group is shown twice", command, output)
      expect(priority >= plan.gift.trackMinPriorities[track], "a track that it may not use", command, output)
      expect(until >= command.at + duration + plan.gift.holdMilliseconds, "an early `until`", command, output)
      room.banners[track] = Banner(
        group: group, key: key, merges: combo, number: base, end: command.at + duration)
    case .count(let group, let from, let to, let duration, let until):
      guard var banner, banner.group == group, !banner.isHiding else {
        return fault("a count of none", command, output)
      }
      expect(command.at >= banner.end, "runs overlap", command, output)
      // A hold may be shortened to its own instant; the rest of that batch still finds its group there.
      let limit = banner.holdUntil.map { command.at == banner.holdSaid ? $0 : $0 - 1 } ?? banner.end
      expect(command.at <= limit, "a late run", command, output)
      expect(from == banner.number && to > from, "a number jumps", command, output)
      expect(!plan.gift.countsPerStep || to == from + 1, "more than a step", command, output)
      expect(until == command.at + duration + plan.gift.holdMilliseconds, "a wrong `until`", command, output)
      seen[banner.key, default: 0] += to - from
      banner.number = to
      banner.end = command.at + duration
      banner.holdUntil = nil
      room.banners[track] = banner
    case .hold(let group, let count, let until):
      guard let banner, banner.group == group, !banner.isHiding else {
        return fault("a hold of none", command, output)
      }
      expect(command.at >= banner.end && until >= command.at, "a hold at the wrong time", command, output)
      expect(count == banner.number, "a hold of another number", command, output)
      expect(until != banner.holdUntil, "the same hold again", command, output)
      room.banners[track]?.holdSaid = command.at
      room.banners[track]?.holdUntil = until
    case .hide(let group, let count, let reason, let duration):
      guard let banner, banner.group == group, !banner.isHiding else {
        return fault("a hide of none", command, output)
      }
      expect(count == banner.number, "a hide of another number", command, output)
      expect(
        command.at == (reason == .expired ? banner.holdUntil : banner.end), "a hide at the wrong time",
        command, output)
      room.banners[track]?.isHiding = true
      room.banners[track]?.end = command.at + duration
    default: break
    }
  }

  private func key(_ room: String, _ sender: Party, _ gift: Gift, _ receiver: Party, _ output: CommandBuffer)
    -> Key
  {
    [room, output.bytes.string(sender.id), output.bytes.string(gift.id), output.bytes.string(receiver.id)]
  }

  private mutating func expect(_ fact: Bool, _ text: String, _ command: Command, _ output: CommandBuffer) {
    if !fact { fault(text, command, output) }
  }

  private mutating func fault(_ text: String, _ command: Command, _ output: CommandBuffer) {
    faults.append("\(text): \(output.bytes.string(command.room)) \(output.line(command))")
  }
}
