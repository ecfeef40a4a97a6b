import Glibc
import Simulation

/// Measures inside one process, without a broker. `--json` prints one object instead of lines; `--rooms N`,
/// `--batches N` and `--rounds N` measure the path of a batch alone, `--active N` the memory of that many
/// active rooms, for a profiler. `--prepare FOLDER` writes a store for the measurement of a start that
/// replays a million events.
func runBenchmark(_ arguments: [String]) throws {
  if arguments.first == "--prepare", arguments.count == 2 {
    return try PreparedJournal.write(rows: 1_000_000 / Workload.eventsPerBatch, to: arguments[1])
  }
  func number(_ flag: String) -> Int? {
    arguments.firstIndex(of: flag).flatMap { $0 + 1 < arguments.count ? Int(arguments[$0 + 1]) : nil }
  }
  if let rooms = number("--rooms") {
    let path = BatchPath(rooms: rooms, batches: number("--batches") ?? 20_000)
    print(path.measure(rounds: number("--rounds") ?? 5))
    return
  }
  if let rooms = number("--active") {
    guard let filled = ActiveRooms.fill(rooms: rooms) else { return }
    return print("\(filled.mebibytes * 1024 / Double(rooms)) KiB a room")
  }
  // Memory first: what the other measurements freed would be used again and not seen to grow.
  guard var activeRooms = ActiveRooms.fill(rooms: 10_000) else { return }
  let saving = Saving(of: &activeRooms.bridge, rounds: 3)
  let pause = try SnapshotPause(of: &activeRooms.bridge)
  let steady = BatchPath(rooms: 1000, batches: 20_000).measure(rounds: 7)
  let few = BatchPath(rooms: 10, batches: 20_000).measure(rounds: 5)
  let many = BatchPath(rooms: 100_000, batches: 200_000).measure(rounds: 2)
  var figures: [(name: String, value: Double)] = [
    ("eventsPerSecond", 1e9 / steady.nanosecondsPerEvent),
    ("decodeNanosecondsPerEvent", steady.decodeNanosecondsPerEvent),
    ("commandsPerBatch", steady.commandsPerBatch),
    ("workRatio", many.nanosecondsPerEvent / few.nanosecondsPerEvent),
    ("activeRoomsMiB", activeRooms.mebibytes), ("savedBytesPerRoom", saving.bytesPerRoom),
    ("saveMicrosecondsPerRoom", saving.saveMicroseconds),
    ("restoreMicrosecondsPerRoom", saving.restoreMicroseconds),
    ("beginSavingMilliseconds", saving.beginMilliseconds),
    ("snapshotBeginMilliseconds", pause.beginMilliseconds),
    ("snapshotStepMilliseconds", pause.medianMilliseconds),
    ("snapshotPauseMilliseconds", pause.longestMilliseconds),
  ]
  if let allocations = steady.allocationsPerEvent {
    figures.append(("allocationsPerEvent", allocations))
  }
  if arguments.contains("--json") {
    print("{" + figures.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}")
  } else {
    for figure in figures { print("\(figure.name): \(figure.value)") }
  }
}

do {
  try runBenchmark(Array(CommandLine.arguments.dropFirst()))
} catch {
  print("livecue-bench: \(error)")
  exit(1)
}
