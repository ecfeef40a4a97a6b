import Base
import Daemon
import EventLoop
import Simulation
import Telemetry

/// Writes what the daemon records to a capture: each turn, or where it is compressed once a second.
final class CaptureObserver: InputObserver {
  private let recorder: CaptureRecorder
  private let loop: EventLoop
  private let log: Log
  private var timer: TimerID?
  private var isBroken = false

  private static let intervalMilliseconds: Int64 = 1000

  init(_ recorder: CaptureRecorder, loop: EventLoop, log: Log) {
    self.recorder = recorder
    self.loop = loop
    self.log = log
  }

  func received(topic: Span<UInt8>, payload: Span<UInt8>, at instant: Instant) {
    recorder.add(topic: topic, payload: payload, at: instant)
  }

  func wasAway(from: Instant, to: Instant) {
    recorder.addAway(from: from, to: to)
    turnEnded()
  }

  func turnEnded() {
    guard recorder.isCompressed else { return flush() }
    guard timer == nil else { return }
    timer = loop.schedule(at: loop.clock.now + CaptureObserver.intervalMilliseconds) { [unowned self] in
      timer = nil
      flush()
    }
  }

  /// Writes the rest and tells what became of the capture.
  func close() {
    if let timer { loop.cancel(timer) }
    timer = nil
    flush()
    log.write(
      recorder.linesLost == 0 ? .notice : .warning, "the capture ends",
      LogField("file", .text(recorder.path)), LogField("lines", LogValue(recorder.linesWritten)),
      LogField("lines_lost", LogValue(recorder.linesLost)), at: loop.clock.now)
    log.flush()
  }

  private func flush() {
    recorder.flush()
    guard isBroken != (recorder.fault != nil) else { return }
    isBroken = recorder.fault != nil
    log.write(
      isBroken ? .warning : .notice,
      isBroken
        ? "the capture cannot be written: what comes in is left out of it" : "the capture is written again",
      LogField("file", .text(recorder.path)), LogField("fault", .text(recorder.fault ?? "none")),
      LogField("lines_lost", LogValue(recorder.linesLost)), at: loop.clock.now)
  }
}
