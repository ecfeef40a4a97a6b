import Base
import Engine

/// What renderers see, and what is wrong with it: reads commands in order and keeps the first fault of each
/// kind.
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
    /// It was paused, so that a hold may be said again with the end that it was to have.
    var isMoved = false
    var isHiding = false
  }

  private struct Room {
    var epoch: Instant
    var sequences: [Track: Int] = [:]
    var banners: [Int: Banner] = [:]
    var groups: Set<Int> = []
    var listed: [String] = []
    /// Which tracks stand still, and since when.
    var paused: [Track: Instant] = [:]
    var play: (group: Int, deadline: Instant)?
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
        if !isPaused(.gift(track), name) { rooms[name]?.banners[track]?.end += length }
      }
      if !isPaused(.comment, name) { rooms[name]?.lastAppend? += length }
      if !isPaused(.like, name) { rooms[name]?.lastBurst? += length }
      if !isPaused(.fold, name) { rooms[name]?.lastFold? += length }
      if !isPaused(.like, name) { rooms[name]?.showerEnd? += length }
    }
  }

  private func isPaused(_ track: Track, _ room: String) -> Bool { rooms[room]?.paused[track] != nil }

  /// What a renderer does at `resume`.
  private static func resume(_ track: Track, after length: Instant, _ room: inout Room) {
    switch track {
    case .gift(let index):
      room.banners[index]?.end += length
      room.banners[index]?.holdSaid += length
      room.banners[index]?.holdUntil? += length
      room.banners[index]?.isMoved = true
    case .fold: room.lastFold? += length
    case .comment: room.lastAppend? += length
    case .like:
      room.lastBurst? += length
      room.showerEnd? += length
    case .stage: room.play?.deadline += length
    case .click: break
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
    if room.paused[command.track] != nil {
      switch command.operation {
      case .hide(_, _, .skipped, _), .hide(_, _, .cleared, _), .remove, .end, .stop, .fold, .resume: break
      default: fault("a paused track moves", command, output)
      }
    }
    switch command.operation {
    case .pause: room.paused[command.track] = command.at
    case .resume:
      let since = room.paused.removeValue(forKey: command.track)
      expect(since != nil, "a resume of none", command, output)
      Ledger.resume(command.track, after: command.at - (since ?? command.at), &room)
    case .play, .end: readStage(command, &room, output)
    case .click: break
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
        var key = key(name, item.sender, item.gift, item.receiver, output)
        if item.isTest { key.append("test") }
        seen[key, default: 0] += item.count
      }
      room.lastFold = command.at
    case .append(let items, let evicted, let skipped):
      let pause = command.at - (room.lastAppend ?? .min / 2)
      expect(pause >= plan.comment.flushMilliseconds || pause == 0, "an early append", command, output)
      expect(items.count <= plan.comment.maxItems && skipped >= 0, "too many lines", command, output)
      expect(
        evicted == max(0, room.listed.count + items.count - plan.comment.maxItems), "`evicted` is wrong",
        command, output)
      room.listed += output.commentItems[items].map { output.bytes.string($0.id) }
      room.listed.removeFirst(evicted)
      room.lastAppend = command.at
    case .remove(let ids):
      for id in output.commentIDs[ids].map({ output.bytes.string($0) }) {
        guard let place = room.listed.firstIndex(of: id) else {
          fault("a comment that is not listed is removed", command, output)
          continue
        }
        room.listed.remove(at: place)
      }
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
      // An operator may clear it before.
      expect(
        command.at <= room.showerEnd ?? .min || room.paused[.like] != nil, "a late stop", command, output)
      room.showerEnd = nil
    }
    rooms[name] = room
  }

  private mutating func readStage(_ command: Command, _ room: inout Room, _ output: CommandBuffer) {
    switch command.operation {
    case .play(let group, _, _, _, let count, _, let duration, let deadline):
      if let play = room.play {
        expect(play.group == group, "two plays at a time", command, output)
      } else {
        expect(deadline == command.at + duration, "a wrong deadline", command, output)
        expect(room.groups.insert(group).inserted && group > 0, "a group plays twice", command, output)
      }
      expect(count > 0, "a play of nothing", command, output)
      room.play = (group, deadline)
    case .end(let group, let reason):
      expect(room.play?.group == group, "an end of none", command, output)
      expect(
        reason != .expired || room.play?.deadline == command.at, "an end at the wrong time", command, output)
      room.play = nil
    default: break
    }
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
      var key = key(name, sender, gift, receiver, output)
      if command.isTest { key.append("test") }
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
      expect(until != banner.holdUntil || banner.isMoved, "the same hold again", command, output)
      room.banners[track]?.isMoved = false
      room.banners[track]?.holdSaid = command.at
      room.banners[track]?.holdUntil = until
    case .hide(let group, let count, let reason, let duration):
      guard let banner, banner.group == group, !banner.isHiding else {
        return fault("a hide of none", command, output)
      }
      expect(count == banner.number, "a hide of another number", command, output)
      expect(
        reason == .skipped || reason == .cleared
          || command.at == (reason == .expired ? banner.holdUntil : banner.end), "a hide at the wrong time",
        command, output)
      room.banners[track]?.isHiding = true
      room.banners[track]?.end = (room.paused[command.track] ?? command.at) + duration
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
