import Base
import Wire

/// A renderer of a test: it keeps the commands, drops those that it has seen, notes what a renderer must
/// never meet, and counts the gifts that its viewers saw.
public struct Renderer {
  /// A gift of a sender to a receiver.
  public struct Key: Hashable {
    /// The room.
    public let room: String
    /// Who gave.
    public let sender: String
    /// What.
    public let gift: String
    /// To whom.
    public let receiver: String?

    /// A gift.
    public init(room: String, sender: String, gift: String, receiver: String?) {
      self.room = room
      self.sender = sender
      self.gift = gift
      self.receiver = receiver
    }
  }

  /// What a gift track shows.
  private struct Banner {
    let group: Int64
    let key: Key
    let merges: Bool
    var number: Int64
    var runsUntil: Int64
    var isHiding = false
  }

  /// The commands, each once, in order of arrival.
  public private(set) var commands: [PublishedMessage] = []
  /// Everything else, in order of arrival.
  public private(set) var others: [PublishedMessage] = []
  /// Commands that came again.
  public private(set) var repeats = 0
  /// What must never be, in sentences.
  public private(set) var faults: [String] = []
  /// Gifts that were shown by `count` or told by `fold`, by key.
  public private(set) var gifts: [Key: Int64] = [:]
  private var sequences: [String: (epoch: Int64, number: Int64)] = [:]
  /// What was said under a number of a topic in an epoch.
  private var contents: [String: String] = [:]
  private var banners: [String: Banner] = [:]

  private let keepsMessages: Bool

  /// A renderer that has seen nothing. `keepsMessages`: without it `commands` and `others` stay empty.
  public init(keepsMessages: Bool = true) { self.keepsMessages = keepsMessages }

  /// All gifts that were shown or told.
  public var giftCount: Int64 { gifts.values.reduce(0, +) }

  /// Takes what arrived.
  public mutating func receive(_ messages: [PublishedMessage]) {
    for message in messages { receive(message) }
  }

  /// Takes a message.
  public mutating func receive(_ message: PublishedMessage) {
    let json = message.json
    guard let operation = json["op"]?.string, let number = json["seq"]?.integer,
      let epoch = json["epoch"]?.integer, let room = json["room"]?.string
    else {
      if keepsMessages { others.append(message) }
      return
    }
    let last = sequences[message.topic].flatMap { $0.epoch == epoch ? $0.number : nil } ?? 0
    let content = contents.updateValue(message.payload, forKey: "\(message.topic) \(epoch) \(number)")
    if let content, content != message.payload {
      faults.append("\(message.topic): \(number) of epoch \(epoch) has two contents")
    }
    if number <= last {
      repeats += 1
      return
    }
    if number > last + 1 { faults.append("\(message.topic): \(number) after \(last)") }
    sequences[message.topic] = (epoch, number)
    if keepsMessages { commands.append(message) }
    draw(operation, json, room: room, topic: message.topic)
  }

  private mutating func draw(_ operation: String, _ json: JSONValue, room: String, topic: String) {
    let at = json["at"]?.integer ?? 0
    switch operation {
    case "show": show(json, room: room, topic: topic)
    case "count":
      let (from, to) = (json["from"]?.integer ?? 0, json["to"]?.integer ?? 0)
      guard var banner = banner(of: json, topic) else { return }
      if banner.number != from { faults.append("\(topic): counts from \(from), shows \(banner.number)") }
      if at < banner.runsUntil { faults.append("\(topic): runs overlap at \(at)") }
      banner.number = to
      banner.runsUntil = at + (json["durationMs"]?.integer ?? 0)
      banners[topic] = banner
      gifts[banner.key, default: 0] += to - from
    case "hold":
      guard let banner = banner(of: json, topic) else { return }
      if at < banner.runsUntil { faults.append("\(topic): holds in a run at \(at)") }
    case "hide":
      guard banner(of: json, topic) != nil else { return }
      banners[topic]?.isHiding = true
      banners[topic]?.runsUntil = at + (json["durationMs"]?.integer ?? 0)
    case "fold":
      for item in json["items"]?.array ?? [] {
        gifts[Renderer.key(of: item, room), default: 0] += item["count"]?.integer ?? 0
      }
    default: break
    }
  }

  private mutating func show(_ json: JSONValue, room: String, topic: String) {
    let at = json["at"]?.integer ?? 0
    if let before = banners[topic], !before.isHiding || at < before.runsUntil {
      faults.append("\(topic): group \(json["group"]?.integer ?? 0) while \(before.group) is there")
    }
    let key = Renderer.key(of: json, room)
    let merges = json["combo"] == .bool(true)
    if merges, banners.values.contains(where: { $0.key == key && $0.merges && !$0.isHiding }) {
      faults.append("\(topic): \(key) is on two tracks at \(at)")
    }
    banners[topic] = Banner(
      group: json["group"]?.integer ?? 0, key: key, merges: merges, number: json["base"]?.integer ?? 0,
      runsUntil: at)
  }

  /// The banner that a command is for.
  private mutating func banner(of json: JSONValue, _ topic: String) -> Banner? {
    let group = json["group"]?.integer
    if let banner = banners[topic], banner.group == group, !banner.isHiding { return banner }
    faults.append("\(topic): group \(group ?? 0) is not there")
    return nil
  }

  private static func key(of json: JSONValue, _ room: String) -> Key {
    Key(
      room: room, sender: json["sender"]?["id"]?.string ?? "", gift: json["gift"]?["id"]?.string ?? "",
      receiver: json["receiver"]?["id"]?.string)
  }
}

extension PublishedMessage {
  /// A command in a line: how long after `start` it was due, its operation, and the numbers that `names`
  /// name.
  public func brief(since start: Int64 = 0, _ names: String...) -> String {
    let json = json
    var words = ["\((json["at"]?.integer ?? 0) - start)", json["op"]?.string ?? topic]
    for name in names {
      guard let value = json[name]?.integer else { continue }
      words.append("\(name)=\(name == "until" ? value - start : value)")
    }
    return words.joined(separator: " ")
  }
}
