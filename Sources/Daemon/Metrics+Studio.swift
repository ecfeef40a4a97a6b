import Base
import Bridge
import Telemetry

extension Metrics {
  /// What operators and renderers said, and what came of it.
  var studio: [Metric] {
    let door = journal.bridge.counters
    let counted = journal.bridge.engineCounters
    return [
      .counter(
        "livecue_controls_total", "Operators' commands, by what came of them.", by: "outcome",
        [("done", door.controlsDone), ("refused", door.controlsRefused)]),
      .counter(
        "livecue_gifts_tested_total", "Gifts of operators' tests, which count nowhere else.",
        counted.giftsTested),
      .counter(
        "livecue_muted_total", "Comments and likes dropped, since their senders are muted.", by: "kind",
        [("comment", counted.commentsMuted), ("like", counted.likesMuted)]),
      .counter(
        "livecue_comments_removed_total", "Comments that an operator removed.", counted.commentsRemoved),
      .counter("livecue_stage_plays_total", "Big gifts that began to play full-screen.", counted.stagePlays),
      .counter(
        "livecue_stage_plays_dropped_total", "Big gifts that never played, because too many waited.",
        counted.stagePlaysDropped),
      .counter(
        "livecue_feedback_total",
        "What renderers said; not_leader, out_of_place: understood, but of no use to the stage.",
        by: "outcome",
        [
          ("understood", door.feedbacks), ("refused", door.feedbacksRefused),
          ("not_leader", counted.feedbackOfOthers), ("out_of_place", counted.feedbackOutOfPlace),
        ]),
      .counter(
        "livecue_clicks_total", "Viewers' clicks: on a group, and on one that is not on screen any more.",
        by: "outcome", [("hit", counted.clicks), ("missed", counted.clicksMissed)]),
      .counter("livecue_resyncs_total", "Times that a renderer asked for a snapshot.", counted.resyncs),
      .counter(
        "livecue_room_snapshots_total", "Snapshots of rooms written for renderers.", counted.snapshots),
    ]
  }
}
