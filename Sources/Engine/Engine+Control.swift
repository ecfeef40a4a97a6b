public import Base

extension Engine {
  /// Does what an operator wants of a room, at an instant: first the timers that are due in all rooms, then
  /// it.
  ///
  /// - Parameters:
  ///   - batch: The events of a test; not looked at for other operations.
  ///   - name: The room's name. One that does not exist is made where the operation may be the first in it.
  ///   - plan: How the room behaves if this makes it.
  /// - Returns: Why it did nothing; nil if all is well.
  public mutating func control(
    _ operation: ControlOperation, batch: borrowing EventBatch, room name: Span<UInt8>, plan: RoomPlan,
    at instant: Instant, output: inout CommandBuffer
  ) -> ControlFault? {
    advance(to: instant, output: &output)
    if !operation.opensRoom, places.find(Engine.digest(of: name)) == nil { return .noSuchRoom }
    guard let place = place(of: name, plan: plan, output: &output) else { return .tooManyRooms }
    willChange(place)
    let fault = rooms[place].control(operation, batch: batch, at: now, output: &output)
    schedule(place)
    return fault
  }

  /// A renderer of a room says something, at an instant.
  ///
  /// - Returns: False if there is no such room.
  public mutating func feedback(
    _ operation: FeedbackOperation, renderer: [UInt8], room name: Span<UInt8>, at instant: Instant,
    output: inout CommandBuffer
  ) -> Bool {
    advance(to: instant, output: &output)
    guard let entry = places.find(Engine.digest(of: name)) else { return false }
    let place = Int(places[entry])
    willChange(place)
    rooms[place].feedback(operation, renderer: renderer, at: now, output: &output)
    schedule(place)
    return true
  }
}
