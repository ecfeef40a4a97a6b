internal import Base

/// The constant parts of commands, and the parts that several commands share.
enum CommandWords {
  /// The most bytes of a track's name.
  static let trackBytes = 8 + JSONBlock.integerBytes

  static let head: JSONLiteral = #"{"v":1,"room":"#
  static let track: JSONLiteral = #","track":""#
  static let epoch: JSONLiteral = #"","epoch":"#
  static let seq: JSONLiteral = #","seq":"#
  static let at: JSONLiteral = #","at":"#

  static let show: JSONLiteral = #","op":"show","group":"#
  static let combo: JSONLiteral = #","combo":true,"base":"#
  static let noCombo: JSONLiteral = #","combo":false,"base":"#
  static let priority: JSONLiteral = #","priority":"#
  static let durationMs: JSONLiteral = #","durationMs":"#
  static let until: JSONLiteral = #","until":"#
  static let countOp: JSONLiteral = #","op":"count","group":"#
  static let from: JSONLiteral = #","from":"#
  static let to: JSONLiteral = #","to":"#
  static let hold: JSONLiteral = #","op":"hold","group":"#
  static let count: JSONLiteral = #","count":"#
  static let hide: JSONLiteral = #","op":"hide","group":"#
  static let expired: JSONLiteral = #","reason":"expired","durationMs":"#
  static let cut: JSONLiteral = #","reason":"cut","durationMs":"#

  static let fold: JSONLiteral = #","op":"fold","groups":"#
  static let gifts: JSONLiteral = #","gifts":"#
  static let senders: JSONLiteral = #","senders":"#
  static let items: JSONLiteral = #","items":["#
  static let append: JSONLiteral = #","op":"append","items":["#
  static let evicted: JSONLiteral = #"],"evicted":"#
  static let skipped: JSONLiteral = #","skipped":"#
  static let burst: JSONLiteral = #","op":"burst","count":"#
  static let total: JSONLiteral = #","total":"#
  static let particles: JSONLiteral = #","particles":"#
  static let stop: JSONLiteral = #","op":"stop","total":"#

  static let play: JSONLiteral = #","op":"play","group":"#
  static let asset: JSONLiteral = #","asset":"#
  static let deadline: JSONLiteral = #","deadline":"#
  static let end: JSONLiteral = #","op":"end","group":"#
  static let done: JSONLiteral = #","reason":"done""#
  static let failed: JSONLiteral = #","reason":"failed""#
  static let ended: JSONLiteral = #","reason":"expired""#
  static let endSkipped: JSONLiteral = #","reason":"skipped""#
  static let endCleared: JSONLiteral = #","reason":"cleared""#
  static let hideSkipped: JSONLiteral = #","reason":"skipped","durationMs":"#
  static let hideCleared: JSONLiteral = #","reason":"cleared","durationMs":"#
  static let remove: JSONLiteral = #","op":"remove","ids":["#
  static let pause: JSONLiteral = #","op":"pause""#
  static let resume: JSONLiteral = #","op":"resume""#
  static let click: JSONLiteral = #","op":"click","group":"#
  static let renderer: JSONLiteral = #","renderer":"#
  static let test: JSONLiteral = #","test":true"#

  static let firstSender: JSONLiteral = #""sender":"#
  static let sender: JSONLiteral = #","sender":"#
  static let gift: JSONLiteral = #","gift":"#
  static let receiver: JSONLiteral = #","receiver":"#
  static let id: JSONLiteral = #"{"id":"#
  static let name: JSONLiteral = #","name":"#
  static let level: JSONLiteral = #","level":"#
  static let avatar: JSONLiteral = #","avatar":"#
  static let icon: JSONLiteral = #","icon":"#
  static let price: JSONLiteral = #","price":"#
  static let color: JSONLiteral = #","color":"#
  static let text: JSONLiteral = #","text":"#
  static let style: JSONLiteral = #","style":"#

  private static let giftTrack: JSONLiteral = "gift/"
  private static let foldTrack: JSONLiteral = "gift/fold"
  private static let commentTrack: JSONLiteral = "comment"
  private static let likeTrack: JSONLiteral = "like"
  private static let stageTrack: JSONLiteral = "stage"
  private static let clickTrack: JSONLiteral = "click"

  /// Writes what follows the room in a track's topic, which is the track's name in commands too.
  @inline(__always)
  static func put(_ track: Track, _ output: inout MutableRawSpan, _ end: inout Int) {
    switch track {
    case .gift(let index):
      JSONBlock.put(giftTrack, &output, &end)
      JSONBlock.put(index, &output, &end)
    case .fold: JSONBlock.put(foldTrack, &output, &end)
    case .comment: JSONBlock.put(commentTrack, &output, &end)
    case .like: JSONBlock.put(likeTrack, &output, &end)
    case .stage: JSONBlock.put(stageTrack, &output, &end)
    case .click: JSONBlock.put(clickTrack, &output, &end)
    }
  }

  /// Writes a literal and then a number.
  @inline(__always)
  static func put(_ literal: JSONLiteral, _ value: Int, _ output: inout MutableRawSpan, _ end: inout Int) {
    JSONBlock.put(literal, &output, &end)
    JSONBlock.put(value, &output, &end)
  }

  /// Writes a literal and then a string.
  @inline(__always)
  static func put(
    _ literal: JSONLiteral, _ text: TextSlice, _ texts: Span<UInt8>, _ output: inout MutableRawSpan,
    _ end: inout Int
  ) {
    JSONBlock.put(literal, &output, &end)
    JSONBlock.put(string: texts, text.range, &output, &end)
  }

  /// Writes who gives what to whom.
  static func put(
    sender: Party, gift: Gift, receiver: Party, _ texts: Span<UInt8>, _ output: inout MutableRawSpan,
    _ end: inout Int
  ) {
    JSONBlock.put(firstSender, &output, &end)
    put(sender, texts, &output, &end)
    JSONBlock.put(CommandWords.gift, &output, &end)
    put(id, gift.id, texts, &output, &end)
    put(name, gift.name, texts, &output, &end)
    if !gift.icon.isAbsent { put(icon, gift.icon, texts, &output, &end) }
    if let value = gift.price { put(price, Int(value), &output, &end) }
    JSONBlock.put(byte: UInt8(ascii: "}"), &output, &end)
    if !receiver.id.isAbsent {
      JSONBlock.put(CommandWords.receiver, &output, &end)
      put(receiver, texts, &output, &end)
    }
  }

  /// Writes a person.
  static func put(_ party: Party, _ texts: Span<UInt8>, _ output: inout MutableRawSpan, _ end: inout Int) {
    put(id, party.id, texts, &output, &end)
    put(name, party.name, texts, &output, &end)
    if let value = party.level { put(level, Int(value), &output, &end) }
    if !party.avatar.isAbsent { put(avatar, party.avatar, texts, &output, &end) }
    JSONBlock.put(byte: UInt8(ascii: "}"), &output, &end)
  }
}

extension Party {
  /// The most bytes that its texts become as strings of JSON.
  var stringBytes: Int {
    JSONBlock.stringBytes(Int(id.count)) + JSONBlock.stringBytes(Int(name.count))
      + JSONBlock.stringBytes(Int(avatar.count))
  }
}

extension Gift {
  /// The most bytes that its texts become as strings of JSON.
  var stringBytes: Int {
    JSONBlock.stringBytes(Int(id.count)) + JSONBlock.stringBytes(Int(name.count))
      + JSONBlock.stringBytes(Int(icon.count))
  }
}
