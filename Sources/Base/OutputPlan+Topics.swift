// Topics are bytes: an accent that begins a room is one `Character` with the slash before it.
extension OutputPlan {
  /// The room of a topic and what follows it: `cue/r1/gift/0` gives `r1` and `gift/0`; nil: it is no room's.
  public func roomAndTrack(of topic: String) -> (room: String, track: String)? {
    guard let rest = topic.utf8.dropping("\(roomPrefix)/"), let slash = rest.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return (String(Substring(rest[..<slash])), String(Substring(rest[rest.index(after: slash)...])))
  }

  /// The instance of a status topic: `livecue/main/status` gives `main`; nil: it is another topic.
  public func instance(ofStatus topic: String) -> String? {
    guard let rest = topic.utf8.dropping("\(instancePrefix)/") else { return nil }
    let levels = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard levels.count == 2, String(Substring(levels[1])) == "status" else { return nil }
    return String(Substring(levels[0]))
  }
}

extension String.UTF8View {
  /// What follows a beginning; nil: it begins otherwise.
  fileprivate func dropping(_ beginning: String) -> SubSequence? {
    starts(with: beginning.utf8) ? dropFirst(beginning.utf8.count) : nil
  }
}
