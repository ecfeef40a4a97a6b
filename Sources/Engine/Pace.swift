import Base

/// How much faster things go when many wait (rule 9), fixed when a phase starts.
struct Pace: Equatable {
  /// 1000: the configured lengths.
  let permille: Int64

  /// The pace with `waiting` groups in the queue of a plan's tracks.
  init(waiting: Int, plan: GiftPlan) {
    let tracks = plan.trackMinPriorities.count
    if waiting <= tracks {
      permille = 1000
    } else {
      permille = max(plan.minPacePermille, 1000 * Int64(tracks) / Int64(waiting))
    }
  }

  /// A length at this pace.
  func scaled(_ milliseconds: Int64) -> Int64 { milliseconds * permille / 1000 }

  /// How long a run of `steps` takes: a step each, but no more than the catch-up.
  func runLength(steps: Int, plan: GiftPlan) -> Int64 {
    let step = scaled(plan.stepMilliseconds)
    let (length, overflow) = Int64(steps).multipliedReportingOverflow(by: step)
    let most = max(step, scaled(plan.catchUpMilliseconds))
    return overflow ? most : min(length, most)
  }
}
