public import Base

/// All rooms of an instance: a pure value. No clock, no input or output, no chance; `now` comes in, commands
/// go out.
public struct Engine: Sendable {
  /// The rooms by place; a place whose room left holds a vacant one until another takes it.
  var rooms: [Room] = []
  var freePlaces: [Int] = []
  var places = DigestTable<Int32>()
  var deadlines = DeadlineHeap()
  var appeared = 0
  /// What is to be saved.
  var changes = Changes()
  /// Rooms that the header told of and that are not restored yet.
  var missingRooms = 0
  /// Rooms that wait for more than to leave.
  private var busyRooms = 0
  /// How many rooms there may be; those that are there stay.
  public var maxRooms: Int
  /// The instant that has been reached. An earlier one counts as this.
  public internal(set) var now: Instant = .min

  /// An engine without rooms that will hold at most `maxRooms`.
  public init(maxRooms: Int = 100_000) {
    self.maxRooms = maxRooms
  }

  /// How many rooms there are.
  public var roomCount: Int { places.count }

  /// When the next timer of any room fires; nil if there is no room.
  public var nextDeadline: Instant? { deadlines.first?.deadline }

  /// True if no room waits for anything but to leave.
  public var isQuiet: Bool { busyRooms == 0 }

  /// Handles a batch whole at one instant: first the timers that are due in all rooms, then the events.
  ///
  /// - Parameters:
  ///   - batch: The valid events, in order. Must not be empty.
  ///   - room: The room's name: UTF-8, one level of a topic.
  ///   - plan: How the room behaves if this makes it; a room that is there keeps its own.
  /// - Returns: False if the room would be one too many; then nothing was taken.
  public mutating func receive(
    _ batch: borrowing EventBatch, room name: Span<UInt8>, plan: RoomPlan, at instant: Instant,
    output: inout CommandBuffer
  ) -> Bool {
    advance(to: instant, output: &output)
    output.rejections.removeAll(keepingCapacity: true)
    output.accepted.removeAll(keepingCapacity: true)
    guard let place = place(of: name, plan: plan, output: &output) else { return false }
    willChange(place)
    rooms[place].receive(batch, at: now, output: &output)
    schedule(place)
    return true
  }

  /// Fires every timer with a deadline up to `instant`, each at its own; of one deadline in the order in
  /// which the rooms appeared. One call equals any number of smaller ones.
  public mutating func advance(to instant: Instant, output: inout CommandBuffer) {
    while let next = deadlines.first, next.deadline <= instant {
      willChange(next.room)
      if rooms[next.room].fireTimers(at: next.deadline, output: &output) {
        close(next.room, counters: &output.counters)
      } else {
        schedule(next.room)
      }
    }
    now = max(now, instant)
  }

  /// We were away between two instants: every timer of every room moves by that length.
  public mutating func skip(from: Instant, to: Instant, output: inout CommandBuffer) {
    advance(to: from, output: &output)
    let start = max(from, now)
    guard to > start else { return }
    now = to
    for place in placesInOrder {
      willChange(place)
      rooms[place].skip(from: start, to: to, output: &output)
      schedule(place)
    }
  }

  /// Goes over to other plans, between two batches: `plan` is asked for that of each room, by the bytes of
  /// its name. What is due under the new plans happens at once, at `instant`.
  public mutating func adopt(
    at instant: Instant, output: inout CommandBuffer, plan: ([UInt8]) -> RoomPlan
  ) {
    advance(to: instant, output: &output)
    for place in placesInOrder {
      adopt(plan(rooms[place].name), at: place, output: &output)
    }
  }

  /// Gives one room another plan, between two batches.
  ///
  /// - Returns: False if there is no such room.
  @discardableResult
  public mutating func adopt(
    _ plan: RoomPlan, room name: Span<UInt8>, at instant: Instant, output: inout CommandBuffer
  ) -> Bool {
    advance(to: instant, output: &output)
    guard let entry = places.find(Engine.digest(of: name)) else { return false }
    adopt(plan, at: Int(places[entry]), output: &output)
    return true
  }

  /// Begins a new epoch in every room, without letting time pass: what a store that lost its end may say
  /// again with other words is told apart by it. Rooms show and remember what they did; renderers start over
  /// from a snapshot.
  ///
  /// - Parameter epoch: Its instant, later than any epoch that there was.
  public mutating func beginEpoch(_ epoch: Instant) {
    for place in placesInOrder {
      willChange(place)
      rooms[place].beginEpoch(epoch, now: now)
      schedule(place)
    }
  }

  private mutating func adopt(_ plan: RoomPlan, at place: Int, output: inout CommandBuffer) {
    willChange(place)
    if rooms[place].adopt(plan, at: now, output: &output) {
      close(place, counters: &output.counters)
    } else {
      schedule(place)
    }
  }

  /// The places that rooms have, in the order in which these appeared.
  var placesInOrder: [Int] {
    rooms.indices.filter { !rooms[$0].isVacant }.sorted { rooms[$0].order < rooms[$1].order }
  }

  /// Puts a room's next timer into the order of all.
  mutating func schedule(_ place: Int) {
    let next = rooms[place].nextTimer
    let isBusy = !rooms[place].isQuiet
    if isBusy != rooms[place].isBusy {
      rooms[place].isBusy = isBusy
      busyRooms += isBusy ? 1 : -1
    }
    // A room that was restored under another plan may be late; time does not go back for it.
    deadlines.set(max(next.deadline, now), room: place, order: rooms[place].order)
  }

  mutating func place(
    of name: Span<UInt8>, plan: RoomPlan, output: inout CommandBuffer
  ) -> Int? {
    let digest = Engine.digest(of: name)
    if let entry = places.find(digest) { return Int(places[entry]) }
    guard places.count < maxRooms else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.count)
    for position in name.indices { bytes.append(name[position]) }
    let room = Room(name: bytes, plan: plan, birth: now, order: appeared)
    appeared += 1
    output.counters.roomsOpened += 1
    let place = insert(room, digest: digest)
    changes.changed.append(Int32(place))
    return place
  }

  /// Gives a room a place.
  mutating func insert(_ room: Room, digest: KeyDigest) -> Int {
    let place: Int
    if let free = freePlaces.popLast() {
      place = free
      rooms[place] = room
    } else {
      place = rooms.count
      rooms.reserve(1)
      rooms.append(room)
    }
    places.insert(digest, Int32(place))
    return place
  }

  private mutating func close(_ place: Int, counters: inout EngineCounters) {
    counters.roomsClosed += 1
    deadlines.remove(room: place)
    changes.gone.append(rooms[place].order)
    let name = rooms[place].name
    if let entry = places.find(Engine.digest(of: name.span)) { places.remove(at: entry) }
    rooms[place] = .vacant
    freePlaces.append(place)
  }

  static func digest(of name: Span<UInt8>) -> KeyDigest {
    var digester = KeyDigester(seed: 0)
    digester.add(name)
    return digester.digest()
  }
}

extension Engine {
  /// Gifts accepted and neither shown nor folded yet.
  public var giftsPending: Int {
    rooms.reduce(0) { $0 + $1.gifts.pendingCount }
  }

  /// What all rooms hold. Looks at each of them.
  public var load: EngineLoad {
    var load = EngineLoad()
    for place in rooms.indices {
      let waiting = rooms[place].gifts.waiting.count
      load.groupsWaiting += waiting
      load.mostGroupsWaiting = max(load.mostGroupsWaiting, waiting)
      load.giftsPending += rooms[place].gifts.pendingCount
    }
    return load
  }

  /// How many groups wait, in all rooms.
  public var groupsWaiting: Int {
    rooms.reduce(0) { $0 + $1.gifts.waiting.count }
  }

  /// Checks what must hold between any two calls; costs time in proportion to all state. For tests.
  ///
  /// - Returns: What is broken, in a sentence; nil if all is well.
  public func checkInvariants() -> String? {
    if !deadlines.isOrdered { return "the deadlines are out of order" }
    for room in rooms where !room.isVacant {
      if room.nextTimer.deadline < now { return "a timer of order \(room.order) was left behind" }
      if room.isBusy == room.isQuiet { return "the room of order \(room.order) is counted wrongly" }
      if let broken = room.gifts.brokenInvariant(plan: room.plan.gift) { return broken }
    }
    return nil
  }
}
