import Base
public import Configuration
import EventLoop
import MQTT
import Systemd
import Telemetry

extension Daemon {
  /// Goes over to the configuration that `read` reads, without losing a combo or a connection. If that cannot
  /// be read or taken over, its errors are told and the one before stays.
  public func reload(_ read: () throws(ConfigurationErrors) -> Configuration) {
    guard isRunning else { return }
    notifier.reloading()
    do throws(ConfigurationErrors) {
      let (next, waiting) = try read().adoptable(over: configuration)
      for path in waiting {
        log.write(
          .warning, "a changed setting waits for the next start", LogField("setting", .text(path)),
          at: loop.clock.now)
      }
      adopt(next, waiting: waiting.count)
    } catch {
      refuse(error)
    }
    notifier.ready()
  }

  /// `waiting` settings have changed beside it.
  private func adopt(_ next: Configuration, waiting: Int) {
    guard next != configuration else {
      return log.write(
        .notice,
        waiting > 0
          ? "nothing of the new configuration can be in force now" : "the configuration has not changed",
        at: loop.clock.now)
    }
    let isDone = attempt("record the new configuration: the one before stays") {
      try journal.use(next, at: loop.clock.now, into: &outgoing)
    }
    guard isDone else { return }
    configuration = next
    outboxMark.limit = next.outboxMaxBytes
    journalMark.limit = next.journalMaxBytes
    intake.readProperties(for: next)
    intake.setFilters(next.filters)
    log.write(
      .notice,
      waiting > 0
        ? "the new configuration is in force, but for what waits" : "the new configuration is in force",
      at: loop.clock.now)
    handOut()
    noteLevels()
  }

  private func refuse(_ errors: ConfigurationErrors) {
    for error in errors.errors {
      log.write(
        .error, "the new configuration is refused", LogField("mistake", .text("\(error)")), at: loop.clock.now
      )
    }
    if errors.omittedCount > 0 {
      log.write(
        .error, "the new configuration has more mistakes", LogField("count", LogValue(errors.omittedCount)),
        at: loop.clock.now)
    }
  }
}
