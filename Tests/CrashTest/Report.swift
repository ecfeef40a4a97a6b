import TestSupport

/// What is printed of a run.
enum Report {
  private static let mostFaults = 30

  static func page(of play: Play, _ verdict: Verdict) -> String {
    let (maker, tally, victim) = (play.source.maker, play.tally, play.victim)
    var page = "seed \(play.plan.seed): \(maker.giftCount) gifts in \(maker.messageCount) messages, "
    page += "\(maker.published.count) of room, sender and gift\n"
    let kills = tally.kills.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    page += "kills: \(tally.kills.values.reduce(0, +)) (\(kills.joined(separator: ", ")))\n"
    page += "upsets: \(tally.brokerRestarts) restarts of the broker, \(tally.cuts) connections cut, "
    page += "an outage of \(tally.outageMilliseconds) ms, \(tally.sessionsThrownAway) sessions thrown away "
    page += "with \(tally.giftsThrownAway) gifts: told \(victim.sessionsLost), "
    page += "counted \(tally.sessionsLostByDaemon)\n"
    page += "dropped: \(victim.redelivered) redelivered, \(maker.sentAgain) by the event's id\n"
    let times = victim.recoveries.sorted()
    if !times.isEmpty {
      page += "recovery, from exec to subscribed: p50 \(times[times.count / 2]) ms, "
      page += "max \(times[times.count - 1]) ms, of \(times.count) in \(victim.starts) starts; "
      page +=
        "at most \(victim.longestReplay.rows) rows again, after \(victim.longestReplay.milliseconds) ms\n"
    }
    page += "commands: \(play.viewer.commandCount) on \(play.viewer.tracks.count) topics, "
    page += "\(play.viewer.renderer.repeats) came again\n"
    if let studio = play.source.studio {
      page += "studio: \(studio.commandCount) commands, \(play.viewer.answered.count) answered; "
      page += "\(studio.feedbackCount) feedbacks; \(play.viewer.stages.plays) plays, "
      page += "\(play.viewer.stages.ends) ended; \(studio.testedCount) gifts of tests, "
      page += "\(studio.ofMutable.values.reduce(0, +)) of senders that may be muted\n"
    }
    page += "shown or folded: \(verdict.lost) lost, \(verdict.twice) twice; "
    page += "ledger: \(verdict.ledgerLines) lines\n"
    if let count = verdict.simulatedCommands {
      page += "simulate --journal: \(count) commands compared\n"
    } else {
      page += "simulate --journal: NOT COMPARED, the journal was not kept\n"
    }
    for fault in verdict.faults.prefix(mostFaults) { page += "  \(fault)\n" }
    if verdict.faults.count > mostFaults { page += "  … \(verdict.faults.count - mostFaults) more\n" }
    return page
  }
}
