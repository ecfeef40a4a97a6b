import Base
import Glibc
import Store

extension Journal {
  /// Runs a commit and counts how long it took, or that it failed.
  func timed<Result>(at now: Instant, _ commit: () throws(StoreError) -> Result) throws(StoreError) -> Result
  {
    let began = Journal.microseconds
    do throws(StoreError) {
      let result = try commit()
      counters.commits.add(Journal.microseconds - began)
      committedAt = now
      return result
    } catch {
      counters.commitFaults += 1
      committedAt = .min
      throw error
    }
  }

  /// Why the store cannot be written; nil if it can, or there is none. If nothing was committed within the
  /// last second it tries: the answer is of now, and who does not ask costs nothing.
  func storeFault(at now: Instant) -> String? {
    guard let store, committedAt == .min || now - committedAt >= 1000 else { return nil }
    // It must change something, or SQLite writes nothing; but not the lease, since time may be standing
    // still. No topic of a command begins with $, so no replay asks for this position.
    var probe = TurnRecord()
    probe.addPosition(topic: Array("$probe".utf8).span, epoch: now, sequence: 1)
    do {
      _ = try timed(at: now) { () throws(StoreError) in try store.commit(probe) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// A clock for lengths, which is no input of anything.
  private static var microseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
