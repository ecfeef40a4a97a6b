import Base

/// Which room has something to do first: a heap over (deadline, order of appearance), four children a node.
struct DeadlineHeap {
  private struct Entry {
    var deadline: Instant
    var order: Int
    var room: Int

    func isBefore(_ other: Entry) -> Bool {
      deadline < other.deadline || (deadline == other.deadline && order < other.order)
    }
  }

  private var entries: [Entry] = []
  /// The place of each room in the heap; −1: not there.
  private var positions: [Int32] = []

  /// The room that is next, and when.
  var first: (room: Int, deadline: Instant)? {
    entries.first.map { ($0.room, $0.deadline) }
  }

  /// Adds a room, or moves it.
  mutating func set(_ deadline: Instant, room: Int, order: Int) {
    while positions.count <= room { positions.append(-1) }
    let entry = Entry(deadline: deadline, order: order, room: room)
    let position = Int(positions[room])
    if position < 0 {
      entries.append(entry)
      rise(entry, from: entries.count - 1)
    } else if entry.isBefore(entries[position]) {
      rise(entry, from: position)
    } else {
      sink(entry, from: position)
    }
  }

  /// Removes a room.
  mutating func remove(room: Int) {
    let position = Int(positions[room])
    positions[room] = -1
    let last = entries.removeLast()
    guard position < entries.count else { return }
    if last.isBefore(entries[position]) { rise(last, from: position) } else { sink(last, from: position) }
  }

  /// True if no room is before its parent.
  var isOrdered: Bool {
    entries.indices.dropFirst().allSatisfy { !entries[$0].isBefore(entries[($0 - 1) / 4]) }
      && entries.indices.allSatisfy { Int(positions[entries[$0].room]) == $0 }
  }

  private mutating func rise(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard entry.isBefore(entries[parent]) else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func sink(_ entry: Entry, from start: Int) {
    var position = start
    while true {
      let firstChild = position * 4 + 1
      guard firstChild < entries.count else { break }
      var least = firstChild
      for child in firstChild + 1..<max(firstChild + 1, min(firstChild + 4, entries.count))
      where entries[child].isBefore(entries[least]) {
        least = child
      }
      guard entries[least].isBefore(entry) else { break }
      place(entries[least], at: position)
      position = least
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[entry.room] = Int32(position)
  }
}
