import Base
import Testing
import Wire

extension OutgoingMessages {
  /// Topic and payload of each message, as texts.
  var texts: [[String]] {
    messages.map { message in
      [
        String(decoding: bytes[message.topic], as: UTF8.self),
        String(decoding: bytes[message.payload], as: UTF8.self),
      ]
    }
  }
}

@Suite struct CommandEncoderTests {
  private var buffer = CommandBuffer()
  private var room = TextSlice.absent
  private var ann = Party()
  private var bo = Party()
  private var rose = Gift()
  private var rocket = Gift()

  init() {
    room = text("room 1")
    ann.id = text("u1")
    ann.name = text("Ann \"A\"")
    ann.level = 12
    ann.avatar = text("https://x/a.png")
    bo.id = text("u2")
    bo.name = text("波")
    rose.id = text("rose")
    rose.name = text("Rose")
    rocket.id = text("r")
    rocket.name = text("Rocket")
    rocket.icon = text("r.png")
    rocket.price = 100
  }

  private mutating func text(_ string: String) -> TextSlice { buffer.bytes.append(text: string.utf8) }

  private func encoded(_ track: Track, _ operation: Operation) throws -> [String] {
    let encoder = CommandEncoder(layout: try TopicLayout(inputs: [], output: OutputPlan()))
    var outgoing = OutgoingMessages()
    let command = Command(
      room: room, track: track, epoch: 1_722_400_000_000, sequence: 7, at: 1_722_400_000_500,
      operation: operation)
    encoder.encode(command, of: buffer, into: &outgoing)
    #expect(outgoing.messages.map(\.isRetained) == [false])
    #expect(outgoing.messages.map { outgoing.bytes[$0.topic.upperBound] } == [0])
    return outgoing.texts.first ?? []
  }

  private func head(_ track: String) -> String {
    #"{"v":1,"room":"room 1","track":"\#(track)","epoch":1722400000000,"seq":7,"at":1722400000500,"op":"#
  }

  private let annJSON = #"{"id":"u1","name":"Ann \"A\"","level":12,"avatar":"https://x/a.png"}"#
  private let boJSON = #"{"id":"u2","name":"波"}"#
  private let roseJSON = #"{"id":"rose","name":"Rose"}"#
  private let rocketJSON = #"{"id":"r","name":"Rocket","icon":"r.png","price":100}"#

  @Test func show() throws {
    let full = Operation.show(
      group: 3, sender: ann, gift: rocket, receiver: bo, combo: true, base: 4, priority: 5, duration: 300,
      until: 9)
    #expect(
      try encoded(.gift(0), full) == [
        "cue/room 1/gift/0",
        head("gift/0")
          + #""show","group":3,"sender":\#(annJSON),"gift":\#(rocketJSON),"receiver":\#(boJSON),"#
          + #""combo":true,"base":4,"priority":5,"durationMs":300,"until":9}"#,
      ])
    let bare = Operation.show(
      group: 1, sender: bo, gift: rose, receiver: Party(), combo: false, base: 0, priority: 0, duration: 0,
      until: -1)
    #expect(
      try encoded(.gift(12), bare) == [
        "cue/room 1/gift/12",
        head("gift/12") + #""show","group":1,"sender":\#(boJSON),"gift":\#(roseJSON),"#
          + #""combo":false,"base":0,"priority":0,"durationMs":0,"until":-1}"#,
      ])
  }

  @Test func countHoldAndHide() throws {
    for (operation, members) in [
      (
        Operation.count(group: 3, from: 4, to: 9, duration: 400, until: 88),
        #""count","group":3,"from":4,"to":9,"durationMs":400,"until":88}"#
      ),
      (.hold(group: 3, count: 9, until: 3000), #""hold","group":3,"count":9,"until":3000}"#),
      (
        .hide(group: 3, count: 9, reason: .expired, duration: 300),
        #""hide","group":3,"count":9,"reason":"expired","durationMs":300}"#
      ),
      (
        .hide(group: 3, count: 9, reason: .cut, duration: 0),
        #""hide","group":3,"count":9,"reason":"cut","durationMs":0}"#
      ),
    ] {
      #expect(try encoded(.gift(1), operation) == ["cue/room 1/gift/1", head("gift/1") + members])
    }
  }

  @Test mutating func fold() throws {
    buffer.foldItems = [
      FoldItem(sender: bo, gift: rose, receiver: Party(), count: 99),
      FoldItem(sender: ann, gift: rocket, receiver: bo, count: 1),
      FoldItem(sender: bo, gift: rocket, receiver: ann, count: 1_000_000),
    ]
    #expect(
      try encoded(.fold, .fold(groups: 4, gifts: 1_000_001, senders: 2, items: 1..<3)) == [
        "cue/room 1/gift/fold",
        head("gift/fold") + #""fold","groups":4,"gifts":1000001,"senders":2,"items":["#
          + #"{"sender":\#(annJSON),"gift":\#(rocketJSON),"receiver":\#(boJSON),"count":1},"#
          + #"{"sender":\#(boJSON),"gift":\#(rocketJSON),"receiver":\#(annJSON),"count":1000000}]}"#,
      ])
    #expect(
      try encoded(.fold, .fold(groups: 1, gifts: 99, senders: 1, items: 0..<1)).last
        == head("gift/fold") + #""fold","groups":1,"gifts":99,"senders":1,"items":["#
        + #"{"sender":\#(boJSON),"gift":\#(roseJSON),"count":99}]}"#)
  }

  @Test mutating func append() throws {
    let color = text("#00AEFF")
    buffer.commentItems = [
      CommentItem(id: text("c-1"), sender: bo, color: color, text: text("hi \\ 你好")),
      CommentItem(id: text("c-2"), sender: ann, color: color, text: text("x")),
      CommentItem(id: text("c-3"), sender: ann, color: color, text: text("x"), style: text("fol\"low")),
    ]
    #expect(
      try encoded(.comment, .append(items: 2..<3, evicted: 0, skipped: 0)).last
        == head("comment")
        + ##""append","items":[{"id":"c-3","sender":\##(annJSON),"color":"#00AEFF","text":"x","##
        + ##""style":"fol\"low"}],"evicted":0,"skipped":0}"##)
    #expect(
      try encoded(.comment, .append(items: 0..<2, evicted: 3, skipped: 0)) == [
        "cue/room 1/comment",
        head("comment")
          + ##""append","items":[{"id":"c-1","sender":\##(boJSON),"color":"#00AEFF","text":"hi \\ 你好"},"##
          + ##"{"id":"c-2","sender":\##(annJSON),"color":"#00AEFF","text":"x"}],"evicted":3,"skipped":0}"##,
      ])
    #expect(
      try encoded(.comment, .append(items: 1..<1, evicted: 0, skipped: 5)).last
        == head("comment") + #""append","items":[],"evicted":0,"skipped":5}"#)
  }

  @Test func burstAndStop() throws {
    #expect(
      try encoded(.like, .burst(count: 36, total: 499_375, particles: 30, until: 2000)) == [
        "cue/room 1/like", head("like") + #""burst","count":36,"total":499375,"particles":30,"until":2000}"#,
      ])
    #expect(
      try encoded(.like, .stop(total: 5)) == ["cue/room 1/like", head("like") + #""stop","total":5}"#])
  }

  /// The space for a command is reckoned before it is written: the longest there is must fit.
  @Test mutating func longestCommandsFit() throws {
    let id = text(String(repeating: "\u{1}", count: 256))
    let name = text(String(repeating: "\u{0}", count: 256))
    let address = text(String(repeating: "\u{1F}", count: 2000))
    var party = Party()
    (party.id, party.name, party.avatar, party.level) = (id, name, address, .min)
    var gift = Gift()
    (gift.id, gift.name, gift.icon, gift.price) = (id, name, address, .min)
    room = id
    buffer.foldItems = Array(
      repeating: FoldItem(sender: party, gift: gift, receiver: party, count: .min), count: 3)
    buffer.commentItems = Array(
      repeating: CommentItem(id: id, sender: party, color: id, text: address), count: 3)
    for operation in [
      Operation.show(
        group: .min, sender: party, gift: gift, receiver: party, combo: false, base: .min, priority: .min,
        duration: .min, until: .min),
      .fold(groups: .min, gifts: .min, senders: .min, items: 0..<3),
      .append(items: 0..<3, evicted: .min, skipped: .min),
    ] {
      let encoder = CommandEncoder(layout: try TopicLayout(inputs: [], output: OutputPlan()))
      var outgoing = OutgoingMessages()
      encoder.encode(
        Command(room: room, track: .gift(.min), epoch: .min, sequence: .min, at: .min, operation: operation),
        of: buffer, into: &outgoing)
      let payload = Array(outgoing.bytes[outgoing.messages[0].payload])
      try JSONParser().parse(payload.span, maxDepth: 5)
    }
  }

  @Test func prefixesAreConfigured() throws {
    let output = OutputPlan(roomPrefix: "tv/one", instancePrefix: "ops", instance: "b")
    let encoder = CommandEncoder(layout: try TopicLayout(inputs: [], output: output))
    var outgoing = OutgoingMessages()
    for sequence in 1...2 {
      let command = Command(
        room: room, track: .like, epoch: 0, sequence: sequence, at: 0, operation: .stop(total: sequence))
      encoder.encode(command, of: buffer, into: &outgoing)
    }
    #expect(outgoing.texts.map(\.first) == ["tv/one/room 1/like", "tv/one/room 1/like"])
    #expect(outgoing.texts.last?.last?.hasSuffix(#""seq":2,"at":0,"op":"stop","total":2}"#) == true)
    outgoing.removeAll()
    #expect(outgoing.messages.isEmpty)
    #expect(outgoing.bytes.isEmpty)
  }
}
