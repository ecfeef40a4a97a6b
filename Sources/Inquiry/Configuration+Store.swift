import Base
import Bridge
public import Configuration
public import Store

extension Configuration {
  /// The configuration that was in force last in a store, as its journal or its snapshot has it; nil if no
  /// daemon has run on it.
  public static func inForce(in store: SQLiteStore) throws -> Configuration? {
    var text: [UInt8]?
    let isInJournal = try store.withLastRow(of: .configuration) { text = Array(copying: $0) }
    if !isInJournal {
      var header: [UInt8] = []
      let row = try store.readSnapshot(header: { header = Array(copying: $0) }, room: { _, _, _ in false })
      if row != nil {
        guard let parts = SnapshotHeader(header) else {
          throw InquiryFault.badState("the header of the snapshot is cut off")
        }
        text = Array(parts.configuration.utf8)
      }
    }
    return try text.map { try Configuration.read(bytes: $0, file: "journal") }
  }
}
