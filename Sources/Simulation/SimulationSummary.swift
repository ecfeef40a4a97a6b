import Base
import Bridge
import Wire

/// What a simulation came to, for people.
public struct SimulationSummary: Sendable {
  /// How long each group that left the queue had waited.
  var waits: [Int64] = []
  /// The instant of the last message in.
  var inputEnd: Instant?
  private var outputEnd: Instant?
  private var messagesByTrack: [String: Int] = [:]
  private var engine = EngineCounters()
  private var door = BridgeCounters()
  private var pending = 0
  /// Gifts that waited already when it began: the saved state of a journal that has been cut has some.
  var pendingAtStart = 0
  private var repaired = 0

  mutating func add(_ outgoing: borrowing OutgoingMessages) {
    for message in outgoing.messages {
      outputEnd = max(outputEnd ?? message.at, message.at)
      let topic = outgoing.bytes[message.topic]
      // `cue/{room}/gift/0` is of track `gift/0`; a room may be called `gift` too.
      let levels = topic.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      let last = levels.last ?? []
      let isGift = last.elementsEqual("fold".utf8) || last.first.map { (0x30...0x39).contains($0) } ?? false
      let track = levels.suffix(isGift ? 2 : 1).map { String(decoding: $0, as: UTF8.self) }
      messagesByTrack[track.joined(separator: "/"), default: 0] += 1
    }
  }

  mutating func complete(with bridge: Bridge) {
    engine = bridge.engineCounters
    door = bridge.counters
    pending = bridge.giftsPending
    repaired = bridge.repairedPayloads
  }

  /// True if every accepted gift, with tests and those that waited at the start, is shown, folded, muted or
  /// pending: the conservation law.
  public var conserves: Bool {
    engine.giftsAccepted + engine.giftsTested + pendingAtStart
      == engine.giftsShown + engine.giftsFolded + engine.giftsMuted + pending
  }

  /// What there is only where an operator stepped in.
  private var unusual: String {
    let muted = engine.giftsMuted > 0 ? "+ \(engine.giftsMuted) muted " : ""
    return engine.giftsTested > 0 ? "\(muted)- \(engine.giftsTested) tested " : muted
  }

  /// The summary as a page of text.
  public var page: String {
    let sorted = waits.sorted()
    let events = engine.giftEvents + engine.commentEvents + engine.likeEvents
    let before = pendingAtStart > 0 ? " + \(pendingAtStart) waiting at the start" : ""
    var lines = [
      "batches    \(door.batches) (\(repaired) read after a repair)",
      "events     \(events): \(engine.giftEvents) gifts, \(engine.commentEvents) comments, "
        + "\(engine.likeEvents) likes; \(engine.duplicateIDs) duplicates dropped",
      "gifts      \(engine.giftsAccepted) accepted\(before) = \(engine.giftsShown) shown "
        + "+ \(engine.giftsFolded) folded \(unusual)"
        + "+ \(pending) waiting\(conserves ? "" : " — THE CONSERVATION LAW IS BROKEN")",
      "wait       p50 \(SimulationSummary.percentile(50, of: sorted)) ms, "
        + "p95 \(SimulationSummary.percentile(95, of: sorted)) ms, max \(sorted.last ?? 0) ms "
        + "over \(sorted.count) groups; \(engine.groupsFoldedByWait + engine.groupsFoldedByBound) folded, "
        + "\(engine.groupsCut) cut",
    ]
    if let inputEnd, let outputEnd {
      lines.append("drained    \(max(0, outputEnd - inputEnd)) ms after the last batch")
    }
    let tracks = messagesByTrack.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("commands   \(tracks.joined(separator: ", "))")
    let refused = RejectionReason.allCases.compactMap { reason in
      let count = door.rejections(for: reason)
      return count == 0 ? nil : "\(reason.rawValue) \(count)"
    }
    lines.append("rejected   \(refused.isEmpty ? "nothing" : refused.joined(separator: ", "))")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The nearest-rank percentile of sorted values; 0 of none.
  private static func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
  }
}
