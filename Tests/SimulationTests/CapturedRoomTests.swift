import Base
import Simulation
import TestSupport
import Testing
import Wire

/// Ten minutes of a real room.
@Suite struct CapturedRoomTests {
  private func play(_ yaml: String = "", until: Instant? = nil) throws -> Play {
    try Play(
      file: checkoutPath("Tests/Captures/douyin-calm.jsonl.gz"), yaml: yaml,
      profileFile: checkoutPath("config/profiles/douyin-capture.yaml"), until: until)
  }

  @Test func everyGiftIsShownOrToldAndNothingRunsOverAnother() throws {
    let calm = try play()
    #expect(calm.faults == [])
    #expect(calm.summary.conserves)
    #expect(calm.summary.page.contains("189 accepted = "))
    #expect(calm.summary.page.contains("rejected   nothing"))
    #expect(calm.renderer.giftCount == 189)
    // Sequences without a gap from 1, one group on a track, no run over another, no key on two tracks.
    #expect(calm.renderer.faults == [])
    #expect(calm.renderer.repeats == 0)
    #expect(calm.renderer.others == [])
  }

  @Test func twoRunsGiveTheSameBytes() throws {
    let first = try play().published
    #expect(first.count > 1000)
    let isSame = try play().published == first
    #expect(isSame)
  }

  @Test func commandsComeInTheOrderOfTheirInstants() throws {
    let instants = try play().published.map(\.at)
    let isOrdered = zip(instants, instants.dropFirst()).allSatisfy { $0 <= $1 }
    #expect(isOrdered)
  }

  /// Under settings that are as tight as can be everything still adds up.
  @Test(arguments: [
    "gift: {tracks: 1}", "gift: {tracks: 1, maxWaiting: 0}", "gift: {tracks: 1, maxWaiting: 2, minPace: 0.1}",
    "gift: {tracks: 8, foldAfterMs: 1}", "gift: {preset: classic}", "gift: {tracks: 1, maxGroupMs: 500}",
    "gift: {showMs: 0, stepMs: 0, catchUpMs: 0, holdMs: 0, hideMs: 0}",
    "gift: {tracks: 2, perStep: true, holdBusyMs: 0, foldAfterMs: 500, foldEveryMs: 60000, maxFoldItems: 3}",
    "gift: {tracks: 1, agingMs: 1, streakGapMs: 0}",
  ])
  func itAddsUpUnderOtherSettings(yaml: String) throws {
    let calm = try play(yaml)
    #expect(calm.summary.conserves)
    #expect(calm.renderer.faults == [])
    #expect(calm.renderer.giftCount > 0)
    if !yaml.contains("streakGapMs") { #expect(calm.renderer.giftCount == 189) }
  }

  @Test func untilCutsItOffAndWhatCameBeforeIsTheSame() throws {
    let whole = try play().published
    let half = try play(until: 300_000).published
    let isPrefix = half == Array(whole.prefix(half.count))
    #expect(isPrefix)
    #expect(half.last.map { $0.at <= 300_000 } ?? false)
    #expect(whole[half.count].at > 300_000)
  }
}
