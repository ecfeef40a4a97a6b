import Base
import Bridge
import Configuration
import Simulation
import TestSupport
import Testing
import Watch
import Wire

/// What a renderer makes of the commands, held against what the engine says is to be seen.
@Suite struct AgreementTests {
  /// A message, read once.
  private struct Step {
    let json: JSONValue
    let isSnapshot: Bool
    /// What a snapshot says is to be seen.
    let words: [String]
  }

  /// Everything that comes out of lines of a capture, with a snapshot each tenth of a second in which the
  /// room changes.
  private func play(_ lines: [String], yaml: String) throws -> [Step] {
    try play(yaml: "snapshot: {everyMs: 100}\n\(yaml)", profileFile: nil) { take in
      for line in lines { try take(Array(line.utf8)) }
    }
  }

  /// Everything that comes out of the first lines of a real room's capture, with a snapshot each half second.
  private func playCapture(lines: Int = 300, yaml: String = "") throws -> [Step] {
    let capture = try CaptureFile(path: checkoutPath("Tests/Captures/douyin-calm.jsonl.gz"))
    let profile = checkoutPath("config/profiles/douyin-capture.yaml")
    return try play(yaml: "snapshot: {everyMs: 500}\n\(yaml)", profileFile: profile) { take in
      var line: [UInt8] = []
      var count = 0
      while count < lines, try capture.readLine(into: &line) {
        try take(line)
        count += 1
      }
    }
  }

  private func play(
    yaml: String, profileFile: String?, _ feed: (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) throws -> [Step] {
    let configuration = try Configuration.read(bytes: Array(yaml.utf8), file: "test.yaml")
    var inputs = configuration.inputs
    if let profileFile {
      let profile = try Profile.read(file: profileFile)
      for place in inputs.indices { inputs[place].profile = profile }
    }
    var simulator = Simulator(bridge: try Bridge(configuration: configuration, inputs: inputs), until: nil)
    simulator.keepsSnapshots = true
    var steps: [Step] = []
    func take(_ outgoing: borrowing OutgoingMessages) {
      for message in outgoing.published where !message.payload.isEmpty {
        let value = message.json
        guard message.isRetained || value["op"] != nil, value["track"] != .string("click") else { continue }
        steps.append(
          Step(json: value, isSnapshot: message.isRetained, words: message.isRetained ? words(of: value) : [])
        )
      }
    }
    try feed { line in try simulator.play(line, write: take) }
    simulator.finish(write: take)
    return steps
  }

  // MARK: In words

  /// What a snapshot says is to be seen, a line for each part.
  private func words(of snapshot: JSONValue) -> [String] {
    var lines = (snapshot["tracks"]?.array ?? []).map { track in
      var words = [
        "\(track["track"]?.string ?? "")", "#\(track["seq"]?.integer ?? -1)", track["state"]?.string ?? "",
      ]
      if let show = track["show"], let since = track["since"]?.integer,
        let length = track["durationMs"]?.integer
      {
        words += ["\(since)–\(since + length)", "group \(show["group"]?.integer ?? -1)", names(in: show)]
        words += ["\(track["count"]?["from"]?.integer ?? -1)→\(track["number"]?.integer ?? -1)"]
        words += ["priority \(show["priority"]?.integer ?? -1)"]
      }
      if snapshot["paused"]?["gift"] != nil { words.append("paused") }
      return words.joined(separator: " ")
    }
    let comments = snapshot["comment"]?["items"]?.array ?? []
    lines += comments.map { item in
      "\(item["id"]?.string ?? "") \(item["color"]?.string ?? "") \(item["sender"]?["name"]?.string ?? ""): \(item["text"]?.string ?? "")"
    }
    let burst = snapshot["like"]?["burst"]
    if let burst { lines.append("burst \(["count", "particles", "until"].map { burst[$0]?.integer ?? -1 })") }
    if let play = snapshot["stage"]?["play"] {
      let numbers = ["group", "count", "durationMs", "deadline"].map { play[$0]?.integer ?? -1 }
      lines.append("play \(numbers) \(names(in: play)) \(play["asset"]?.string ?? "")")
    }
    lines += ["fold", "comment", "like", "stage"].map { "\($0) #\(snapshot[$0]?["seq"]?.integer ?? -1)" }
    lines += ["stage", "comment", "like"].map { "\($0) \(snapshot["paused"]?[$0]?.integer ?? 0)" }
    return lines
  }

  private func names(in message: JSONValue) -> String {
    let (sender, gift) = (message["sender"]?["name"]?.string ?? "", message["gift"]?["name"]?.string ?? "")
    let test = message["test"] == .bool(true) ? "test" : ""
    return "\(sender)>\(gift)>\(message["receiver"]?["name"]?.string ?? "")\(test)"
  }

  /// The same of a picture.
  private func words(of picture: RoomPicture, at now: Instant) -> [String] {
    var lines = picture.tracks.enumerated().map { index, track in
      let state = track.state(at: now)
      var words = ["gift/\(index)", "#\(track.sequence)", state.rawValue]
      if let banner = track.banner(at: now), let span = track.span(at: now) {
        words += ["\(span.start)–\(span.end)", "group \(banner.group)", names(in: banner.giving)]
        words += ["\(state == .counting ? banner.from : -1)→\(banner.number)", "priority \(banner.priority)"]
      }
      if track.pausedSince != nil { words.append("paused") }
      return words.joined(separator: " ")
    }
    lines += picture.comments.suffix(50).map { "\($0.id) \($0.color) \($0.sender): \($0.text)" }
    if let burst = picture.burst(at: now) {
      lines.append("burst \([burst.count, burst.particles, burst.until])")
    }
    if let play = picture.play(at: now) {
      let numbers = [play.group, play.count, play.milliseconds, play.deadline]
      lines.append("play \(numbers) \(names(in: play.giving)) \(play.asset)")
    }
    lines += ["fold", "comment", "like", "stage"].map { "\($0) #\(picture.sequence(of: $0))" }
    lines += [RoomPart.stage, .comment, .like].map { "\($0.rawValue) \(picture.paused[$0] ?? 0)" }
    return lines
  }

  private func names(in giving: Giving) -> String {
    "\(giving.sender)>\(giving.gift)>\(giving.receiver ?? "")\(giving.isTest ? "test" : "")"
  }

  // MARK: Comparing

  /// Follows from a snapshot on, by commands alone, and compares at each later one. Returns how often.
  private func follow(_ steps: [Step], from start: Int = 0) throws -> Int {
    var picture = RoomPicture()
    var compared = 0
    for step in steps.dropFirst(start) {
      guard step.isSnapshot else {
        // Before it came it saw nothing.
        if compared > 0 { #expect(picture.take(command: step.json) == .taken, "\(step.json)") }
        continue
      }
      if compared == 0 { #expect(picture.take(snapshot: step.json, isKept: false) == .taken) }
      try #require(
        words(of: picture, at: step.json["at"]?.integer ?? 0) == step.words, "snapshot \(compared)")
      // Likes that came and are not yet told count in a snapshot already.
      #expect(picture.likeTotal <= step.json["like"]?["total"]?.integer ?? -1)
      compared += 1
    }
    #expect(picture.likeTotal == steps.last { $0.isSnapshot }?.json["like"]?["total"]?.integer)
    return compared
  }

  @Test(arguments: ["", "gift: {tracks: 1, maxGroupMs: 500}", "gift: {preset: classic}"])
  func followingARealRoomByCommandsAloneShowsWhatTheEngineShows(yaml: String) throws {
    let steps = try playCapture(yaml: yaml)
    #expect(steps.count > 700)
    #expect(try follow(steps) > 100)
  }

  @Test func whoJoinsAtAnyTimeShowsTheSame() throws {
    let steps = try playCapture(lines: 60)
    for start in stride(from: 0, to: steps.count - 100, by: 29) {
      #expect(try follow(steps, from: start) > 10)
    }
  }

  @Test func whoMissesCommandsNoticesItAndIsRightAgainWithTheNextSnapshot() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    var picture = RoomPicture()
    var isWhole = false
    var (gaps, lost) = (0, 0)
    for step in try playCapture() {
      guard step.isSnapshot else {
        if Int.random(in: 0..<20, using: &generator) == 0 {
          lost += 1
        } else if isWhole, picture.take(command: step.json) == .gap {
          gaps += 1
        }
        continue
      }
      isWhole = true
      #expect(picture.take(snapshot: step.json, isKept: false) == .taken)
      try #require(words(of: picture, at: step.json["at"]?.integer ?? 0) == step.words, "seed \(seed)")
    }
    #expect(lost > 10 && gaps > 0, "seed \(seed)")
  }

  /// An operator who pauses, skips, clears and tests, and gifts for the stage.
  @Test func underAnOperatorItShowsWhatTheEngineShows() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    var lines: [String] = []
    let orders = [
      #"{"op":"pause"}"#, #"{"op":"resume"}"#, #"{"op":"pause","part":"gift"}"#,
      #"{"op":"resume","part":"gift"}"#,
      #"{"op":"skip","track":"gift/0"}"#, #"{"op":"skip","track":"stage"}"#, #"{"op":"pause","part":"like"}"#,
      #"{"op":"clear"}"#, #"{"op":"test","event":{"type":"gift","sender":"T","gift":"Rose","count":3}}"#,
      #"{"op":"remove","sender":"u1"}"#, #"{"op":"resume"}"#,
    ]
    for step in 0..<600 {
      let at = step * 137
      let sender = "u\(Int.random(in: 0..<5, using: &generator))"
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        let order = orders.randomElement(using: &generator) ?? ""
        lines.append(#"{"at":\#(at),"topic":"cue/r1/control","payload":\#(order)}"#)
      case 1...5:
        let gift = Int.random(in: 0..<4, using: &generator) == 0 ? "Castle" : "Rose"
        let event = #"{"sender":"\#(sender)","receiver":"Zoe","gift":"\#(gift)","count":\#(step % 7 + 1)}"#
        lines.append(#"{"at":\#(at),"topic":"im/r1/gift","payload":[\#(event)]}"#)
      case 6...7:
        lines.append(
          #"{"at":\#(at),"topic":"im/r1/comment","payload":[{"id":"c\#(step)","sender":"\#(sender)","text":"t\#(step)"}]}"#
        )
      default:
        lines.append(#"{"at":\#(at),"topic":"im/r1/like","payload":[{"sender":"\#(sender)","count":3}]}"#)
      }
    }
    let yaml = """
      gift: {rules: [{priority: 6, gifts: [Castle], asset: castle.webm, durationMs: 900}]}
      comment: {maxItems: 20}
      """
    let steps = try play(lines, yaml: yaml)
    for operation in ["play", "pause", "resume", "fold", "remove"] {
      #expect(steps.contains { $0.json["op"] == .string(operation) }, "\(operation), seed \(seed)")
    }
    #expect(try follow(steps) > 100, "seed \(seed)")
  }
}
