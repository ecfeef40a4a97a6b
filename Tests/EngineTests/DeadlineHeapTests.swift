import Base
import Testing

@testable import Engine

/// Which room is next.
@Suite struct DeadlineHeapTests {
  @Test func anEmptyHeapHasNoFirst() {
    #expect(DeadlineHeap().first == nil)
    #expect(DeadlineHeap().isOrdered)
  }

  @Test func ofOneDeadlineTheRoomThatAppearedFirstIsNext() {
    var heap = DeadlineHeap()
    heap.set(5, room: 0, order: 9)
    heap.set(5, room: 1, order: 3)
    heap.set(4, room: 2, order: 20)
    #expect(heap.first?.room == 2)
    heap.remove(room: 2)
    #expect(heap.first?.room == 1)
    heap.set(6, room: 1, order: 3)
    #expect(heap.first?.room == 0)
    #expect(heap.first?.deadline == 5)
  }

  @Test(arguments: Chance.seeds(40))
  func itsFirstIsTheLeast(seed: UInt64) {
    var chance = Chance(seed: seed)
    var heap = DeadlineHeap()
    var rooms: [Int: (deadline: Instant, order: Int)] = [:]
    var appeared = 0
    for _ in 0..<400 {
      let room = Int.random(in: 0..<30, using: &chance)
      if rooms[room] != nil, chance.once(in: 3) {
        heap.remove(room: room)
        rooms[room] = nil
      } else {
        let order = rooms[room]?.order ?? appeared
        appeared += 1
        let deadline = Instant.random(in: 0..<10, using: &chance)
        heap.set(deadline, room: room, order: order)
        rooms[room] = (deadline, order)
      }
      let least = rooms.min { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) }
      #expect(heap.first?.room == least?.key, "\(Chance.howToRepeat(seed))")
      #expect(heap.first?.deadline == least?.value.deadline, "\(Chance.howToRepeat(seed))")
      #expect(heap.isOrdered, "\(Chance.howToRepeat(seed))")
    }
  }
}
