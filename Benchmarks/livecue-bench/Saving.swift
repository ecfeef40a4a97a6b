import Base
import Bridge

/// What it costs to write the state of active rooms and to read it back.
struct Saving {
  /// Bytes of a room's chunk.
  var bytesPerRoom = 0.0
  /// To write one room.
  var saveMicroseconds = Double.infinity
  /// To read one back.
  var restoreMicroseconds = Double.infinity
  /// To begin: how long the loop stands still before the first room is written.
  var beginMilliseconds = Double.infinity

  /// Measures some rounds and keeps the fastest of each.
  init(of bridge: inout Bridge, rounds: Int) {
    guard var other = BatchPath.Result.bridge("") else { return }
    var header: [UInt8] = []
    var chunk: [UInt8] = []
    for _ in 0..<rounds {
      var chunks: [[UInt8]] = []
      chunks.reserveCapacity(bridge.roomCount)
      let start = Clock.seconds
      _ = bridge.beginSaving(everything: true, header: &header)
      let begun = Clock.seconds
      var writing = 0.0
      var bytes = 0
      while true {
        let before = Clock.seconds
        guard bridge.saveNext(into: &chunk) != nil else { break }
        writing += Clock.seconds - before
        bytes += chunk.count
        // Enough to read back; all of them would take the machine's memory.
        if chunks.count < 1000 { chunks.append(chunk) }
      }
      bytesPerRoom = Double(bytes) / Double(bridge.roomCount)
      beginMilliseconds = min(beginMilliseconds, (begun - start) * 1e3)
      saveMicroseconds = min(saveMicroseconds, writing * 1e6 / Double(bridge.roomCount))
      restoreMicroseconds = min(restoreMicroseconds, Saving.restore(chunks, header, into: &other))
    }
  }

  private static func restore(_ chunks: [[UInt8]], _ header: [UInt8], into bridge: inout Bridge) -> Double {
    do {
      try bridge.restore(header: header)
      let start = Clock.seconds
      for chunk in chunks { try bridge.restoreRoom(chunk) }
      return (Clock.seconds - start) * 1e6 / Double(chunks.count)
    } catch {
      print("the benchmark's own state cannot be read: \(error)")
      return .infinity
    }
  }
}
