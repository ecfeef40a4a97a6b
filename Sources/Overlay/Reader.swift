import HTTP

/// One client of a room's stream.
final class Reader {
  let stream = HTTPStream()
  /// Called with a word when what is written comes too fast for it.
  var wasTooSlow: (() -> Void)?
  /// The first levels of the tracks that it wants; empty: all but clicks.
  private let tracks: [String]

  /// `tracks` as in the address: `gift,comment` or `gift/0`.
  init(tracks: String?) {
    self.tracks = (tracks ?? "").split(separator: ",").map(String.init)
  }

  /// True if it wants the commands of a track. `gift` stands for all of `gift/0`, `gift/fold`, …
  func wants(_ track: String) -> Bool {
    if track == "snapshot" { return true }
    if tracks.isEmpty { return track != "click" }
    return tracks.contains { track == $0 || track.hasPrefix("\($0)/") }
  }

  /// Writes to it; who does not take it is dropped.
  func write(_ bytes: [UInt8]) {
    guard stream.isOpen else { return }
    if !stream.write(bytes) { wasTooSlow?() }
  }
}
