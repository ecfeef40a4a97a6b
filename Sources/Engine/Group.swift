import Base

/// The presentation of one combo, from the first gift until it leaves its track.
struct Group {
  /// From 1 in the order in which the room makes them; so it is also the order of joining the queue.
  var number: Int
  /// Digest of (sender, gift, receiver).
  var key: KeyDigest
  /// Digest of the sender's id.
  var sender: UInt64
  /// What renderers are told about it.
  var gift: StoredGift
  /// False: nothing joins it.
  var merges: Bool
  /// True for a test of an operator's, which only tests join.
  var isTest = false
  /// The highest of its events', 0 … 9.
  var priority: Int
  /// Accepted, not shown yet.
  var pending: Int
  /// The number on screen: what the last run ended with, or will.
  var count: Int
  /// When its first event came, or it was cut.
  var arrival: Instant
  /// When its `show` was due; meaningless before.
  var shownAt: Instant = 0
  /// The track it is on; nil while it waits.
  var track: Int?
  /// Neighbours in its level of the queue.
  var earlier: Int32 = -1
  var later: Int32 = -1
}

/// The groups of a room, at places that do not change while a group lives.
struct GroupStore {
  private var groups: [Group] = []
  private var freePlaces: [Int32] = []

  /// How many groups live.
  var count: Int { groups.count - freePlaces.count }

  /// The group at a place.
  subscript(place: Int) -> Group {
    get { groups[place] }
    _modify { yield &groups[place] }
  }

  /// Puts a group at a free place.
  mutating func insert(_ group: Group) -> Int {
    if let place = freePlaces.popLast() {
      groups[Int(place)] = group
      return Int(place)
    }
    groups.append(group)
    return groups.count - 1
  }

  /// Frees a place.
  mutating func remove(at place: Int) {
    freePlaces.append(Int32(place))
    if freePlaces.count == groups.count {
      groups.removeAll(keepingCapacity: groups.count <= 64)
      freePlaces.removeAll(keepingCapacity: groups.count <= 64)
    }
  }
}
