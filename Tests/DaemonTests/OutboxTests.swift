import Simulation
import Testing
import Wire

@testable import Daemon

/// The outbox without a broker: what is offered, in which order, and what is kept.
@Suite struct OutboxTests {
  /// An outbox and the broker of a test, which takes as many as its window lets it.
  private struct Desk {
    var outbox = Outbox()
    var window = Int.max
    /// What is under way: packet id and payload.
    var underWay: [(id: UInt16, payload: String)] = []
    /// Every payload that was offered and taken, in order.
    var taken: [String] = []
    var refuses: Set<String> = []
    private var lastID: UInt16 = 0

    init(_ payloads: [String] = []) { append(payloads) }

    mutating func append(_ payloads: [String]) {
      var outgoing = OutgoingMessages()
      for payload in payloads {
        outgoing.append(at: 0, isRetained: payload == "retained") { topic in
          topic.append(contentsOf: "t/\(payload)".utf8)
        } payload: { bytes in
          bytes.append(contentsOf: payload.utf8)
        }
      }
      outbox.append(outgoing)
    }

    mutating func publish() {
      var (underWay, taken, lastID) = (underWay, taken, lastID)
      let (window, refuses) = (window, refuses)
      outbox.publish { topic, payload, isRetained in
        let text = unsafe payload.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        let place = unsafe topic.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        #expect(place == "t/\(text)\0")
        #expect(isRetained == (text == "retained"))
        guard underWay.count < window else { return .noRoom }
        if refuses.contains(text) { return .refused }
        lastID &+= 1
        underWay.append((lastID, text))
        taken.append(text)
        return .underWay(lastID)
      }
      (self.underWay, self.taken, self.lastID) = (underWay, taken, lastID)
    }

    /// The broker acknowledges the message at a place among those that are under way.
    mutating func acknowledge(at place: Int = 0) {
      outbox.acknowledge(underWay.remove(at: place).id)
    }

    mutating func lose() {
      outbox.connectionLost()
      underWay.removeAll()
    }
  }

  @Test func messagesAreOfferedInOrderAndOnce() {
    var desk = Desk(["a", "retained"])
    desk.publish()
    desk.append(["c"])
    desk.publish()
    desk.publish()
    #expect(desk.taken == ["a", "retained", "c"])
    #expect(desk.outbox.count == 3)
  }

  @Test func aFullWindowStopsTheOfferUntilOneIsAcknowledged() {
    var desk = Desk(["a", "b", "c", "d"])
    desk.window = 2
    desk.publish()
    #expect(desk.taken == ["a", "b"])
    desk.acknowledge()
    desk.publish()
    #expect(desk.taken == ["a", "b", "c"])
    #expect(desk.outbox.count == 3)
  }

  @Test func anAcknowledgementOutOfOrderCountsWhenTheFirstComes() {
    var desk = Desk(["a", "b", "c"])
    desk.publish()
    desk.acknowledge(at: 1)
    #expect(desk.outbox.count == 3)
    desk.acknowledge(at: 0)
    #expect(desk.outbox.count == 1)
    desk.acknowledge()
    #expect(desk.outbox.isEmpty)
    #expect(desk.outbox.byteCount == 0)
  }

  @Test func anAcknowledgementOfAnUnknownIDChangesNothing() {
    var desk = Desk(["a"])
    desk.outbox.acknowledge(7)
    desk.publish()
    desk.outbox.acknowledge(99)
    #expect(desk.outbox.count == 1)
    desk.acknowledge()
    desk.outbox.acknowledge(1)
    #expect(desk.outbox.isEmpty)
  }

  @Test func afterALossWhatIsLeftIsOfferedAgainInOrder() {
    var desk = Desk(["a", "b", "c", "d"])
    desk.window = 3
    desk.publish()
    desk.acknowledge()
    desk.lose()
    desk.append(["e"])
    desk.window = .max
    desk.publish()
    #expect(desk.taken == ["a", "b", "c", "b", "c", "d", "e"])
    while !desk.underWay.isEmpty { desk.acknowledge() }
    #expect(desk.outbox.isEmpty)
  }

  @Test func whatWasAcknowledgedOutOfOrderIsNotOfferedAgain() {
    var desk = Desk(["a", "b", "c"])
    desk.publish()
    desk.acknowledge(at: 1)
    desk.lose()
    desk.publish()
    #expect(desk.taken == ["a", "b", "c", "a", "c"])
    desk.acknowledge()
    #expect(desk.outbox.count == 1)
    desk.acknowledge()
    #expect(desk.outbox.isEmpty)
  }

  @Test func whatCanNeverBePublishedIsDroppedAndHoldsUpNoOther() {
    var desk = Desk(["a", "bad", "c"])
    desk.refuses = ["bad"]
    desk.publish()
    #expect(desk.taken == ["a", "c"])
    desk.lose()
    desk.refuses = []
    desk.publish()
    #expect(desk.taken == ["a", "c", "a", "c"])
    desk.acknowledge()
    desk.acknowledge()
    #expect(desk.outbox.isEmpty)
    desk = Desk(["bad"])
    desk.refuses = ["bad"]
    desk.publish()
    #expect(desk.outbox.isEmpty)
  }

  @Test(arguments: [1, 2, 255, 256, 257, 511, 512, 513, 2000])
  func itsBytesAreThoseOfWhatIsLeft(count: Int) {
    let payloads = (0..<count).map { String(10_000 + $0) }
    var desk = Desk(payloads)
    desk.publish()
    var isExact = true
    for left in (0..<count).reversed() {
      desk.acknowledge()
      // Topic, zero byte and payload.
      isExact = isExact && desk.outbox.count == left && desk.outbox.byteCount == left * 13
    }
    #expect(isExact)
  }

  /// As a busy broker sees it: losses, a window, acknowledgements in any order.
  @Test(arguments: 1...20)
  func everyMessageIsTakenInOrderWhateverHappens(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var desk = Desk()
    var appended = 0
    var acknowledged: Set<String> = []
    for _ in 0..<3000 {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<30:
        let count = Int.random(in: 1...40, using: &random)
        desk.append((appended..<appended + count).map(String.init))
        appended += count
      case 30: desk.lose()
      case 31..<60:
        desk.window = Int.random(in: 1...50, using: &random)
        desk.publish()
      default:
        guard let place = desk.underWay.indices.randomElement(using: &random) else { continue }
        acknowledged.insert(desk.underWay[place].payload)
        desk.acknowledge(at: place)
      }
    }
    desk.lose()
    desk.window = .max
    let before = desk.taken.count
    desk.publish()
    let rest = desk.taken[before...].compactMap { Int($0) }
    // Again, once each, in order: all that were not acknowledged.
    let isComplete = rest == (0..<appended).filter { !acknowledged.contains(String($0)) }
    #expect(isComplete, "seed \(seed)")
    while !desk.underWay.isEmpty { desk.acknowledge() }
    #expect(desk.outbox.isEmpty)
    #expect(desk.outbox.byteCount == 0)
  }
}
