import Base

extension Engine {
  /// True while a saving has rooms to write.
  public var isSaving: Bool { changes.isSaving }

  /// Numbers of the rooms that changed since the last saving began, in the order in which they did. A room's
  /// number is its place in the order in which rooms appeared: no other ever has it.
  public var changedRooms: [Int] {
    var numbers: [Int] = []
    var seen: Set<Int32> = []
    for place in changes.changed where rooms[Int(place)].saving == .changed && seen.insert(place).inserted {
      numbers.append(rooms[Int(place)].order)
    }
    return numbers
  }

  /// Begins to save the state of this moment: writes the header, and from now on `saveNext` gives the rooms.
  ///
  /// The engine may go on between two calls of `saveNext`: a room that is about to change before it was
  /// written is written then, so what is saved is the state of one moment even so. It costs time in
  /// proportion to the rooms that changed, a few nanoseconds each; to write a room takes some microseconds.
  ///
  /// - Parameters:
  ///   - everything: True: all rooms, for a store that is empty, or that failed to keep what an earlier
  ///     saving gave it. False: those that changed since the last saving began, which must be over.
  ///   - header: Is replaced by the header's chunk.
  /// - Returns: The numbers of the rooms that left since then; their chunks are to be deleted.
  public mutating func beginSaving(everything: Bool = false, header: inout [UInt8]) -> [Int] {
    precondition(everything || !isSaving, "a saving that was given up is followed by one of everything")
    changes.aside.removeAll()
    changes.awaited.removeAll(keepingCapacity: true)
    let candidates = everything ? rooms.indices.map { Int32($0) } : changes.changed
    for place in candidates {
      let isWanted = everything ? !rooms[Int(place)].isVacant : rooms[Int(place)].saving == .changed
      guard isWanted else { continue }
      rooms[Int(place)].saving = .awaited
      changes.awaited.append(place)
    }
    changes.changed.removeAll(keepingCapacity: true)
    // They are taken from the end; the first that changed are the first to be written.
    changes.awaited.reverse()
    header.removeAll(keepingCapacity: true)
    saveHeader(into: &header)
    defer { changes.gone.removeAll() }
    return changes.gone
  }

  /// Writes the next room of the saving that goes on.
  ///
  /// - Parameter chunk: Is replaced by the room's chunk, if there is one.
  /// - Returns: The room's number; nil if the saving is over.
  public mutating func saveNext(into chunk: inout [UInt8]) -> Int? {
    if let (number, saved) = changes.aside.popLast() {
      chunk = saved
      return number
    }
    while let awaited = changes.awaited.popLast() {
      let place = Int(awaited)
      guard rooms[place].saving == .awaited else { continue }
      rooms[place].saving = .saved
      chunk.removeAll(keepingCapacity: true)
      rooms[place].save(to: &chunk)
      return rooms[place].order
    }
    return nil
  }

  /// Appends what is the engine's own: how far its time went, and how many rooms there are and were.
  public func saveHeader(into bytes: inout [UInt8]) {
    StateChunk.append(.header, to: &bytes) { writer in
      writer.write(signed: now)
      writer.write(count: appeared)
      writer.write(count: roomCount)
    }
  }

  /// Appends the whole state of one room, by the bytes of its name, as a chunk of its own.
  ///
  /// - Returns: False if there is no such room.
  @discardableResult
  public func saveRoom(_ name: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
    guard let entry = places.find(Engine.digest(of: name)) else { return false }
    rooms[Int(places[entry])].save(to: &bytes)
    return true
  }

  /// A room is about to change.
  mutating func willChange(_ place: Int) {
    switch rooms[place].saving {
    case .changed: return
    case .saved: break
    case .awaited:
      var chunk: [UInt8] = []
      rooms[place].save(to: &chunk)
      changes.aside.append((rooms[place].order, chunk))
    }
    rooms[place].saving = .changed
    changes.changed.append(Int32(place))
  }
}
