/// Where the sweep behind a snapshot has got to: everything up to here is done. First the chunks, then the
/// positions.
struct SweepPlace {
  /// Name of the room.
  var room: [UInt8] = []
  /// Generation of its chunk.
  var generation: Int64 = 0
  /// The topic of a position; nil: the chunks are not done yet.
  var topic: [UInt8]?
}

/// A part of a snapshot: a room, or with the empty name the header.
enum SnapshotChunk {
  /// What must match when it is read back.
  static func checksum(room: Span<UInt8>, row: Int64, content: Span<UInt8>) -> Int64 {
    var digester = Digester()
    digester.add(room)
    digester.add(UInt64(bitPattern: row))
    digester.add(content)
    return Int64(bitPattern: digester.digest().low)
  }
}

/// A snapshot's parts carry its generation. The valid snapshot is, for each room, the part of the highest
/// generation that is not above `state.snapshotGeneration`. So a new snapshot becomes valid by one number,
/// rooms without a change cost nothing, and what is superseded can be removed little by little.
extension SQLiteStore {
  /// See `Store`.
  public func readSnapshot(
    header: (Span<UInt8>) -> Void,
    room: (_ name: Span<UInt8>, _ row: Int64, _ content: Span<UInt8>) -> Bool
  ) throws(StoreError) -> Int64? {
    database.action = "reading the snapshot"
    // The state is read with the parts, in one query, so that a daemon's next snapshot cannot come between.
    let statement = try database.prepare(
      """
      SELECT c.room, c.at_row, c.checksum, c.content, s.snapshot_row FROM state s, chunk c
      WHERE c.generation = (
        SELECT max(n.generation) FROM chunk n WHERE n.room = c.room AND n.generation <= s.snapshot_generation)
        AND NOT c.gone
      ORDER BY c.room
      """)
    isReading = true
    defer { isReading = false }
    var snapshotRow: Int64?
    var goesOn = true
    while goesOn, try statement.step() {
      let row = statement.integer(1)
      let checksum = statement.integer(2)
      let isHeader = snapshotRow == nil
      snapshotRow = statement.integer(4)
      let lent: Bool? = statement.withBytes(0) { name in
        statement.withBytes(3) { content in
          guard SnapshotChunk.checksum(room: name, row: row, content: content) == checksum else { return nil }
          guard isHeader else { return room(name, row, content) }
          // The empty name sorts first; without it the snapshot has no header.
          guard name.isEmpty else { return nil }
          header(content)
          return true
        }
      }
      guard let lent else {
        throw .damage(
          "the part of room '\(statement.text(0))' does not match its checksum", path: database.path,
          action: database.action)
      }
      goesOn = lent
    }
    return snapshotRow
  }

  /// See `Store`.
  public func abandonSnapshot() throws(StoreError) {
    _ = writer("dropping an unfinished snapshot")
    // The inner query walks the index, and leaves the contents alone.
    try database.execute(
      "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE generation > \(state.snapshotGeneration))")
  }
}
