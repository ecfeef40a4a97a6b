import Base
import EventLoop
import Store
import Telemetry

// The journal is the buffer: while the broker does not take what we say, what comes in is recorded and
// acknowledged, and handled later. Without a state directory the broker must keep it.
extension Daemon {
  /// Looks how full the outbox and the journal are, and does what follows.
  func noteLevels() {
    guard isRunning else { return }
    let now = loop.clock.now
    let outboxChanged = outboxMark.note(publisher.queuedBytes)
    let journalChanged = journalMark.note(journal.byteCount)
    let field = LogField("outbox_bytes", LogValue(publisher.queuedBytes))
    if outboxChanged, state != nil {
      journal.mayHandle = !outboxMark.isFull
      if outboxMark.isFull {
        log.write(
          .warning, "the outbox is full: what comes in is recorded, and handled later", field, at: now)
      } else {
        log.write(
          .notice, "the outbox has room: what was recorded is handled", field,
          LogField("rows", LogValue(Int(journal.lastRow - journal.handledRow))), at: now)
      }
    }
    if journalChanged, journalMark.isFull {
      log.write(
        .warning, "the journal is full: nothing more is taken in until it has room",
        LogField("journal_bytes", LogValue(journal.byteCount)), at: now)
    } else if outboxChanged, state == nil, outboxMark.isFull {
      log.write(
        .warning, "the outbox is full: nothing more is taken in until the broker takes what waits", field,
        at: now)
    }
    leaveOrComeBack()
    if outboxChanged { armTimer() }
  }

  private func leaveOrComeBack() {
    let isFull = state == nil ? outboxMark.isFull : journalMark.isFull
    if isFull, !isHeldBack {
      isHeldBack = true
      metrics.isHeldBack = true
      intake.disconnect()
    } else if !isFull, isHeldBack, intake.isIdle {
      isHeldBack = false
      metrics.isHeldBack = false
      log.write(.notice, "there is room: batches are taken in again", at: loop.clock.now)
      intake.start()
    }
  }
}
