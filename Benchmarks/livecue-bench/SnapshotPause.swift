import Base
import Bridge
import PrivateBroker
import Store

/// How long the loop stands still at a time while the state of all rooms is saved into a store on the disk.
struct SnapshotPause {
  /// As the daemon does: so many rooms, then a commit.
  private static let roomsPerStep = 50

  /// To begin, before the first room is written.
  private(set) var beginMilliseconds = 0.0
  /// The longest step: its rooms, and the commit.
  private(set) var longestMilliseconds = 0.0
  /// The step in the middle.
  private(set) var medianMilliseconds = 0.0

  /// Saves all rooms of a bridge once.
  init(of bridge: inout Bridge) throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(directory: folder.path, instance: "bench", durability: .power, now: 1)
    try store.start(instance: "bench", bootID: "", engineVersion: 1)
    var turn = TurnRecord()
    turn.addSessionLost(at: 1)
    try store.commit(turn)
    turn.removeAll()
    var header: [UInt8] = []
    var chunk: [UInt8] = []
    var steps: [Double] = []
    let start = Clock.seconds
    _ = bridge.beginSaving(everything: true, header: &header)
    beginMilliseconds = (Clock.seconds - start) * 1e3
    var isDone = false
    while !isDone {
      let before = Clock.seconds
      for _ in 0..<SnapshotPause.roomsPerStep {
        guard let number = bridge.saveNext(into: &chunk) else {
          isDone = true
          break
        }
        turn.addChunk(room: Array(String(number).utf8).span, row: 1, content: chunk.span)
      }
      try store.commit(turn)
      turn.removeAll()
      steps.append((Clock.seconds - before) * 1e3)
    }
    steps.sort()
    longestMilliseconds = steps.last ?? 0
    medianMilliseconds = steps[steps.count / 2]
  }
}
