import Base
import PrivateBroker
import Store
import TestSupport

/// What a run came to: every difference between what was published, shown, and entered in the ledger.
struct Verdict {
  /// Gifts that were published and neither shown nor folded.
  private(set) var lost: Int64 = 0
  /// Gifts that were shown or folded and not published.
  private(set) var twice: Int64 = 0
  /// Every difference, in sentences.
  private(set) var faults: [String] = []
  private(set) var ledgerLines = 0
  /// Commands that were compared; nil: they were not.
  private(set) var simulatedCommands: Int?

  init(of play: Play, program: String) throws {
    compareGifts(play)
    try compareLedger(play)
    if play.plan.keepsJournal { try compareWithSimulation(play, program) }
    faults +=
      play.faults + play.viewer.faults + play.viewer.renderer.faults + play.viewer.stages.faults
      + play.victim.errors(allowing: Verdict.told)
    let asked = play.source.studio?.commandCount ?? 0
    if play.viewer.answered.count != asked {
      faults.append("\(asked) operators' commands were sent, \(play.viewer.answered.count) answered")
    }
    if play.source.doubtful > 0 {
      faults.append("\(play.source.doubtful) gifts are doubtful: the source lost its connection")
    }
    let (thrown, told) = (play.tally.sessionsThrownAway, play.victim.sessionsLost)
    if told != thrown { faults.append("\(thrown) sessions were thrown away, the log tells of \(told)") }
    let counted = play.tally.sessionsLostByDaemon
    if counted != thrown { faults.append("\(thrown) sessions were thrown away, \(counted) are counted") }
  }

  /// What a daemon must say as an error in these runs.
  private static let told = ["the broker lost our session"]

  private mutating func compareGifts(_ play: Play) {
    let studio = play.source.studio
    let published = play.source.maker.published.merging(studio?.tested ?? [:]) { $0 + $1 }
    var shown = play.viewer.renderer.gifts
    for (key, most) in studio?.ofMutable ?? [:] {
      let found = shown.removeValue(forKey: key) ?? 0
      if found > most {
        faults.append("\(key.room) \(key.sender): \(most) published, \(found) shown or folded")
      }
    }
    for key in Set(published.keys).union(shown.keys) {
      let (wanted, found) = (published[key] ?? 0, shown[key] ?? 0)
      if wanted == found { continue }
      lost += max(0, wanted - found)
      twice += max(0, found - wanted)
      faults.append("\(key.room) \(key.sender) \(key.gift): \(wanted) published, \(found) shown or folded")
    }
  }

  /// What was published is a function of the journal's rows.
  private mutating func compareWithSimulation(_ play: Play, _ program: String) throws {
    let simulated = try SimulatedJournal(
      program: program, store: "\(play.folder.path)/state/\(SQLiteStore.fileName)", folder: play.folder)
    faults += simulated.faults + simulated.differences(from: play.viewer.tracks)
    simulatedCommands = simulated.tracks.values.reduce(0) { $0 + $1.count }
  }

  private mutating func compareLedger(_ play: Play) throws {
    let store = try SQLiteStore(reading: "\(play.folder.path)/state/\(SQLiteStore.fileName)")
    var entered: [Renderer.Key: Int64] = [:]
    try store.forEachLedgerLine(by: [.room, .sender, .gift], LedgerFilter()) { line in
      let key = Renderer.Key(
        room: line.bytes.string(line.room), sender: line.bytes.string(line.sender),
        gift: line.bytes.string(line.gift), receiver: nil)
      entered[key, default: 0] += line.count
      return true
    }
    ledgerLines = entered.count
    let published = play.source.maker.published.merging(play.source.studio?.ofMutable ?? [:]) { $0 + $1 }
    for key in Set(published.keys).union(entered.keys) where published[key] != entered[key] {
      let (wanted, found) = (published[key] ?? 0, entered[key] ?? 0)
      faults.append("\(key.room) \(key.sender) \(key.gift): \(wanted) published, \(found) in the ledger")
    }
  }
}
