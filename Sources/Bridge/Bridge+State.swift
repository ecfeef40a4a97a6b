public import Base
import Configuration
import Engine

// All state on which output depends is the engine's: the decoder, the encoders and the buffers are empty
// between two messages, and what is counted reaches no message.
extension Bridge {
  /// True while a saving has rooms to write.
  public var isSaving: Bool { engine.isSaving }

  /// Begins to save the state of this moment, between two messages. `saveNext` gives the rooms then, however
  /// many messages come in between.
  ///
  /// - Parameters:
  ///   - everything: True: all rooms, for a store that is empty, or that failed to keep what an earlier
  ///     saving gave it. False: those that changed since the last saving began, which must be over.
  ///   - header: Is replaced by a chunk that is to be kept beside the rooms'.
  /// - Returns: The numbers of the rooms that left since the last saving began: their chunks are to be
  ///   deleted.
  public mutating func beginSaving(everything: Bool = false, header: inout [UInt8]) -> [Int] {
    engine.beginSaving(everything: everything, header: &header)
  }

  /// Writes the next room of the saving that goes on; it takes some microseconds.
  ///
  /// - Parameter chunk: Is replaced by the room's chunk, if there is one.
  /// - Returns: The room's number, which no other room ever has; nil if the saving is over.
  public mutating func saveNext(into chunk: inout [UInt8]) -> Int? {
    engine.saveNext(into: &chunk)
  }

  /// Takes over what a header says, and forgets all rooms. Then each room of that saving is to be restored,
  /// in any order, and `finishRestoring` called, before anything else happens. A bridge in which this failed
  /// is of no use.
  public mutating func restore(header: [UInt8]) throws(StateFault) {
    engine = try Engine(header: header, maxRooms: door.configuration.maxRooms)
  }

  /// Restores one room from its chunk, under its plan of this bridge's configuration, which should be the one
  /// under which it was saved.
  public mutating func restoreRoom(_ chunk: [UInt8]) throws(StateFault) {
    let configuration = door.configuration
    try engine.restoreRoom(chunk) { configuration.plan(forRoom: $0) }
  }

  /// Throws if a room is missing, or two are the same.
  public func finishRestoring() throws(StateFault) {
    try engine.finishRestoring()
  }
}
