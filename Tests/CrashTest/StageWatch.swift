import Wire

/// What the stages of all rooms show: one play at a time, and each ends once.
struct StageWatch {
  /// Plays that began.
  private(set) var plays = 0
  /// Plays that ended.
  private(set) var ends = 0
  /// What must never be, in sentences.
  private(set) var faults: [String] = []
  private var playing: [String: Int64] = [:]

  /// Takes a command of a stage that was not there before, and returns the group of a play that begins.
  mutating func receive(_ json: JSONValue, topic: String) -> Int64? {
    let group = json["group"]?.integer ?? 0
    switch json["op"]?.string {
    case "play":
      // After a pause it is said again with its new time.
      guard playing[topic] != group else { return nil }
      if let before = playing[topic] { faults.append("\(topic): \(group) plays while \(before) does") }
      playing[topic] = group
      plays += 1
      return group
    case "end":
      if playing[topic] != group {
        faults.append("\(topic): \(group) ends while \(playing[topic] ?? 0) plays")
      }
      playing[topic] = nil
      ends += 1
    default: break
    }
    return nil
  }
}
