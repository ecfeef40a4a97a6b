import Base
import EventLoop
import PrivateBroker
import Store
import TestSupport
import Testing
import Wire

@testable import Daemon

/// A daemon that goes on from what another left.
@Suite struct RestartTests {
  private static let slowGifts = "gift: {showMs: 50, stepMs: 50, holdMs: 3000, hideMs: 50}"

  private func gift(_ number: Int) -> String { #"[{"sender":"s\#(number % 5)","gift":"g"}]"# }

  /// Plays some gifts on a daemon whose clock shows `start`, and lets it go in the midst of it.
  private func play(_ folder: TemporaryFolder, at start: Instant, _ renderer: inout Renderer) throws
    -> LogLines
  {
    let studio = try Studio(Self.slowGifts, recordsIn: folder, at: start)
    try studio.open()
    let shown = renderer.giftCount
    for number in 1...30 { studio.source.publish(gift(number), to: "im/r1/gift") }
    #expect(studio.loop.turn { studio.viewer.renderer.giftCount + shown >= shown + 15 })
    renderer.receive(studio.viewer.messages)
    return studio.log
  }

  @Test func aClockThatIsSetBackGivesNoNumberTwoContents() throws {
    let folder = try TemporaryFolder()
    var renderer = Renderer()
    let start: Instant = 1_700_000_000_000
    for run in 0..<3 {
      _ = try play(folder, at: start - Instant(run) * 3_600_000, &renderer)
    }
    // Each run has a broker of its own, which may take a command that the viewer does not get any more.
    #expect(renderer.faults.filter { !$0.contains(" after ") } == [])
    let instants = renderer.commands.compactMap { $0.json["at"]?.integer }
    #expect(instants == instants.sorted())
    #expect(Set(renderer.commands.compactMap { $0.json["epoch"]?.integer }).count == 1)
  }

  /// By it a start sees that the store has lost its end.
  @Test func theLeaseIsWrittenDownBesideTheStore() throws {
    let folder = try TemporaryFolder()
    var renderer = Renderer()
    _ = try play(folder, at: 1_700_000_000_000, &renderer)
    let state = try StateDirectory(path: folder.path, instance: "main")
    #expect(state.before.lease > 1_700_000_000_000)
    #expect(state.poisonGuard.lastLease == state.before.lease)
  }

  /// A room that left and came back has two epochs, and a renderer that sees the first again would go back to
  /// it.
  @Test func commandsOfAnEpochBeforeTheConfirmedOneAreNotSaidAgain() {
    var replay = Replay(lastRow: 9, completedRow: 9, outputDigest: 0, lease: 0)
    replay.confirmed[Array("cue/r1/gift/0".utf8)] = OutputPosition(epoch: 200, sequence: 2)
    var outgoing = OutgoingMessages()
    for (epoch, sequence) in [(100, 1), (100, 9), (200, 2), (200, 3), (300, 1)] {
      outgoing.append(at: 0, position: OutputPosition(epoch: Instant(epoch), sequence: sequence)) {
        $0 += Array("cue/r1/gift/0".utf8)
      } payload: {
        $0 += Array("{}".utf8)
      }
    }
    replay.removeKnown(from: &outgoing, row: 5)
    #expect(
      outgoing.messages.map(\.position) == [
        OutputPosition(epoch: 200, sequence: 3), OutputPosition(epoch: 300, sequence: 1),
      ])
  }

  /// Without rows since its last saved state a start has nothing to go through.
  @Test func aCleanStopLeavesNothingToReplay() throws {
    let folder = try TemporaryFolder()
    do {
      let studio = try Studio(Self.slowGifts, recordsIn: folder)
      try studio.open()
      studio.source.publish(gift(1), to: "im/r1/gift")
      #expect(studio.loop.turn { studio.viewer.renderer.commands.count >= 3 })
      studio.daemon.stop()
      #expect(studio.loop.turn { studio.stops == 1 })
    }
    let studio = try Studio(Self.slowGifts, recordsIn: folder)
    try studio.open()
    #expect(studio.log.count("recovered") == 0)
    // The combo window goes on: time did not pass for it.
    #expect(studio.loop.turn { studio.viewer.renderer.commands.count >= 1 })
    #expect(studio.viewer.renderer.commands[0].json["op"]?.string == "hold")
  }

  @Test func aChangedConfigurationIsToldAndTakesNothingAway() throws {
    let folder = try TemporaryFolder()
    do {
      let studio = try Studio(Self.slowGifts, recordsIn: folder)
      try studio.open()
      studio.source.publish(gift(1), to: "im/r1/gift")
      #expect(studio.loop.turn { studio.viewer.renderer.commands.count >= 3 })
    }
    let studio = try Studio("gift: {showMs: 50, stepMs: 50, holdMs: 100, hideMs: 50}", recordsIn: folder)
    try studio.open()
    #expect(studio.log.count("the configuration has changed") == 1)
    // Its own window is what was promised to it: what was left of three seconds.
    // What the broker had not confirmed yet comes again before it.
    var hold: PublishedMessage? {
      studio.viewer.renderer.commands.last { $0.json["op"]?.string == "hold" }
    }
    #expect(studio.loop.turn { hold != nil })
    let until = hold?.json["until"]?.integer ?? 0
    let at = hold?.json["at"]?.integer ?? 0
    #expect(until - at > 500)
  }
}
