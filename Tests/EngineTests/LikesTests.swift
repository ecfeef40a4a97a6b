import Base
import Engine
import Testing

/// Bursts of likes.
@Suite struct LikesTests {
  private func lines(
    _ steps: [(at: Instant, events: [TestEvent])], to end: Instant = 100_000,
    _ change: (inout LikePlan) -> Void = { _ in }
  ) -> [String] {
    Scenario(Scenario.plan(like: change), steps, to: end).lines
  }

  @Test func likesBurstAtTheEndOfTheBatchAndStopWithoutNewOnes() {
    #expect(
      lines([(0, [.like(5), .like(2)])]) == [
        "0 like burst 7 total=7 particles=7 until=2000", "2000 like stop total=7",
      ])
  }

  @Test(arguments: [(Instant(0), Instant(250)), (249, 250), (250, 250), (251, 251)])
  func theNextBurstIsBurstMsAfterTheLastOrLater(arrival: Instant, sent: Instant) {
    #expect(
      lines([(0, [.like(5)]), (arrival, [.like(3)])]) == [
        "0 like burst 5 total=5 particles=5 until=2000",
        "\(sent) like burst 3 total=8 particles=3 until=\(sent + 2000)",
        "\(sent + 2000) like stop total=8",
      ])
  }

  @Test(arguments: [(1, 1), (29, 29), (30, 30), (31, 30), (1_000_000, 30)])
  func particlesAreAtMostThirty(count: Int, particles: Int) {
    #expect(
      lines([(0, [.like(count)])], to: 0) == [
        "0 like burst \(count) total=\(count) particles=\(particles) until=2000"
      ])
  }

  @Test func aLikeThatSaysNoNumberIsOne() {
    #expect(lines([(0, [.like(), .like()])], to: 0) == ["0 like burst 2 total=2 particles=2 until=2000"])
  }

  @Test func aTotalCountsWhatItRose() {
    #expect(
      lines([
        (0, [.like(total: 100)]), (300, [.like(total: 100)]), (600, [.like(total: 107)]),
        // A fall is a new baseline; the highest total still stands.
        (900, [.like(total: 90)]), (1200, [.like(total: 95)]),
        // Exactly half of it is no new broadcast.
        (1500, [.like(total: 54), .like(total: 60)]),
        (5000, [.like(total: 108)]),
      ]) == [
        "600 like burst 7 total=107 particles=7 until=2600",
        "1200 like burst 5 total=107 particles=5 until=3200",
        "1500 like burst 6 total=107 particles=6 until=3500",
        "3500 like stop total=107",
        "5000 like burst 48 total=108 particles=30 until=7000",
        "7000 like stop total=108",
      ])
  }

  @Test(arguments: [(50, 100), (51, 100), (49, 52)])
  func aTotalOfLessThanHalfOfTheHighestIsANewBroadcast(low: Int, total: Int) {
    #expect(
      lines([(0, [.like(total: 100)]), (300, [.like(total: low)]), (600, [.like(total: 52)])], to: 600)
        == [
          "600 like burst \(52 - low) total=\(total) particles=\(52 - low) until=2600"
        ].filter { _ in low < 52 })
  }

  @Test func aNewBroadcastIsFoundHoweverSlowlyItsTotalsCame() {
    // 40 is under half of 100; from then on the highest is of the new one, and 45 is no fall.
    #expect(
      lines([(0, [.like(total: 100)]), (300, [.like(total: 40)]), (600, [.like(total: 45)])], to: 600) == [
        "600 like burst 5 total=45 particles=5 until=2600"
      ])
  }

  @Test func countsInBetweenRaiseTheBaseline() {
    #expect(
      lines([(0, [.like(total: 100)]), (300, [.like(5)]), (600, [.like(total: 108)])], to: 600) == [
        "300 like burst 5 total=100 particles=5 until=2300",
        "600 like burst 3 total=108 particles=3 until=2600",
      ])
  }

  @Test func countsBeforeTheFirstTotalAreNoBaseline() {
    #expect(
      lines([(0, [.like(5)]), (300, [.like(total: 108)]), (600, [.like(total: 109)])], to: 600) == [
        "0 like burst 5 total=5 particles=5 until=2000", "600 like burst 1 total=109 particles=1 until=2600",
      ])
  }

  @Test func ofCountAndTotalTheCountCountsAndTheTotalIsTheBaseline() {
    #expect(
      lines([(0, [.like(4, total: 50)]), (300, [.like(total: 53)])], to: 300) == [
        "0 like burst 4 total=50 particles=4 until=2000", "300 like burst 3 total=53 particles=3 until=2300",
      ])
  }

  @Test func ofOneInstantTheBurstComesBeforeTheStop() {
    #expect(
      lines([(0, [.like(1)]), (100, [.like(2)])]) { $0.showerMilliseconds = 250 } == [
        "0 like burst 1 total=1 particles=1 until=250",
        "250 like burst 2 total=3 particles=2 until=500",
        "500 like stop total=3",
      ])
  }

  @Test func theStopComesBeforeABatchOfItsInstant() {
    #expect(
      lines([(0, [.like(1)]), (2000, [.like(2)])]) == [
        "0 like burst 1 total=1 particles=1 until=2000",
        "2000 like stop total=1",
        "2000 like burst 2 total=3 particles=2 until=4000",
        "4000 like stop total=3",
      ])
  }

  @Test func aShowerShorterThanTheBurstDistanceStopsInBetween() {
    #expect(
      lines([(0, [.like(1)]), (100, [.like(2)])]) { $0.showerMilliseconds = 200 } == [
        "0 like burst 1 total=1 particles=1 until=200",
        "200 like stop total=3",
        "250 like burst 2 total=3 particles=2 until=450",
        "450 like stop total=3",
      ])
  }

  @Test func sumsBeyond64BitsSaturate() {
    // Each pair is a new baseline and a rise of nearly 2^53; 1024 of those are more than 2^63.
    let pair: [TestEvent] = [.like(total: 1), .like(total: 1 << 53)]
    let most = Int.max
    #expect(
      lines([(0, (0..<1200).flatMap { _ in pair })], to: 0) == [
        "0 like burst \(most) total=\(1 << 53) particles=30 until=2000"
      ])
  }
}
