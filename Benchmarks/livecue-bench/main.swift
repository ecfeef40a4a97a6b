import Glibc

/// Measures inside one process, without a broker. `--json` prints one object instead of lines; `--rooms N`,
/// `--batches N` and `--rounds N` measure the path of a batch alone, for a profiler.
func runBenchmark(_ arguments: [String]) {
  func number(_ flag: String) -> Int? {
    arguments.firstIndex(of: flag).flatMap { $0 + 1 < arguments.count ? Int(arguments[$0 + 1]) : nil }
  }
  if let rooms = number("--rooms") {
    let path = BatchPath(rooms: rooms, batches: number("--batches") ?? 20_000)
    print(path.measure(rounds: number("--rounds") ?? 5))
    return
  }
  // Memory first: what the other measurements freed would be used again and not seen to grow.
  let activeRooms = ActiveRooms.measure(rooms: 10_000)
  let steady = BatchPath(rooms: 1000, batches: 20_000).measure(rounds: 7)
  let few = BatchPath(rooms: 10, batches: 20_000).measure(rounds: 5)
  let many = BatchPath(rooms: 100_000, batches: 200_000).measure(rounds: 2)
  var figures: [(name: String, value: Double)] = [
    ("eventsPerSecond", 1e9 / steady.nanosecondsPerEvent),
    ("decodeNanosecondsPerEvent", steady.decodeNanosecondsPerEvent),
    ("commandsPerBatch", steady.commandsPerBatch),
    ("workRatio", many.nanosecondsPerEvent / few.nanosecondsPerEvent),
    ("activeRoomsMiB", activeRooms?.mebibytes ?? 0),
  ]
  if let saving = activeRooms?.saving {
    figures += [
      ("savedBytesPerRoom", saving.bytesPerRoom), ("saveMicrosecondsPerRoom", saving.saveMicroseconds),
      ("restoreMicrosecondsPerRoom", saving.restoreMicroseconds),
      ("beginSavingMilliseconds", saving.beginMilliseconds),
    ]
  }
  if let allocations = steady.allocationsPerEvent {
    figures.append(("allocationsPerEvent", allocations))
  }
  if arguments.contains("--json") {
    print("{" + figures.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}")
  } else {
    for figure in figures { print("\(figure.name): \(figure.value)") }
  }
}

runBenchmark(Array(CommandLine.arguments.dropFirst()))
