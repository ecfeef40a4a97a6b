public import Base
import Wire

/// A room in the list: what its last snapshot tells.
public struct RoomLine: Equatable, Sendable {
  /// Its name.
  public var name: String
  /// What it shows.
  public var picture: RoomPicture
  /// The snapshot's `now`.
  public var writtenAt: Instant

  /// True for the same bytes: for a `String` two spellings of "é" are one name.
  func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }
}

/// The rooms that have a snapshot, and which of them is chosen.
public struct RoomList: Equatable, Sendable {
  /// More rooms are only counted.
  public static let mostRooms = 1000

  /// The rooms by name.
  public private(set) var rooms: [RoomLine] = []
  /// True if there are more.
  public private(set) var isCut = false
  /// The room on which the choice was moved; nil: on none yet.
  private var picked: String?

  /// No rooms.
  public init() {}

  /// The place of the chosen room: at first that of the first one; nil: there is none.
  public var chosenIndex: Int? {
    rooms.isEmpty ? nil : picked.flatMap { name in rooms.firstIndex { $0.isNamed(name) } } ?? 0
  }

  /// The name of the chosen room; nil: there is none.
  public var chosen: String? { chosenIndex.map { rooms[$0].name } }

  /// Takes a snapshot in; nil: it was cleared, since the room has left.
  mutating func take(_ snapshot: JSONValue?, of name: String, isKept: Bool) {
    let index = rooms.firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) } ?? rooms.count
    let isThere = index < rooms.count && rooms[index].isNamed(name)
    guard let snapshot else {
      if isThere { remove(at: index) }
      return
    }
    if !isThere {
      guard rooms.count < Self.mostRooms else {
        isCut = true
        return
      }
      rooms.insert(RoomLine(name: name, picture: RoomPicture(), writtenAt: 0), at: index)
    }
    guard rooms[index].picture.take(snapshot: snapshot, isKept: isKept) == .taken else { return }
    rooms[index].writtenAt = snapshot.number("now")
  }

  /// Chooses a room so many lines further on, as far as there are lines.
  mutating func move(by lines: Int) {
    guard !rooms.isEmpty else { return }
    let index = min(rooms.count - 1, max(0, (chosenIndex ?? 0) + lines))
    picked = rooms[index].name
  }

  /// Forgets the rooms, but not which was chosen: they come again.
  mutating func beginAgain() {
    rooms = []
    isCut = false
  }

  private mutating func remove(at index: Int) {
    let room = rooms.remove(at: index)
    if picked.map(room.isNamed) == true {
      picked = rooms.isEmpty ? nil : rooms[min(index, rooms.count - 1)].name
    }
  }
}
