import Base

extension InputDraft {
  /// The plan of an input, if its filter and its profile are good.
  func plan(profiles: [Profile]) -> InputPlan? {
    guard let place, let profile = profiles.first(where: { $0.name == self.profile }) else { return nil }
    var plan = InputPlan(
      filter: place.filter, room: place.room, kind: kind.eventKind, profile: profile, source: source)
    plan.userProperties = userProperties
    return plan
  }

  /// The filter as the broker takes it, and what says the room; nil if nothing does, or two things do.
  var place: (filter: String, room: RoomPlace)? {
    if room == nil, roomMember.isEmpty {
      return RoomFilter(filter).map { ($0.filter, .level($0.roomLevel)) }
    }
    guard RoomFilter.isPlain(filter) else { return nil }
    guard let room else { return (filter, .member(roomMember)) }
    return roomMember.isEmpty ? (filter, .fixed(room)) : nil
  }
}

extension ServiceDraft {
  /// Refuses what is wrong only beside other settings. Returns the inputs, complete if nothing was refused.
  func check(_ report: inout Report, file: String) -> [InputPlan] {
    checkBroker(&report)
    checkTLS(&report)
    checkOverlay(&report)
    checkTopics(&report, file: file)
    return checkInputs(&report, file: file)
  }

  private func checkBroker(_ report: inout Report) {
    let least = "broker.reconnectMinMs"
    let most = "broker.reconnectMaxMs"
    if broker.reconnectMinMilliseconds > broker.reconnectMaxMilliseconds {
      if let position = report.givenAt[least] {
        report.refuse(
          position, least,
          "\(broker.reconnectMinMilliseconds) is more than reconnectMaxMs, "
            + "expected at most \(broker.reconnectMaxMilliseconds)")
      } else if let position = report.givenAt[most] {
        report.refuse(
          position, most,
          "\(broker.reconnectMaxMilliseconds) is less than reconnectMinMs, "
            + "expected at least \(broker.reconnectMinMilliseconds)")
      }
    }
    // MQTT 3.1.1, section 3.1.2.9: without the user name flag the password flag must be 0.
    if broker.protocolVersion == .v311, broker.username == nil, broker.passwordFile != nil,
      let position = report.givenAt["broker.passwordFile"]
    {
      report.refuse(
        position, "broker.passwordFile", "a password alone, expected broker.username too with MQTT 3.1.1")
    }
  }

  private func checkOverlay(_ report: inout Report) {
    guard !overlay.listen.isLocal, overlay.tokenFile == nil,
      let position = report.givenAt["overlay.listen"]
    else { return }
    report.refuse(
      position, "overlay.listen",
      "\(overlay.listen) can be reached by other machines, expected overlay.tokenFile with it")
  }

  /// Topics of ours that no input may match, and that must not match each other, with their settings.
  private var outputFilters: [(path: String, text: String)] {
    [
      ("topics.room", "\(roomPrefix)/+/#"), ("topics.instance", "\(instancePrefix)/\(instance)/#"),
    ]
  }

  private func checkTopics(_ report: inout Report, file: String) {
    let outputs = outputFilters
    guard let rooms = TopicFilter.parsed(outputs[0].text), let own = TopicFilter.parsed(outputs[1].text)
    else { return }
    guard rooms.overlaps(own) else { return }
    let place = Self.place(of: outputs[0].path, report)
    let position = report.givenAt[outputs[1].path] ?? report.givenAt[outputs[0].path]
    report.refuse(
      position ?? SourcePosition(file: file), outputs[1].path,
      """
      '\(outputs[1].text)' overlaps the topics of rooms '\(outputs[0].text)' of \(place), expected none \
      shared
      """
    )
  }

  private func checkInputs(_ report: inout Report, file: String) -> [InputPlan] {
    let known = [Profile.native] + profiles
    var plans: [InputPlan] = []
    var earlier: [(path: String, text: String, filter: TopicFilter)] = []
    for (index, input) in inputs.enumerated() {
      let path = "inputs[\(index)].filter"
      checkProfile(of: input, index, known, &report)
      guard let place = input.place, let filter = TopicFilter.parsed(place.filter) else {
        refuseRoom(of: input, index, &report)
        continue
      }
      // An input by default is in the way of the topics that were given.
      let position =
        report.givenAt[path] ?? report.givenAt["topics.room"] ?? report.givenAt["topics.instance"]
      for output in outputFilters {
        guard let ours = TopicFilter.parsed(output.text), ours.overlaps(filter) else { continue }
        let place = Self.place(of: output.path, report)
        report.refuse(
          position ?? SourcePosition(file: file), path,
          "'\(input.filter)' could match our output '\(output.text)' of \(place), expected other topics")
      }
      for other in earlier where other.filter.overlaps(filter) {
        let place = Self.place(of: other.path, report)
        report.refuse(
          position ?? SourcePosition(file: file), path,
          """
          '\(input.filter)' and '\(other.text)' of \(place) could match one topic, expected at most one to \
          match
          """
        )
      }
      earlier.append((path, input.filter, filter))
      if let plan = input.plan(profiles: known) { plans.append(plan) }
    }
    return plans
  }

  /// Says why nothing says the room of an input, or too much does. A filter that is none was refused when it
  /// was read.
  private func refuseRoom(of input: InputDraft, _ index: Int, _ report: inout Report) {
    let path = "inputs[\(index)]"
    if input.room != nil, !input.roomMember.isEmpty, let position = report.givenAt["\(path).roomMember"] {
      report.refuse(position, "\(path).roomMember", "both 'room' and 'roomMember', expected one")
      return
    }
    guard let position = report.givenAt["\(path).filter"], TextForm.inputFilter.accepts(input.filter) else {
      return
    }
    let what = input.room != nil ? "room" : input.roomMember.isEmpty ? "" : "roomMember"
    report.refuse(
      position, "\(path).filter",
      what.isEmpty
        ? "'\(displayed(input.filter))' does not fit, expected \(TextForm.inputFilter.expectation)"
        : "'\(displayed(input.filter))' marks a room beside '\(what)', expected a filter without {room}")
  }

  private func checkProfile(
    of input: InputDraft, _ index: Int, _ known: [Profile], _ report: inout Report
  ) {
    let path = "inputs[\(index)].profile"
    guard let profile = known.first(where: { $0.name == input.profile }) else {
      let names = known.map(\.name)
      let advice =
        suggestion(for: input.profile, among: names).map { "did you mean '\($0)'?" }
        ?? "expected one of \(names.joined(separator: ", "))"
      if let position = report.givenAt[path] {
        report.refuse(position, path, "unknown profile '\(displayed(input.profile))', \(advice)")
      }
      return
    }
    if !input.userProperties.isEmpty, profile == .native {
      report.refuse(
        report.givenAt["inputs[\(index)].userProperties"] ?? SourcePosition(file: ""),
        "inputs[\(index)].userProperties",
        "user properties for the native format, expected a profile that reads 'payload' and 'properties'")
    }
    if input.kind == .batch, profile.kindPath.isEmpty, profile.cases.isEmpty,
      let position = report.givenAt["inputs[\(index)].kind"]
    {
      report.refuse(
        position, "inputs[\(index)].kind",
        "'batch' with the profile '\(profile.name)', which has no 'kind', expected gift, comment or like")
    }
  }

  /// A setting and where it was given, for messages.
  private static func place(of path: String, _ report: Report) -> String {
    guard let position = report.givenAt[path] else { return "\(path) (default)" }
    return "\(path) (line \(position.line), column \(position.column))"
  }
}
