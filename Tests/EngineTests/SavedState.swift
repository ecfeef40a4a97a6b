import Base
import Engine

/// What a store would keep of an engine: the header and a chunk for each room.
struct SavedState: Equatable {
  var header: [UInt8] = []
  var rooms: [Int: [UInt8]] = [:]

  init() {}

  /// Everything as it is now.
  init(of engine: Engine) {
    var engine = engine
    save(&engine, everything: true)
  }

  /// Keeps what changed, or everything.
  mutating func save(_ engine: inout Engine, everything: Bool = false) {
    begin(&engine, everything: everything)
    while saveNext(&engine) {}
  }

  /// Begins a saving.
  mutating func begin(_ engine: inout Engine, everything: Bool = false) {
    let gone = engine.beginSaving(everything: everything, header: &header)
    if everything { rooms = [:] }
    for number in gone { rooms[number] = nil }
  }

  /// Keeps the next room; false if there is none.
  mutating func saveNext(_ engine: inout Engine) -> Bool {
    var chunk: [UInt8] = []
    guard let number = engine.saveNext(into: &chunk) else { return false }
    rooms[number] = chunk
    return true
  }

  /// An engine of what was kept, its rooms restored in the given order of their numbers.
  func restored(
    maxRooms: Int = 100_000, order: ([Int]) -> [Int] = { $0 }, plan: ([UInt8]) -> RoomPlan
  ) throws -> Engine {
    var engine = try Engine(header: header, maxRooms: maxRooms)
    for number in order(rooms.keys.sorted()) {
      guard let chunk = rooms[number] else { continue }
      try engine.restoreRoom(chunk, plan: plan)
    }
    try engine.finishRestoring()
    return engine
  }
}
